package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// criterionFormat reads the output of Criterion. Criterion prints the failed assertions of a test before the test's
// name.
var criterionFormat = parse.Format{
	Name:   "criterion",
	About:  "Criterion of C",
	Starts: []string{"[----] ", "[FAIL] ", "[RUN ] ", "[PASS] ", "[====] "},
	New:    func() parse.Matcher { return new(criterion).match },
}

// criterion collects the report of the next failed test.
type criterion struct {
	at    parse.Place
	first int // line of the report, 0 for none
	words parse.Message
}

func (c *criterion) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch mark := text[:min(len(text), 6)]; mark {
	case "[----]":
		c.report(l, strings.TrimSpace(text[6:]))
		return c.first > 0
	case "[FAIL]":
		return c.failed(s, strings.TrimSpace(text[6:]))
	case "[====]":
		*c = criterion{}
		return strings.HasPrefix(text, "[====] Synthesis: ")
	}
	*c = criterion{}
	return false
}

// report reads a line above the name of a failed test: "t.c:4: Assertion Failed", and the words of the assertion.
func (c *criterion) report(l parse.Line, text string) {
	if p, what, ok := parse.PlaceAt(text); ok && c.first == 0 {
		c.at, c.first = p, l.N
		if what != "Assertion Failed" {
			c.words.Add(what)
		}
		return
	}
	if c.first > 0 && text != "" {
		c.words.Add(text)
	}
}

// failed reads the name of a failed test and how the test ended: "shop::adds: (0.00s)", "shop::crashes: CRASH!",
// "shop::slow: Timed out. (0.27s)".
func (c *criterion) failed(s *parse.Scan, text string) bool {
	test, how, ok := strings.Cut(text, ": ")
	if !ok || !strings.Contains(test, "::") || strings.Contains(test, " ") {
		return false
	}
	d := parse.Draft{Event: store.Event{Test: test, File: c.at.File, Line: c.at.Line, Message: c.words.String(),
		Category: store.CategoryTest}}
	if how, _, _ = strings.Cut(how, "("); d.Message == "" {
		d.Message = strings.TrimSpace(how)
	}
	if d.Message == "" {
		d.Message = "test failed"
	}
	if added := s.Add(d); c.first > 0 {
		added.LogLine = c.first
	}
	*c = criterion{}
	return true
}
