package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// swiftFormat reads the Swift compiler, SwiftLint, xcodebuild, xcpretty and Carthage.
var swiftFormat = parse.Format{
	Name:     "swift",
	About:    "Swift: swiftc, swift build, SwiftLint, xcodebuild, xcpretty, Carthage",
	Triggers: []string{".swift:", "<unknown>:0: error: ", "xcodebuild: error: ", "(in target '", "A shell task ("},
	Starts: []string{"❌", "⚠️ ", "** BUILD FAILED **", "** TEST FAILED **", "** ARCHIVE FAILED **",
		"** TEST BUILD FAILED **", "** BUILD INTERRUPTED **", "The following build commands failed:", "Testing failed:",
		"error: terminated(", "error: fatalError", "error: Exited with "},
	New: func() parse.Matcher { return new(swift).match },
}

// swift keeps the newest diagnostic, because notes may follow.
type swift struct{ last *parse.Draft }

func (w *swift) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	d := parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild, Tool: "xcodebuild"}}
	switch {
	case hasAnyPrefix(text, "** "), strings.HasPrefix(text, "error: terminated("), text == "error: fatalError":
		d.Weight, d.Rank, d.Message = parse.Repeat, parse.Mark, strings.Trim(text, "* ")
		s.Add(d)
		return true
	case strings.HasPrefix(text, "The following build commands failed:"):
		d.Weight = parse.Repeat
		block := s.Add(d)
		s.Block(parse.Below{Indent: 1, Join: " ", Parts: 3}.Block(block))
		return true
	case text == "Testing failed:":
		s.Block(parse.Rows(func(l parse.Line) bool { return testingFailed(s, l) }))
		return true
	case strings.HasPrefix(text, "xcodebuild: error: "):
		d.Message = text[len("xcodebuild: error: "):]
		d.Key = d.Message
		block := s.Reported(d.Tool, d.Key) // Swift repeats the message at each try
		if block != nil {
			return true
		}
		block = s.Add(d)
		s.Block(parse.Below{Indent: 1, Join: "\n", Parts: 3}.Block(block))
		return true
	case strings.HasPrefix(text, "error: ") &&
		(strings.Contains(text, "(in target '") || strings.HasPrefix(text, "error: Exited with ")):
		d.Message = text[len("error: "):]
		s.Add(d)
		return true
	case strings.HasPrefix(text, "A shell task (") && strings.Contains(text, " failed with exit code "):
		d.Weight, d.Tool = parse.Likely, "carthage"
		s.Add(d)
		return true
	case strings.HasPrefix(text, "❌"), strings.HasPrefix(text, "⚠️"):
		return w.pretty(s, text)
	case strings.HasPrefix(text, "<unknown>:0: error: "):
		d.Message, d.Tool, d.Category = text[len("<unknown>:0: error: "):], "swiftc", store.CategoryCompile
		s.Add(d)
		return true
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok || !strings.HasSuffix(p.File, ".swift") {
		return false
	}
	if message, ok := strings.CutPrefix(rest, "Fatal error: "); ok {
		s.Add(parse.Draft{Weight: parse.Died,
			Event: store.Event{File: p.File, Line: p.Line, Message: message, Category: store.CategoryRuntime}})
		return true
	}
	return w.diagnostic(s, l, p, rest)
}

// testingFailed reads the reasons why the tests could not be built or run. xcodebuild indents them below "Testing
// failed:". Most of them are repetitions of earlier lines.
func testingFailed(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if text == "" || !strings.HasPrefix(l.Text, "\t") {
		return false
	}
	s.Add(parse.Draft{Weight: parse.Repeat,
		Event: store.Event{Message: text, Category: store.CategoryBuild, Tool: "xcodebuild"}})
	return true
}

// diagnostic reads "error: message" after a place, and SwiftLint's "warning: Line Length Violation: …
// (line_length)".
func (w *swift) diagnostic(s *parse.Scan, l parse.Line, p parse.Place, rest string) bool {
	severity, message, ok := parse.SeverityAt(rest)
	if !ok {
		return false
	}
	if severity == store.SeverityInfo {
		if w.last != nil && l.N <= w.last.LogLineEnd+20 {
			w.last.Extend(l)
		}
		return true
	}
	w.add(s, severity, p, message)
	return true
}

func (w *swift) add(s *parse.Scan, severity store.Severity, p parse.Place, message string) {
	d := parse.Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column,
		Message: message, Tool: "swiftc", Category: store.CategoryCompile}}
	if i := strings.LastIndex(message, " ("); i > 0 && strings.Contains(message, " Violation: ") &&
		strings.HasSuffix(message, ")") {
		d.Tool, d.Category, d.Code, d.Message = "swiftlint", store.CategoryLint, message[i+2:len(message)-1], message[:i]
	}
	d.Key = message + "\x00" + p.File + "\x00" + positionKey(p)
	if old := s.Reported(d.Tool, d.Key); old != nil { // Swift repeats a finding for each module, and at the end
		return
	}
	w.last = s.Add(d)
	last, lines := w.last, 0
	s.Block(func(l parse.Line) parse.Verdict { // the source and the caret
		if lines++; lines > 40 || !isGutter(l.Text) && !parse.IsCaret(l.Text) && (lines > 1 || l.Indent() == 0) ||
			strings.TrimSpace(l.Text) == "" {
			return parse.Done
		}
		last.Extend(l)
		return parse.Take
	})
}

// pretty reads xcpretty's "❌  /x/A.swift:3:5: message" and "❌  message".
func (w *swift) pretty(s *parse.Scan, text string) bool {
	severity := store.SeverityError
	rest, ok := strings.CutPrefix(text, "❌")
	if !ok {
		severity, rest = store.SeverityWarning, strings.TrimPrefix(text, "⚠️")
	}
	rest = strings.TrimSpace(rest)
	if p, message, ok := parse.PlaceAt(rest); ok && message != "" {
		w.add(s, severity, p, message)
		return true
	}
	message, ok := cutAny(rest, "error: ", "ld: ", "clang: error: ")
	if !ok && !hasAnyPrefix(rest, "Undefined symbols", "duplicate symbol") || severity == store.SeverityWarning {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Message: message, Tool: "xcodebuild", Category: store.CategoryBuild}})
	s.Block(parse.Below{Starts: []string{"> "}, Join: "\n", Parts: 4}.Block(d))
	return true
}
