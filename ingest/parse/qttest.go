package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// qtTestFormat reads the plain text log of Qt Test.
var qtTestFormat = Format{
	Name:   "qttest",
	About:  "Qt Test",
	Starts: []string{"FAIL!  : ", "XPASS  : ", "QFATAL : "},
	New:    stateless(matchQtTest),
}

// matchQtTest reads a failure and the lines under it:
//
//	FAIL!  : TestString::toUpper(mixed) Compared values are not the same
//	   Actual   (s.toUpper()): "A"
//	   Expected (expected)   : "B"
//	   Loc: [teststring.cpp(32)]
func matchQtTest(s *Scan, l Line) bool {
	_, rest, ok := strings.Cut(l.Trim(), ": ")
	if !ok {
		return false
	}
	end := strings.IndexByte(rest, ')')
	if end < 0 || !strings.Contains(rest[:end], "::") {
		return false
	}
	test, message := strings.TrimSuffix(rest[:end+1], "()"), strings.TrimSpace(rest[end+1:])
	d := s.Add(Draft{Event: store.Event{Test: test, Message: message, Category: store.CategoryTest}})
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		if l.Indent() < 3 || text == "" {
			return Done
		}
		d.Extend(l)
		if loc, ok := strings.CutPrefix(text, "Loc: ["); ok {
			if p, _, ok := placeAt(strings.TrimSuffix(loc, "]") + ": "); ok {
				d.At(p.File, p.Line, 0)
			}
			return Last
		}
		if len(d.Message) < 1000 {
			d.Message += "\n" + text
		}
		return Take
	})
	return true
}
