package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// nodeTestFormat reads the list of failed tests at the end of node --test, in the output of the spec and dot reporters.
var nodeTestFormat = parse.Format{
	Name:     "node-test",
	About:    "node --test: failing tests of the spec and dot reporters",
	Triggers: []string{"✖ failing tests:"},
	Starts:   []string{"Failed tests:"},
	Match:    matchNodeTest,
}

func matchNodeTest(s *parse.Scan, l parse.Line) bool {
	if text := l.Trim(); text != "✖ failing tests:" && text != "Failed tests:" {
		return false
	}
	b := &nodeTestBlock{s: s}
	s.Block(b.line)
	return true
}

type nodeTestBlock struct {
	s     *parse.Scan
	at    parse.Place // place in "test at file:line:column"
	d     *parse.Draft
	msg   parse.Message
	trace jsTrace
}

func (b *nodeTestBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case text == "":
		b.msg.Add("")
		return parse.Take
	case strings.HasPrefix(l.Text, "test at "):
		b.d = nil
		b.at, _ = jsPlace(text[len("test at "):])
		return parse.Take
	case strings.HasPrefix(l.Text, "✖ "):
		b.begin(text[len("✖ "):])
		return parse.Take
	case l.Indent() < 2:
		return parse.Done
	case b.d == nil:
		return parse.Take
	case b.trace.add(text):
		b.msg.End()
		if p := b.trace.place(); p.File != "" && (b.d.File == "" || strings.HasSuffix(p.File, b.d.File)) {
			b.d.File, b.d.Line, b.d.Column = p.File, p.Line, p.Column
		}
	case !b.trace.seen:
		b.msg.Add(text)
		b.d.Message = strings.Trim(b.msg.String(), "'")
	}
	b.d.Extend(l)
	return parse.Take
}

func (b *nodeTestBlock) begin(name string) {
	name, directive := cutDirective(name)
	b.d, b.msg, b.trace = nil, parse.Message{}, jsTrace{}
	if directive == "" {
		b.d = b.s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest, Test: cutDuration(name), File: b.at.File,
			Line: b.at.Line, Column: b.at.Column}})
	}
	b.at = parse.Place{}
}
