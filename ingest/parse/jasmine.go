package parse

import (
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// jasmineFormat reads jasmine's list of failures: a number and the spec's
// name, then Message and Stack for each expectation that failed.
var jasmineFormat = Format{
	Name:   "jasmine",
	About:  "jasmine: failed specs and suites",
	Starts: []string{"Failures:", "Suite error: ", "Incomplete: "},
	New:    stateless(matchJasmine),
}

func matchJasmine(s *Scan, l Line) bool {
	text := l.Trim()
	b := &jasmineBlock{s: s, n: 1}
	switch {
	case text == "Failures:":
	case strings.HasPrefix(text, "Suite error: "):
		b.begin(text[len("Suite error: "):])
	default:
		return false
	}
	s.Block(b.line)
	return true
}

type jasmineBlock struct {
	s     *Scan
	n     int // the number that comes next
	d     *Draft
	part  string
	msg   messageLines
	trace jsTrace
}

func (b *jasmineBlock) begin(name string) {
	b.d = b.s.Add(Draft{Event: store.Event{Category: store.CategoryTest, Test: name}})
	b.part, b.msg, b.trace = "", messageLines{}, jsTrace{}
}

func (b *jasmineBlock) line(l Line) Verdict {
	text := l.Trim()
	if name, ok := strings.CutPrefix(l.Text, strconv.Itoa(b.n)+") "); ok {
		if strings.HasPrefix(name, "Scenario: ") { // of Cucumber
			return Done
		}
		b.n++
		b.begin(name)
		return Take
	}
	switch {
	case text == "":
		b.msg.add("")
		return Take
	case b.d == nil || l.Indent() == 0 && b.part != "Message:":
		return Done
	case text == "Message:" || text == "Stack:":
		b.part = text
		b.msg.ended = b.msg.ended || len(b.msg.lines) > 0
	case b.part == "":
		b.d.merged = true // "1) x" of something else
		return Done
	case b.part == "Stack:":
		b.trace.add(text)
		if p := b.trace.place(); p.File != "" {
			b.d.File, b.d.Line, b.d.Column = p.File, p.Line, p.Column
		}
	default:
		b.msg.add(text)
		b.d.Message = b.msg.String()
	}
	b.d.Extend(l)
	return Take
}
