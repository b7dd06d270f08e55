package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// qtTestFormat reads the plain text log of Qt Test.
var qtTestFormat = parse.Format{
	Name:   "qttest",
	About:  "Qt Test",
	Starts: []string{"FAIL!  : ", "XPASS  : ", "QFATAL : "},
	Match:  matchQtTest,
}

// matchQtTest reads a failure and the lines below:
//
//	FAIL!  : TestString::toUpper(mixed) Compared values are not the same
//	   Actual   (s.toUpper()): "A"
//	   Expected (expected)   : "B"
//	   Loc: [teststring.cpp(32)]
func matchQtTest(s *parse.Scan, l parse.Line) bool {
	_, rest, ok := strings.Cut(l.Trim(), ": ")
	if !ok {
		return false
	}
	end := strings.IndexByte(rest, ')')
	if end < 0 || !strings.Contains(rest[:end], "::") {
		return false
	}
	test, message := strings.TrimSuffix(rest[:end+1], "()"), strings.TrimSpace(rest[end+1:])
	d := s.Add(parse.Draft{Event: store.Event{Test: test, Message: message, Category: store.CategoryTest}})
	below := parse.Below{Indent: 3, Join: "\n", MaxText: 1000}.Block(d)
	s.Block(func(l parse.Line) parse.Verdict {
		loc, ok := strings.CutPrefix(l.Text, "   Loc: [")
		if !ok {
			return below(l)
		}
		if p, _, ok := parse.PlaceAt(strings.TrimSuffix(loc, "]") + ": "); ok {
			d.At(p.File, p.Line, 0)
		}
		d.Extend(l)
		return parse.Last
	})
	return true
}
