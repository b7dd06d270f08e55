package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// testcafeFormat reads the spec and list reporters of TestCafe. Below a failed test, these reporters print its errors:
// "1) message", the browser, a source excerpt and a stack trace.
var testcafeFormat = parse.Format{
	Name:   "testcafe",
	About:  "TestCafe: failed tests",
	Starts: []string{" Running tests in:", " ✖ "},
	New:    func() parse.Matcher { return new(testcafe).match },
}

type testcafe struct{ runs bool }

func (t *testcafe) match(s *parse.Scan, l parse.Line) bool {
	name, failed := strings.CutPrefix(l.Text, " ✖ ")
	if !failed {
		t.runs = true
		return false
	}
	if t.runs {
		name, _, _ = strings.Cut(strings.TrimSpace(name), " (screenshot")
		s.Block((&testcafeBlock{s: s, test: name, at: l.N}).line)
	}
	return t.runs
}

// testcafeBlock reads the errors of a test.
type testcafeBlock struct {
	s     *parse.Scan
	test  string
	at    int // line with the name of the test
	d     *parse.Draft
	msg   parse.Message
	trace jsTrace
	n     parse.Numbering
}

func (b *testcafeBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	message, first := b.n.Next(text)
	selector, isSelector := strings.CutPrefix(text, "> | ") // the selector that matches nothing
	switch {
	case text == "":
		b.msg.Add("")
		return parse.Take
	case l.Indent() < 3:
		return parse.Done
	case first && l.Indent() == 3:
		b.d = b.s.Add(parse.Draft{Event: store.Event{Test: b.test, Category: store.CategoryTest, LogLine: b.at}})
		b.msg, b.trace = parse.Message{}, jsTrace{}
		b.msg.Tell(b.d, message)
		b.at = l.N
	case b.d == nil:
		return parse.Done
	case b.trace.add(text):
		b.trace.tell(b.d)
	case isSelector:
		b.msg.More(selector)
		b.d.Message = b.msg.String()
	case isCodeFrame(text), hasAnyPrefix(text, "Browser: ", "+ expected - actual"):
		b.msg.End()
	default:
		b.msg.Tell(b.d, text)
	}
	b.d.Extend(l)
	return parse.Take
}
