package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// avaFormat reads AVA's uncaught exceptions, and its details of failed tests: title, place, code excerpt, reason and
// stack. The details are between two rulers. Before version 1 they are below the number of failed tests.
var avaFormat = parse.Format{
	Name:  "ava",
	About: "AVA: failed tests, uncaught exceptions",
	Triggers: append(eachDigit("", " failed"), "Uncaught exception in ", "Unhandled rejection in ",
		"exited with a non-zero exit code", "xiting due to process.exit() when running ",
		"No tests found in ", " tests failed", " test failed",
		"Timed out while running tests", "but did not match the filters:"),
	Starts: []string{"  ─"},
	Match:  matchAVA,
}

func matchAVA(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	b := &avaBlock{s: s, blank: 3}
	if text == "─" {
		s.Block(b.line)
		return true
	}
	if oldAVATotal(l) {
		b.old, b.blank = true, 0
		s.Block(b.line)
		return false
	}
	message := strings.TrimLeft(text, "✘✖ ")
	isMarked := message != text
	_, exited, isExit := strings.Cut(message, "xiting due to process.exit() when running ")
	d := parse.Draft{Event: store.Event{Category: store.CategoryTest, Message: message, File: exited}}
	lists := false
	switch {
	case hasAnyPrefix(text, "Uncaught exception in ", "Unhandled rejection in ") && l.Indent() == 2:
		_, d.File, _ = strings.Cut(text, " in ")
		b.crash = true
	case !isMarked:
		return false
	case isExit:
		b.crash = true
	case strings.HasPrefix(message, "No tests found in "):
		d.File, _, _ = strings.Cut(message[len("No tests found in "):], ", ")
	case strings.Contains(message, " exited with a non-zero exit code"):
		d.Weight = parse.Repeat
	case strings.HasPrefix(message, "Timed out while running tests"),
		strings.HasSuffix(message, "but did not match the filters:"):
		lists = true
	default:
		return false
	}
	added := s.Add(d)
	if b.crash {
		b.d, b.blank = added, 0
		s.Block(b.line)
	} else if lists {
		s.Block(avaItems(added))
	}
	return true
}

// avaItems reads the list below a message: "◌ title" of each test that did not end, or "* a.js" of each filter.
func avaItems(d *parse.Draft) func(parse.Line) parse.Verdict {
	lines := 0
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch lines++; {
		case text == "" || lines > 20:
		case hasAnyPrefix(text, "◌ ", "* ") && len(d.Message) < parse.MaxText:
			d.Message += "\n" + text
			d.Extend(l)
		case !strings.Contains(text, " tests were pending in "):
			return parse.Done
		}
		return parse.Take
	}
}

// oldAVATotal reports whether a line is the number of failed tests, as AVA printed it before version 1:
// "  3 tests failed [12:00:01]" or "   3 failed".
func oldAVATotal(l parse.Line) bool {
	indent := l.Indent()
	if indent != 2 && indent != 3 || len(l.Text) > 40 {
		return false
	}
	_, n := parse.Number(l.Text[indent:])
	rest, ok := cutAny(l.Text[indent+n:], " tests failed", " test failed", " failed")
	rest = strings.TrimRight(rest, " ")
	return ok && n > 0 && (rest == "" || hasAnyPrefix(rest, " [") && hasAnySuffix(rest, "]"))
}

// avaTitle reads the title of a failed test. In early versions a number precedes it. isFirst says that no other
// title is between the line and the number of failed tests.
func avaTitle(l parse.Line, blank int, isFirst bool) (title string, ok bool) {
	text, indent := l.Trim(), l.Indent()
	_, n := parse.Number(text)
	if title, ok = strings.CutPrefix(text[n:], ". "); ok && n > 0 && blank >= 2 && indent <= 3 {
		return title, true
	}
	if strings.HasPrefix(text, "Failed Tests:") { // printed by tap-dot
		return "", false
	}
	return text, indent == 2 && (blank >= 3 || isFirst && blank == 1)
}

type avaBlock struct {
	s     *parse.Scan
	d     *parse.Draft
	title string
	at    int // line of the title
	blank parse.Blanks
	crash bool
	old   bool // printed before version 1
	msg   parse.Message
	trace jsTrace
}

func (b *avaBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	blank, empty := b.blank.Line(text)
	switch {
	case empty:
		b.msg.Add("")
		return parse.Take
	case text == "─", hasAnyPrefix(text, "✘ ", "✔ ", "✖ "), l.Indent() < 2 && !b.trace.seen:
		return parse.Done
	}
	fresh := b.old && b.title == "" // the line below the total
	_, isError := nodeError(text)
	if title, ok := avaTitle(l, blank, fresh); ok && !(b.crash && isError) {
		if _, n := parse.Number(text); n > 0 && n < len(text) && text[n] == ' ' {
			return parse.Done // "1 test passed"
		}
		b.title, b.at, b.d, b.msg, b.trace = title, l.N, nil, parse.Message{}, jsTrace{}
		return parse.Take
	}
	switch {
	case fresh && blank == 0:
		return parse.Done
	case b.d == nil && b.title != "":
		b.d = b.s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest, Test: b.title, LogLine: b.at}})
	case b.d == nil:
		return parse.Done
	}
	b.body(text)
	b.d.Extend(l)
	return parse.Take
}

func (b *avaBlock) body(text string) {
	if p, ok := jsPlace(text); ok && p.Column == 0 && b.d.Line == 0 && parse.IsFileName(p.File) {
		b.d.File, b.d.Line = p.File, p.Line
		return
	}
	frame, isFrame := strings.CutPrefix(text, "› ")
	if isFrame {
		frame = "at " + frame
	} else {
		frame = text
	}
	if b.trace.add(frame) || isFrame || b.old && strings.HasSuffix(text, ")") && b.trace.add("at "+text) {
		b.msg.End()
		if b.d.File == "" || isSameFile(b.trace.place().File, b.d.File) {
			b.trace.tell(b.d)
		}
		return
	}
	if _, n := parse.Number(text); n > 0 && n < len(text) && text[n] == ':' {
		return // the code excerpt
	}
	if b.trace.seen && !b.crash {
		return
	}
	b.msg.Tell(b.d, text)
}
