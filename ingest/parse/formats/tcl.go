package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// tclFormat reads failed tests of tcltest and of Redis, and errors of Tcl with their stack traces. A stack trace begins
// with the innermost call.
var tclFormat = parse.Format{
	Name:  "tcl",
	About: "Tcl and Expect: errors of scripts; tcltest, SQLite's and Redis' tests: failed tests",
	Starts: []string{"    while executing", "==== ", "couldn't read file \"", "Test file error: ", "[err]: ",
		"*** [err]: ", "! "},
	Lines: parse.Lines{
		{Text: "^! {test} expected: {message}", Tool: "testfixture", Category: store.CategoryTest,
			If:    func(d *parse.Draft) bool { return strings.HasPrefix(d.Message, "[") },
			Below: parse.Below{Lines: 1, Join: "\n"}.Pattern},
		{Text: "{?*** }[err]: {test} in {file:.tcl}", Category: store.CategoryTest, Once: true,
			Then: func(d *parse.Draft) { d.Key = d.Test }, Below: parse.Below{Lines: 1, Join: " "}.Pattern},
	},
	Match: matchTcl,
}

func matchTcl(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case text == "while executing":
		return tclError(s, l)
	case strings.HasPrefix(text, "couldn't read file \"") && strings.HasSuffix(text, "\": no such file or directory"):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryRuntime}})
		return true
	case strings.HasPrefix(text, "==== ") && strings.HasSuffix(text, " FAILED"):
		return tclTest(s, strings.TrimSuffix(text[len("==== "):], " FAILED"))
	}
	return false
}

// tclError reads the trace below the message. If a script was read from a file, the trace names the file below the
// script's calls.
func tclError(s *parse.Scan, l parse.Line) bool {
	message := before(s)
	if message == "" {
		return false
	}
	d := s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Message: message, Category: store.CategoryRuntime,
		LogLine: l.N - 1, LogLineEnd: l.N}})
	lines, placed := 0, false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if lines++; lines > 40 || text == "" || placed && text != "invoked from within" {
			return parse.Done
		}
		rest, file := strings.CutPrefix(text, "(file \"")
		if name, line, ok := strings.Cut(rest, "\" line "); file && ok {
			n, _ := parse.Number(line)
			d.At(name, n, 0)
		}
		placed = file
		d.Extend(l)
		return parse.Take
	})
	return true
}

// tclTest reads a failed test, from "==== name description FAILED" to "==== name FAILED".
func tclTest(s *parse.Scan, text string) bool {
	name, _, ok := strings.Cut(text, " ")
	if !ok {
		return false
	}
	var d *parse.Draft
	words := parse.Message{Between: " "}
	at, said := s.LineNumber(), false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		rest, heading := strings.CutPrefix(text, "---- ")
		switch {
		case d == nil && (heading || text == "==== Contents of test case:"):
			d = s.Add(parse.Draft{Event: store.Event{Test: name, Message: "test failed", Category: store.CategoryTest,
				LogLine: at}})
		case d == nil, l.N > at+200: // the lines belong to another tool
			return parse.Done
		}
		d.Extend(l)
		if text == "==== "+name+" FAILED" {
			return parse.Last
		}
		if said = said || heading; heading && strings.HasPrefix(rest, "errorCode:") {
			words.End()
		} else if said && text != "" {
			words.Tell(d, rest)
		}
		return parse.Take
	})
	return false // without the lines below, the line is a mark of another runner
}
