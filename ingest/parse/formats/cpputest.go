package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cpputestFormat reads CppUTest.
var cpputestFormat = parse.Format{
	Name:     "cpputest",
	About:    "CppUTest",
	Triggers: []string{"error: Failure in TEST(", "error: Failure in IGNORE_TEST("},
	Match:    matchCppUTest,
}

// matchCppUTest reads "a.cpp:12: error: Failure in TEST(Group, Name)". If a helper function failed, this line has the
// place of the test, and a second line has the place of the failure.
func matchCppUTest(s *parse.Scan, l parse.Line) bool {
	before, name, ok := strings.Cut(l.Trim(), "error: Failure in ")
	if !ok {
		return false
	}
	if i := strings.LastIndexAny(before, ".! "); i > 0 && strings.HasPrefix(before, ".") {
		before = strings.TrimLeft(before, ".!") // progress dots
	}
	p, _, ok := parse.PlaceAt(before)
	if !ok {
		return false
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "IGNORE_"), "TEST(")
	group, test, _ := strings.Cut(strings.TrimSuffix(name, ")"), ", ")
	d := s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Test: group + "." + test,
		Category: store.CategoryTest}})
	below := parse.Below{Indent: 1, Join: "\n", MaxText: 1000}.Block(d)
	s.Block(func(l parse.Line) parse.Verdict {
		if p, rest, ok := parse.PlaceAt(l.Trim()); ok && strings.HasPrefix(rest, "error:") && d.Message == "" {
			d.File, d.Line = p.File, p.Line
			return parse.Take
		}
		return below(l)
	})
	return true
}
