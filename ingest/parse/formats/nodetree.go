package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// nodeTree reads the tests of the spec reporter of node --test. A suite, or a test with subtests, has the mark ▶ and
// its name above its tests. The line below its tests repeats the name.
type nodeTree struct {
	tree    testTree
	parents []int // numbers of tests that are suites or have subtests
	total   int
	suites  int
	ended   bool // the list of failed tests follows the totals
}

var nodeMarks = [...]struct {
	mark    string
	outcome store.TestOutcome
}{{"✔ ", store.TestPassed}, {"✖ ", store.TestFailed}, {"﹣ ", store.TestSkipped}, {"⚠ ", store.TestSkipped},
	{"▶ ", store.TestPassed}}

func (n *nodeTree) line(s *parse.Scan, l parse.Line) {
	if words, ok := strings.CutPrefix(l.Text, "ℹ "); ok {
		n.count(s, words)
		return
	}
	text, depth := l.Trim(), l.Indent()/2
	for _, m := range nodeMarks {
		rest, ok := strings.CutPrefix(text, m.mark)
		if !ok || l.Indent()%2 != 0 {
			continue
		}
		n.ended = n.ended && m.outcome == store.TestFailed
		if n.ended {
			return
		}
		rest, directive := cutDirective(rest)
		name, r, timed := cutTime(rest)
		switch {
		case !timed && m.mark == "▶ ":
			n.tree.title(depth, name)
		case timed && m.mark == "▶ " && !n.isParent(depth, name):
		case timed:
			r.Outcome, r.Distinct = m.outcome, true
			if directive != "" {
				r.Outcome = store.TestSkipped
			}
			n.test(depth, name, r)
		}
		return
	}
}

// isParent reports whether a line with this depth and name ends a suite, or a test with subtests.
func (n *nodeTree) isParent(depth int, name string) bool {
	return depth < len(n.tree.titles) && n.tree.titles[depth] == name
}

func (n *nodeTree) test(depth int, name string, r parse.Result) {
	isParent := n.isParent(depth, name)
	if n.tree.add(depth, name, " > ", r) && isParent {
		n.parents = append(n.parents, len(n.tree.tests)-1)
	}
}

// count reads a line of the totals: "tests 13", "suites 3". At the last line of the totals, it reports the tests.
func (n *nodeTree) count(s *parse.Scan, words string) {
	what, number, _ := strings.Cut(words, " ")
	value, _ := parse.Number(number)
	switch what {
	case "tests":
		n.total = value
	case "suites":
		n.suites = value
	case "duration_ms":
		n.tell(s)
		*n = nodeTree{ended: true}
	}
}

// tell reports the tests if their number agrees with the totals of Node.js. A suite is not a test. A test with subtests
// is a test. If there are suites, the output does not say which parents are suites and which are tests. In this case,
// tell reports only tests without subtests.
func (n *nodeTree) tell(s *parse.Scan) {
	if n.tree.full || len(n.tree.tests)-n.suites != n.total || n.suites > len(n.parents) {
		return
	}
	for i, r := range n.tree.tests {
		isParent := len(n.parents) > 0 && n.parents[0] == i
		if isParent {
			n.parents = n.parents[1:]
		}
		if !isParent || n.suites == 0 {
			s.Test(r)
		}
	}
}
