package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// mochaTree reads the tests of mocha's reporter spec. Each level is indented by two more blanks. The line above a suite
// of the first level is blank, or has a test of the first level.
type mochaTree struct {
	tree   testTree
	isOpen bool
	ends   bool // the totals have begun
	totals testTotals
	last   int  // number of the last line
	first  bool // the next line may be a suite of the first level
}

// mochaAbove is the max number of lines above the first marked test that may be titles.
const mochaAbove = 16

var mochaTotal = lazyregexp.New(`^  (\d+) (passing|pending|failing)(?: \(\d+\w+\))?$`)

// begin reads the first line with a mark, and the lines above it, which may be titles. After that, m also reads all
// further lines up to the totals.
func (m *mochaTree) begin(s *parse.Scan, l parse.Line) {
	if m.isOpen {
		return
	}
	if _, _, ok := mochaMark(l.Trim()); !ok || l.Indent() < 2 || l.Indent()%2 != 0 {
		return
	}
	*m = mochaTree{isOpen: true}
	above := s.Said(mochaAbove)
	for i := len(above) - 1; i >= 0; i-- {
		m.read(above[i])
	}
	m.read(l)
	s.Listen(func(l parse.Line) bool {
		if !m.read(l) {
			m.end(s)
		}
		return m.isOpen
	})
}

// read reads a line. It returns false after the totals.
func (m *mochaTree) read(l parse.Line) bool {
	text := l.Trim()
	first := m.first || l.N > m.last+1
	m.last, m.first = l.N, text == ""
	if g := mochaTotal.FindStringSubmatch(strings.TrimRight(l.Text, " ")); g != nil {
		n, _ := parse.Number(g[1])
		switch g[2] {
		case "passing":
			m.totals.passed, m.ends = n, true
		case "pending":
			m.totals.skipped = n
		case "failing":
			m.totals.failed = n
		}
		return true
	}
	if m.ends {
		return false
	}
	depth := l.Indent()/2 - 1
	if depth < 0 || l.Indent()%2 != 0 || text == "" {
		return true
	}
	name, o, ok := mochaMark(text)
	if ok {
		name, r, _ := cutTime(name)
		r.Outcome, r.Distinct = o, true
		m.first = m.tree.add(depth, name, " ", r) && depth == 0
	} else if (depth > 0 || first) && !isPrintedObject(text) {
		m.tree.title(depth, text)
	}
	return true
}

// mochaMark reads "✔ name", "1) name" or "- name".
func mochaMark(text string) (name string, o store.TestOutcome, ok bool) {
	if name, ok = cutAny(text, "✔ ", "✓ "); ok {
		return name, store.TestPassed, true
	}
	if name, ok = strings.CutPrefix(text, "- "); ok {
		return name, store.TestSkipped, true
	}
	if _, n := parse.Number(text); n > 0 {
		name, ok = strings.CutPrefix(text[n:], ") ")
	}
	return name, store.TestFailed, ok
}

// end reports the tests.
func (m *mochaTree) end(s *parse.Scan) {
	if m.ends {
		m.tree.tell(s, m.totals)
	}
	*m = mochaTree{}
}
