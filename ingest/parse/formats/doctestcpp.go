package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// doctestCppFormat reads the console output of doctest, the C++ framework.
var doctestCppFormat = parse.Format{
	Name:     "doctest-cpp",
	About:    "doctest, the C++ test framework",
	Triggers: []string{": ERROR: ", ": FATAL ERROR: ", ": WARNING: "},
	Starts: []string{
		"TEST CASE:  ", "TEST SUITE: ", "DEEPEST SUBCASE STACK", "Failed as expected so marking",
		"Allowed to fail so marking", "Should have failed but didn't",
	},
	New: func() parse.Matcher { return new(doctestCpp).match },
}

type doctestCpp struct {
	test    string
	isBegun bool // a line with TEST CASE was read
}

func (t *doctestCpp) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if name, ok := strings.CutPrefix(text, "TEST CASE:  "); ok {
		t.test, t.isBegun = strings.TrimSpace(name), true
		return true
	}
	if strings.HasPrefix(text, "TEST SUITE: ") || strings.HasPrefix(text, "DEEPEST SUBCASE STACK") {
		return t.isBegun
	}
	if !t.isBegun {
		return false
	}
	switch {
	case strings.HasSuffix(text, "so marking it as not failed"):
		if d := s.Reported("doctest", t.test); d != nil {
			d.Merged = true
		}
		return true
	case strings.HasPrefix(text, "Should have failed but didn't"):
		s.Add(parse.Draft{Event: store.Event{Message: text, Test: t.test, Tool: "doctest", Category: store.CategoryTest},
			Key: t.test})
		return true
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok || !isCSource(p.File) {
		return false
	}
	word, message, ok := strings.Cut(rest, ": ")
	if !ok || word != "ERROR" && word != "FATAL ERROR" && word != "WARNING" {
		return false
	}
	d := parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Message: message, Test: t.test, Tool: "doctest",
		Category: store.CategoryTest}, Key: t.test}
	if word == "WARNING" {
		d.Severity, d.Key = store.SeverityWarning, ""
	} else if s.Reported("doctest", t.test) != nil {
		d.Rank = parse.Mark // the first failed assertion represents the test
	}
	s.Block(doctestCppDetail.Block(s.Add(d)))
	return true
}

// doctestCppDetail reads the values and messages of an assertion.
var doctestCppDetail = parse.Below{Indent: 2, Join: "\n", MaxText: 1000}
