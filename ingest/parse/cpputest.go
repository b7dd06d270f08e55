package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// cpputestFormat reads CppUTest.
var cpputestFormat = Format{
	Name:     "cpputest",
	About:    "CppUTest",
	Triggers: []string{"error: Failure in TEST(", "error: Failure in IGNORE_TEST("},
	New:      stateless(matchCppUTest),
}

// matchCppUTest reads "a.cpp:12: error: Failure in TEST(Group, Name)". When
// the failure was in a helper, the test's own place comes first and a second
// line with the other place follows.
func matchCppUTest(s *Scan, l Line) bool {
	before, name, ok := strings.Cut(l.Trim(), "error: Failure in ")
	if !ok {
		return false
	}
	if i := strings.LastIndexAny(before, ".! "); i > 0 && strings.HasPrefix(before, ".") {
		before = strings.TrimLeft(before, ".!") // progress dots
	}
	p, _, ok := placeAt(before)
	if !ok {
		return false
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "IGNORE_"), "TEST(")
	group, test, _ := strings.Cut(strings.TrimSuffix(name, ")"), ", ")
	d := s.Add(Draft{Event: store.Event{File: p.File, Line: p.Line, Test: group + "." + test, Category: store.CategoryTest}})
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		if p, rest, ok := placeAt(text); ok && strings.HasPrefix(rest, "error:") && d.Message == "" {
			d.File, d.Line = p.File, p.Line
			return Take
		}
		if text == "" || l.Indent() == 0 {
			return Done
		}
		if len(d.Message) < 1000 {
			d.Message = strings.TrimPrefix(d.Message+"\n"+text, "\n")
		}
		d.Extend(l)
		return Take
	})
	return true
}
