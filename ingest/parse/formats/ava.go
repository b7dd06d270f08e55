package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// avaFormat reads AVA's uncaught exceptions, and its details of failed tests. They stand between two rulers: title,
// place, code excerpt, reason and stack.
var avaFormat = parse.Format{
	Name:  "ava",
	About: "AVA: failed tests, uncaught exceptions",
	Triggers: []string{
		"Uncaught exception in ", "Unhandled rejection in ", "exited with a non-zero exit code",
		"No tests found in ",
	},
	Starts: []string{"  ─"},
	Match:  matchAVA,
}

func matchAVA(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	b := &avaBlock{s: s, blank: 3}
	switch {
	case text == "─":
	case hasAnyPrefix(text, "Uncaught exception in ", "Unhandled rejection in ") && l.Indent() == 2:
		file := text[strings.Index(text, " in ")+4:]
		b.d = s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest, Message: text, File: file}})
		b.crash, b.blank = true, 0
	case hasAnyPrefix(text, "✘ ", "✖ ") && strings.Contains(text, " exited with a non-zero exit code"),
		hasAnyPrefix(text, "✘ No tests found in ", "✖ No tests found in "):
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Category: store.CategoryTest, Message: strings.TrimLeft(text, "✘✖ ")}})
		return true
	default:
		return false
	}
	s.Block(b.line)
	return true
}

type avaBlock struct {
	s     *parse.Scan
	d     *parse.Draft
	title string
	at    int // line of the title
	blank parse.Blanks
	crash bool
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
	case blank >= 3 && l.Indent() == 2:
		if _, n := parse.Number(text); n > 0 && n < len(text) && text[n] == ' ' {
			return parse.Done // "1 test passed"
		}
		b.title, b.at, b.d, b.msg, b.trace = text, l.N, nil, parse.Message{}, jsTrace{}
		return parse.Take
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
	if b.trace.add(frame) || isFrame {
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
