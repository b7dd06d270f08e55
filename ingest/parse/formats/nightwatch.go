package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// nightwatchFormat reads the summary of Nightwatch: "TEST FAILURE", and then the failed files. Each file is followed by
// its failed tests and their failures.
var nightwatchFormat = parse.Format{
	Name:     "nightwatch",
	About:    "Nightwatch: failed tests",
	Triggers: []string{"TEST FAILURE"},
	Match:    matchNightwatch,
}

func matchNightwatch(s *parse.Scan, l parse.Line) bool {
	text := strings.TrimLeft(l.Trim(), "\ufe0f_ ")
	if !hasAnyPrefix(text, "TEST FAILURE (", "TEST FAILURE:") {
		return false
	}
	s.Block((&nightwatchBlock{s: s}).line)
	return true
}

type nightwatchBlock struct {
	s     *parse.Scan
	suite bool
	test  string
	d     *parse.Draft
	msg   parse.Message
	trace jsTrace
	place bool // the next line is the place of the failure
}

func (b *nightwatchBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	name, isTest := strings.CutPrefix(text, "– ")
	switch {
	case text == "":
		b.msg.Add("")
		return parse.Take
	case l.Indent() == 0:
		return parse.Done
	case hasAnyPrefix(text, "✖ "):
		b.suite, b.d = true, nil
		return parse.Take
	case !b.suite: // totals: "- 1 assertions failed; 0 passed"
		return parse.Pass
	case isTest:
		b.test, b.d = cutDuration(name), nil
		return parse.Take
	case hasAnyPrefix(text, "SKIPPED", "- OTHER ERRORS:"):
		b.test, b.d = "", nil
		return parse.Take
	case b.test == "":
		return parse.Take
	case b.d == nil || strings.HasPrefix(text, "→ ✖ ") || b.trace.seen && isNodeError(text):
		b.begin(l, text)
	default:
		b.words(text)
	}
	b.d.Extend(l)
	return parse.Take
}

// begin begins a failure. A test may have several. The first line has the class of the error, or the message.
func (b *nightwatchBlock) begin(l parse.Line, text string) {
	b.d = b.s.Add(parse.Draft{Event: store.Event{Test: b.test, Category: store.CategoryTest, LogLine: l.N}})
	b.msg, b.trace, b.place = parse.Message{}, jsTrace{}, false
	class := strings.TrimPrefix(text, "→ ✖ ")
	if class != "NightwatchAssertError" && class != "Error" {
		b.msg.Tell(b.d, class)
	}
}

func (b *nightwatchBlock) words(text string) {
	p, ok := jsPlace(text)
	switch {
	case text == "Error location:":
		b.place = true
		b.msg.End()
	case b.place && ok:
		b.d.File, b.d.Line = p.File, p.Line
		b.place = false
	case b.trace.add(text):
		b.msg.End()
		if b.d.File == "" {
			b.trace.tell(b.d)
		}
	default:
		b.msg.Tell(b.d, cutDuration(text))
	}
}

func isNodeError(text string) bool {
	_, ok := nodeError(text)
	return ok
}
