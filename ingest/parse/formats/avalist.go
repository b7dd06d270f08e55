package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// avaList reads the tests of AVA. The line of a failed test has its name and the message, without a mark between them.
// The details below the ruler begin with the name alone.
type avaList struct {
	tree   testTree
	fails  []int // numbers of failed tests
	next   int   // index in fails of the first test without a name
	isOpen bool
	blank  bool // the last line was blank
	ruled  bool // the ruler above the details was read
	ends   bool // the totals have begun
	told   bool // the totals say how many tests passed
	totals testTotals
}

var avaTotal = lazyregexp.New(`^  (\d+) (?:tests? (passed|failed|skipped|todo)|(known failure)s?|uncaught exceptions?|` +
	`unhandled rejections?)$`)

// begin begins to listen at the first marked test.
func (a *avaList) begin(s *parse.Scan, l parse.Line) {
	if a.isOpen || !hasAnyPrefix(l.Text, "  ✔ ", "  ✘ [", "  - [") {
		return
	}
	*a = avaList{isOpen: true}
	a.read(l)
	s.Listen(func(l parse.Line) bool {
		if !a.read(l) {
			a.end(s)
		}
		return a.isOpen
	})
}

// read reads a line. It returns false after the totals.
func (a *avaList) read(l parse.Line) bool {
	text := strings.TrimRight(l.Text, " ")
	if g := avaTotal.FindStringSubmatch(text); g != nil && a.ruled {
		a.count(g)
		return true
	}
	above := a.blank
	a.blank = text == ""
	switch {
	case a.ends:
		return text == ""
	case text == "  ─":
		a.ruled = true
	case a.ruled && above && a.next < len(a.fails) && l.Indent() == 2:
		a.name(text[2:])
	case !a.ruled:
		a.test(text)
	}
	return true
}

// test reads "  ✔ name (105ms)", "  ✘ [fail]: name message", "  - [skip] name".
func (a *avaList) test(text string) {
	name, r, _ := cutTime(strings.TrimPrefix(text, "  "))
	r.Distinct = true
	if rest, ok := cutAny(name, "✔ [expected fail] ", "✔ "); ok {
		name = rest
	} else if rest, ok = strings.CutPrefix(name, "✘ [fail]: "); ok {
		name, r.Outcome = rest, store.TestFailed
	} else if rest, ok = cutAny(name, "- [skip] ", "- [todo] "); ok {
		name, r.Outcome = rest, store.TestSkipped
	} else {
		return
	}
	if a.tree.add(0, name, "", r) && r.Outcome == store.TestFailed {
		a.fails = append(a.fails, len(a.tree.tests)-1)
	}
}

// name sets the name of the next failed test to a title in the details, if the recorded name begins with the title.
func (a *avaList) name(title string) {
	r := &a.tree.tests[a.fails[a.next]]
	if rest, ok := strings.CutPrefix(r.Name, title); ok && (rest == "" || rest[0] == ' ') {
		r.Name = title
		a.next++
	}
}

// count reads a line of the totals.
func (a *avaList) count(g []string) {
	a.ends = true
	n, _ := parse.Number(g[1])
	switch {
	case g[2] == "passed", g[3] != "":
		a.totals.passed += n
		a.told = a.told || g[2] == "passed"
	case g[2] == "failed":
		a.totals.failed = n
	case g[2] != "":
		a.totals.skipped += n
	}
}

// end reports the tests, if the names of all failed tests are known. After failures AVA does not say how many tests
// passed.
func (a *avaList) end(s *parse.Scan) {
	if !a.told {
		a.totals.passed = 0
		for _, r := range a.tree.tests {
			if r.Outcome == store.TestPassed {
				a.totals.passed++
			}
		}
	}
	if a.ends && a.next == len(a.fails) {
		a.tree.tell(s, a.totals)
	}
	*a = avaList{}
}
