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
	Triggers: []string{"::error", "::warning", "::notice", "Error: Process completed with exit code "},
	Starts:   []string{"Post job cleanup.", "Cleaning up orphan processes", "Evaluate and set job outputs", "Error: The process '", "Error: The operation was canceled"},
	Levels:   true,
	New:      stateless(matchGitHub),
}

func matchGitHub(s *Scan, l Line) bool {
	text := l.Trim()
	switch l.Level {
	case "":
		if strings.HasPrefix(text, "Error: ") { // a log copied from the page has "Error: " for ##[error]
			s.Fail()
			s.Add(githubError(text))
			return true
		}
		return matchWorkflowCommand(s, text)
	case "group":
		if title, ok := strings.CutPrefix(text, "Run "); ok {
			s.Block(stepHeader(s, title))
		}
		return true
	case "error":
		s.Fail()
		s.step.noLastWords = s.step.noLastWords || strings.HasPrefix(text, "The operation was canceled")
		s.Add(githubError(text))
		return true
	case "warning":
		s.Add(Draft{Event: store.Event{Severity: store.SeverityWarning, Message: text, Category: store.CategoryCI}})
		return true
	}
	return true
}

// stepHeader reads what the runner prints before a step: its script, inputs,
// shell and environment. Tools print groups of their own that begin with
// "Run"; the runner's are known by their first line.
func stepHeader(s *Scan, title string) func(Line) Verdict {
	return func(l Line) Verdict {
		text := l.Trim()
		switch {
		case l.Level == "endgroup", text == "with:", text == "env:", strings.HasPrefix(text, "shell: "), text == strings.TrimSpace(title):
			s.BeginStep(Passed) // a job goes on after a step that passed
			if l.Level == "endgroup" {
				return Last
			}
			s.Block(stepHeaderRest)
			return Take
		}
		return Done
	}
}

func stepHeaderRest(l Line) Verdict {
	if l.Level == "endgroup" {
		return Last
	}
	return Take
}

// exitRemarks are the runner's own words on a step that failed.
var exitRemarks = []string{"Process completed with exit code", "The process '", "The operation was canceled", "exited with code '", "failed with exit code", "exited with status", "build failed: http"}

// githubError tells the runner's remark on a failed step from an error that
// something in the step reported.
func githubError(text string) Draft {
	d := Draft{Event: store.Event{Message: strings.TrimPrefix(text, "Error: "), Category: store.CategoryCI}}
	for _, w := range exitRemarks {
		if strings.Contains(text, w) {
			d.Weight = Repeat
		}
	}
	return d
}

// matchWorkflowCommand reads ::error file=a.c,line=1,col=2,title=x::message.
func matchWorkflowCommand(s *Scan, text string) bool {
	if strings.HasPrefix(text, "Post job cleanup.") || strings.HasPrefix(text, "Cleaning up orphan processes") || strings.HasPrefix(text, "Evaluate and set job outputs") {
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
