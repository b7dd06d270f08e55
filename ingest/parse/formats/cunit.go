package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cunitFormat reads CUnit. A line names the test, and a numbered list has its failed assertions.
var cunitFormat = parse.Format{
	Name:     "cunit",
	About:    "CUnit of C",
	Triggers: []string{" ...FAILED", " had failures:", "WARNING - Suite "},
	Starts:   []string{"Suite: "},
	New:      func() parse.Matcher { return new(cunit).match },
}

// cunit keeps the name of the newest suite.
type cunit struct{ suite string }

func (c *cunit) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if suite, ok := strings.CutPrefix(text, "Suite: "); ok {
		c.suite = suite
		return false
	}
	if what, ok := strings.CutPrefix(text, "WARNING - Suite "); ok && strings.Contains(what, " failed for '") {
		s.Add(testDraft("", "Suite "+what))
		return true
	}
	name, ok := strings.CutPrefix(text, "Test: ")
	test, failed := strings.CutSuffix(name, " ...FAILED")
	suite := c.suite
	if !ok {
		name, ok = strings.CutPrefix(text, "Suite ")
		name, failed = strings.CutSuffix(name, " had failures:")
		suite, test, _ = strings.Cut(name, ", Test ")
	}
	if !ok || !failed || test == "" {
		return false
	}
	if suite != "" {
		test = suite + ": " + test
	}
	c.failed(s, testDraft(test, ""))
	return true
}

var cunitRow = parse.Lines{{Text: "{#}. {file}:{line}  - {message}", Category: store.CategoryTest}}

// failed reads the rows "1. t.c:2  - 1 + 1 == 3".
func (c *cunit) failed(s *parse.Scan, d parse.Draft) {
	added := s.Add(d)
	s.Block(parse.Rows(func(l parse.Line) bool {
		row, ok := cunitRow.Read(l.Text)
		if !ok {
			return false
		}
		if added.At(row.File, row.Line, 0); added.Message != "" {
			added.Message += "\n"
		}
		added.Message += row.Message
		added.Extend(l)
		return true
	}))
}
