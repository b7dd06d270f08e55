package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// avaFormat reads AVA's account of failed tests, which stands between two
// rules: title, place, excerpt, reason, stack.
var avaFormat = Format{
	Name:     "ava",
	About:    "AVA: failed tests, uncaught exceptions",
	Triggers: []string{"Uncaught exception in ", "Unhandled rejection in ", "exited with a non-zero exit code", "No tests found in "},
	Starts:   []string{"  ─"},
	New:      stateless(matchAVA),
}

func matchAVA(s *Scan, l Line) bool {
	text := l.Trim()
	b := &avaBlock{s: s, blank: 3}
	switch {
	case text == "─":
	case hasAnyPrefix(text, "Uncaught exception in ", "Unhandled rejection in ") && l.Indent() == 2:
		file := text[strings.Index(text, " in ")+4:]
		b.d = s.Add(Draft{Event: store.Event{Category: store.CategoryTest, Message: text, File: file}})
		b.crash, b.blank = true, 0
	case hasAnyPrefix(text, "✘ ", "✖ ") && strings.Contains(text, " exited with a non-zero exit code"), hasAnyPrefix(text, "✘ No tests found in ", "✖ No tests found in "):
		s.Add(Draft{Weight: Repeat, Event: store.Event{Category: store.CategoryTest, Message: strings.TrimLeft(text, "✘✖ ")}})
		return true
	default:
		return false
	}
	s.Block(b.line)
	return true
}

type avaBlock struct {
	s     *Scan
	d     *Draft
	title string
	at    int // line of the title
	blank int // blank lines in a row
	crash bool
	msg   messageLines
	trace jsTrace
}

func (b *avaBlock) line(l Line) Verdict {
	text := l.Trim()
	if text == "" {
		b.blank++
		b.msg.add("")
		return Take
	}
	blank := b.blank
	b.blank = 0
	switch {
	case text == "─", hasAnyPrefix(text, "✘ ", "✔ ", "✖ "), l.Indent() < 2 && !b.trace.seen:
		return Done
	case blank >= 3 && l.Indent() == 2:
		if _, n := number(text); n > 0 && n < len(text) && text[n] == ' ' {
			return Done // "1 test passed"
		}
		b.title, b.at, b.d, b.msg, b.trace = text, l.N, nil, messageLines{}, jsTrace{}
		return Take
	case b.d == nil && b.title != "":
		b.d = b.s.Add(Draft{Event: store.Event{Category: store.CategoryTest, Test: b.title, LogLine: b.at}})
	case b.d == nil:
		return Done
	}
	b.body(text)
	b.d.Extend(l)
	return Take
}

func (b *avaBlock) body(text string) {
	if p, ok := jsPlace(text); ok && p.Column == 0 && b.d.Line == 0 && isFileName(p.File) {
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
		b.msg.ended = true
		if p := b.trace.place(); p.File != "" && (b.d.File == "" || p.File == b.d.File || strings.HasSuffix(p.File, "/"+b.d.File)) {
			b.d.File, b.d.Line, b.d.Column = p.File, p.Line, p.Column
		}
		return
	}
	if _, n := number(text); n > 0 && n < len(text) && text[n] == ':' {
		return // the excerpt
	}
	if b.trace.seen && !b.crash {
		return
	}
	b.msg.add(text)
	b.d.Message = b.msg.String()
}
