package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// githubFormat reads GitHub's own lines: steps of a downloaded log, and the
// workflow commands that a step prints (::error file=…::message).
var githubFormat = Format{
	Name:     "github",
	About:    "GitHub Actions: workflow commands, and the steps of downloaded logs",
	Triggers: []string{"::error", "::warning", "::notice"},
	Starts:   []string{"Post job cleanup.", "Cleaning up orphan processes"},
	Levels:   true,
	Markup:   true,
	New:      stateless(matchGitHub),
}

func matchGitHub(s *Scan, l Line) bool {
	text := l.Trim()
	switch l.Level {
	case "":
		return matchWorkflowCommand(s, text)
	case "group":
		if strings.HasPrefix(text, "Run ") {
			s.BeginStep(Passed) // a job goes on after a step that passed
		}
		return true
	case "error":
		s.Fail()
		s.Add(Draft{Event: store.Event{Message: text, Category: store.CategoryCI}, Weight: githubWeight(text)})
		return true
	case "warning":
		s.Add(Draft{Event: store.Event{Severity: store.SeverityWarning, Message: text, Category: store.CategoryCI}})
		return true
	}
	return true
}

// githubWeight tells the runner's own remark on a failed step from an error
// that something in the step reported.
func githubWeight(text string) Weight {
	if strings.HasPrefix(text, "Process completed with exit code") || strings.HasPrefix(text, "The process '") {
		return Repeat
	}
	return Certain
}

// matchWorkflowCommand reads ::error file=a.c,line=1,col=2,title=x::message.
func matchWorkflowCommand(s *Scan, text string) bool {
	if strings.HasPrefix(text, "Post job cleanup.") || strings.HasPrefix(text, "Cleaning up orphan processes") {
		s.BeginStep(Passed)
		return true
	}
	rest, ok := strings.CutPrefix(text, "::")
	if !ok {
		return false
	}
	head, message, ok := strings.Cut(rest, "::")
	if !ok {
		return false
	}
	name, properties, _ := strings.Cut(head, " ")
	severity, ok := map[string]store.Severity{"error": store.SeverityError, "warning": store.SeverityWarning, "notice": store.SeverityInfo}[name]
	if !ok {
		return false
	}
	e := store.Event{Severity: severity, Message: unescapeCommand(message), Category: store.CategoryCI}
	for property := range strings.SplitSeq(properties, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(property), "=")
		value = unescapeCommand(value)
		switch key {
		case "file":
			e.File = value
		case "line":
			e.Line, _ = number(value)
		case "col":
			e.Column, _ = number(value)
		case "title":
			e.Code = value
		}
	}
	s.Add(Draft{Event: e})
	return true
}

var commandEscapes = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")

func unescapeCommand(s string) string { return commandEscapes.Replace(s) }
