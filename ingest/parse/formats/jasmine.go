package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// jasmineFormat reads jasmine's list of failures: a number and the name of the spec, and then Message and Stack of each
// failed expectation. jasmine-node indents the list by two blanks.
var jasmineFormat = parse.Format{
	Name:   "jasmine",
	About:  "jasmine, and jasmine-node: failed specs and suites",
	Starts: []string{"Failures:", "Suite error: ", "Incomplete: "},
	Match:  matchJasmine,
}

func matchJasmine(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	b := &jasmineBlock{s: s}
	switch {
	case text == "Failures:":
	case strings.HasPrefix(text, "Suite error: "):
		b.begin(text[len("Suite error: "):])
	case text == "Incomplete: No specs found":
		s.Add(parse.Draft{Event: store.Event{Message: "No specs found", Category: store.CategoryTest}})
		return true
	default:
		return false
	}
	s.Block(b.line)
	return true
}

type jasmineBlock struct {
	s     *parse.Scan
	n     parse.Numbering
	d     *parse.Draft
	part  string
	msg   parse.Message
	trace jsTrace
}

func (b *jasmineBlock) begin(name string) {
	b.d = b.s.Add(parse.Draft{Event: store.Event{Tool: "jasmine", Category: store.CategoryTest, Test: name}})
	b.part, b.msg, b.trace = "", parse.Message{}, jsTrace{}
}

func (b *jasmineBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	if name, ok := b.n.Next(text); ok && (l.Indent() == 0 || b.n > 1 && l.Indent() == 2) {
		if strings.HasPrefix(name, "Scenario: ") { // printed by Cucumber
			return parse.Done
		}
		b.begin(name)
		return parse.Take
	}
	switch {
	case text == "":
		b.msg.Add("")
		return parse.Take
	case b.d == nil || l.Indent() == 0 && b.part != "Message:":
		return parse.Done
	case text == "Message:" || text == "Stack:" || text == "Stacktrace:":
		b.part = text
		b.msg.Break()
	case b.part == "":
		b.d.Merged = true // another tool's "1) x"
		return parse.Done
	case b.part != "Message:":
		b.trace.add(text)
		b.trace.tell(b.d)
	default:
		b.msg.Tell(b.d, text)
	}
	b.d.Extend(l)
	return parse.Take
}
