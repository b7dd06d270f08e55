package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// nodeTestFormat reads the list of failed tests at the end of node --test,
// which the spec and dot reporters print.
var nodeTestFormat = Format{
	Name:     "node-test",
	About:    "node --test: failing tests of the spec and dot reporters",
	Triggers: []string{"✖ failing tests:"},
	Starts:   []string{"Failed tests:"},
	New:      stateless(matchNodeTest),
}

func matchNodeTest(s *Scan, l Line) bool {
	if text := l.Trim(); text != "✖ failing tests:" && text != "Failed tests:" {
		return false
	}
	b := &nodeTestBlock{s: s}
	s.Block(b.line)
	return true
}

type nodeTestBlock struct {
	s     *Scan
	at    place // from "test at file:line:column"
	d     *Draft
	msg   messageLines
	trace jsTrace
}

func (b *nodeTestBlock) line(l Line) Verdict {
	text := l.Trim()
	switch {
	case text == "":
		b.msg.add("")
		return Take
	case strings.HasPrefix(l.Text, "test at "):
		b.d = nil
		b.at, _ = jsPlace(text[len("test at "):])
		return Take
	case strings.HasPrefix(l.Text, "✖ "):
		b.begin(text[len("✖ "):])
		return Take
	case l.Indent() < 2:
		return Done
	case b.d == nil:
		return Take
	case b.trace.add(text):
		b.msg.ended = true
		if p := b.trace.place(); p.File != "" && (b.d.File == "" || strings.HasSuffix(p.File, b.d.File)) {
			b.d.File, b.d.Line, b.d.Column = p.File, p.Line, p.Column
		}
	case !b.trace.seen:
		b.msg.add(text)
		b.d.Message = strings.Trim(b.msg.String(), "'")
	}
	b.d.Extend(l)
	return Take
}

func (b *nodeTestBlock) begin(name string) {
	name, directive := cutDirective(name)
	b.d, b.msg, b.trace = nil, messageLines{}, jsTrace{}
	if directive == "" {
		b.d = b.s.Add(Draft{Event: store.Event{Category: store.CategoryTest, Test: cutDuration(name), File: b.at.File, Line: b.at.Line, Column: b.at.Column}})
	}
	b.at = place{}
}
