package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/workflowcommand"
	"github.com/blq-ci/blq/store"
)

// githubFormat reads GitHub's own lines: the steps of a downloaded log, and the workflow commands that a step prints
// (::error file=…::message).
var githubFormat = parse.Format{
	Name:     "github",
	About:    "GitHub Actions: workflow commands, and the steps of downloaded logs",
	Triggers: []string{"::error", "::warning", "::notice", "stop-commands", "Error: Process completed with exit code "},
	Starts: []string{
		"::", "Post job cleanup.", "Cleaning up orphan processes", "Evaluate and set job outputs", "Error: The process '",
		"Error: The operation was canceled",
	},
	Ends:   []string{"Post job cleanup.", "Cleaning up orphan processes", "Process completed with exit code "},
	Levels: true,
	New: func() parse.Matcher {
		g := &github{}
		return g.match
	},
}

// github is the format's state in a lane.
type github struct {
	gate   workflowcommand.Gate
	step   int // number of the current step in the log
	docker int // the step that runs an action's container, 0 for none
}

// match reads a line. If the step has stopped workflow commands, a workflow command in its output is only text. In a
// downloaded log, lines that the runner itself writes still count.
func (g *github) match(s *parse.Scan, l parse.Line) bool {
	if s.Step() != g.step {
		g.gate.Reset()
		g.step = s.Step()
	}
	stopped := g.gate.Stopped()
	switch {
	case l.Level == "" && g.gate.Line(l.Text):
		return true
	case stopped && l.Level == "other": // may be ##[TOKEN]
		g.gate.Reset()
	case stopped && (l.Level == "" && strings.HasPrefix(l.Trim(), "::") || g.quotes(s, l)):
		return true
	}
	return g.own(s, l)
}

// quotes reports whether the step itself printed a line that looks like a line of the runner. In a downloaded log, the
// runner writes such lines. A downloaded log has headers of steps, so a step after the first header is not step 1.
func (g *github) quotes(s *parse.Scan, l parse.Line) bool {
	return l.Level != "" && l.Level != "group" && s.Step() == 1
}

// own reads a line of the runner, or a workflow command.
func (g *github) own(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch l.Level {
	case "":
		if hasAnyPrefix(text, "Post job cleanup.", "Evaluate and set job outputs", "Cleaning up orphan processes") {
			g.endMain(s, text)
			return true
		}
		if strings.HasPrefix(text, "Error: ") { // in a log copied from the page, ##[error] is "Error: "
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
		if strings.HasPrefix(text, "The operation was canceled") {
			s.NoLastWords()
		}
		s.Add(githubError(text))
		return true
	case "command":
		if strings.HasPrefix(text, "/usr/bin/docker run --name ") {
			g.docker = s.Step()
		}
	case "warning":
		s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: text, Category: store.CategoryCI}})
	}
	return true
}

// endMain ends the last step of a job before its cleanup steps. The runner prints no error if an action's container
// fails. Therefore the outcome of such a step is unknown.
func (g *github) endMain(s *parse.Scan, text string) {
	o := parse.Passed
	if g.docker == s.Step() && !s.JobFailed() {
		o = parse.Unknown
	}
	s.BeginStep(o)
	if strings.HasPrefix(text, "Cleaning up") {
		s.EndJob()
	}
}

// stepHeader reads the lines that the runner prints before a step: script, inputs, shell and environment. Some tools
// print groups that begin with "Run", too. The first line of a group distinguishes the runner's groups from theirs.
func stepHeader(s *parse.Scan, title string) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case l.Level == "endgroup", text == "with:", text == "env:", strings.HasPrefix(text, "shell: "),
			text == strings.TrimSpace(title):
			s.BeginStep(parse.Passed) // a job goes on only after a step that passed
			if text != strings.TrimSpace(title) && !strings.HasPrefix(text, "shell: ") {
				s.FailsBySaying() // an action; only scripts have an exit code
			}
			if l.Level == "endgroup" {
				return parse.Last
			}
			s.Block(stepHeaderRest)
			return parse.Take
		}
		return parse.Done
	}
}

func stepHeaderRest(l parse.Line) parse.Verdict {
	if l.Level == "endgroup" {
		return parse.Last
	}
	return parse.Take
}

// exitRemarks are parts of the runner's own messages about a failed step.
var exitRemarks = []string{"Process completed with exit code", "The process '", "The operation was canceled",
	"exited with code ", "exit with code ", "failed with exit code", "exited with status", "Command failed: ",
	"build failed: http", "task: Failed to run task ", "task: precondition not met",
	"Failed to initialize container ", "One or more containers failed to start", "issues found"}

// githubError returns the draft for an error line. It distinguishes the runner's message about a failed step from an
// error that the step reported.
func githubError(text string) parse.Draft {
	d := parse.Draft{Event: store.Event{Message: strings.TrimPrefix(text, "Error: "), Category: store.CategoryCI}}
	for _, w := range exitRemarks {
		if strings.Contains(text, w) {
			d.Weight = parse.Repeat
		}
	}
	if strings.HasSuffix(text, "exit code 137.") { // the process was killed, usually for lack of memory
		d.Weight = parse.Died
	}
	return d
}

// matchWorkflowCommand reads ::error file=a.c,line=1,col=2,title=x::message.
func matchWorkflowCommand(s *parse.Scan, text string) bool {
	rest, ok := strings.CutPrefix(text, "::")
	if !ok {
		return false
	}
	head, message, ok := strings.Cut(rest, "::")
	if !ok {
		return false
	}
	name, properties, _ := strings.Cut(head, " ")
	severity, ok := map[string]store.Severity{"error": store.SeverityError, "warning": store.SeverityWarning,
		"notice": store.SeverityInfo}[name]
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
			e.Line, _ = parse.Number(value)
		case "col", "column":
			e.Column, _ = parse.Number(value)
		case "title":
			e.Code = value
		}
	}
	nameAnnotatedTest(&e)
	d := parse.Draft{Event: e}
	if e.File == "" && strings.HasPrefix(e.Message, "task: ") { // Task repeats its last line
		d.Weight = githubError(e.Message).Weight
	}
	s.Add(d)
	return true
}

// nameAnnotatedTest reads the title with which Vitest names a failed test: "test/a.test.js > suite > test". The title
// of a file that could not be loaded is the name of the file.
func nameAnnotatedTest(e *store.Event) {
	file, test, named := strings.Cut(e.Code, " > ")
	if e.Severity == store.SeverityError && isJSFile(file) && strings.HasSuffix(e.File, file) &&
		(named || looksLikeTest(file)) {
		e.Tool, e.Code, e.Test, e.Category = "vitest", "", test, store.CategoryTest
		e.Message = firstLines(e.Message)
	}
}

var commandEscapes = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")

func unescapeCommand(s string) string { return commandEscapes.Replace(s) }
