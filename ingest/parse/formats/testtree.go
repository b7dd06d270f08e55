package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// testTreeFormat reads test outcomes from runners that print the tests as a tree below the titles of their suites. It
// also reads the list of AVA.
var testTreeFormat = parse.Format{
	Name: "test-tree",
	About: "results of tests in the trees of mocha spec, jest --verbose, node --test, PHPUnit --testdox and the list " +
		"of AVA",
	Triggers: []string{"✔ ", "✓ ", "✖ ", "▶ ", "﹣ ", "⚠ "},
	Starts: []string{"PASS ", "FAIL ", "Tests: ", "ℹ ", "PHPUnit ", "  - [", "  ✘ [",
		"  1) ", "    1) ", "      1) "},
	Outcomes: func() func(*parse.Scan, parse.Line) { return new(testTrees).line },
}

// testTrees has a reader for each runner except PHPUnit. A reader reports its tests only if their number agrees with
// the totals that the runner prints at the end. So similar lines of other programs are not reported as tests.
type testTrees struct {
	mocha mochaTree
	jest  jestTree
	node  nodeTree
	ava   avaList
}

// line reads a line. The zero Line means the end of the log.
func (t *testTrees) line(s *parse.Scan, l parse.Line) {
	if l.N == 0 {
		t.mocha.end(s)
		t.ava.end(s)
		return
	}
	t.mocha.begin(s, l)
	t.jest.line(s, l)
	t.node.line(s, l)
	t.ava.begin(s, l)
	if strings.HasPrefix(l.Text, "PHPUnit ") && strings.HasSuffix(l.Text, " by Sebastian Bergmann and contributors.") {
		testdox := &testdoxTree{s: s}
		s.Listen(testdox.line)
	}
}

// testTotals are the numbers of tests by outcome.
type testTotals struct{ passed, failed, skipped int }

// testTree holds the tests of a runner, and the titles above the newest line.
type testTree struct {
	titles []string // by depth
	tests  []parse.Result
	bytes  int  // size of the names in tests
	full   bool // there are more tests than the tree holds; none is reported
}

// These limits bound the memory of a testTree: max titles above a test, and max bytes of the names of all tests.
const (
	maxTreeDepth = 64
	maxTreeBytes = 16 << 20
)

// title records a title at a depth. It returns false if the title has no parent, or if the depth is too large.
func (t *testTree) title(depth int, text string) bool {
	if depth < 0 || depth > min(len(t.titles), maxTreeDepth) {
		return false
	}
	t.titles = append(t.titles[:depth], text)
	return true
}

// add records a test at a depth. It returns false if the test has no parent, or if the tree is full.
func (t *testTree) add(depth int, name, separator string, r parse.Result) bool {
	t.full = t.full || len(t.tests) >= store.MaxTestResults || t.bytes > maxTreeBytes
	if depth < 0 || depth > len(t.titles) || t.full {
		return false
	}
	t.titles = t.titles[:depth]
	r.Name = name
	if depth > 0 {
		r.Name = strings.Join(t.titles, separator) + separator + name
	}
	t.bytes += len(r.Name)
	t.tests = append(t.tests, r)
	return true
}

// tell reports the tests if their numbers are those of the runner.
func (t *testTree) tell(s *parse.Scan, want testTotals) {
	var sum testTotals
	for _, r := range t.tests {
		sum.count(r.Outcome, 1)
	}
	if sum == want && !t.full {
		for _, r := range t.tests {
			s.Test(r)
		}
	}
	*t = testTree{}
}

// count adds n tests with an outcome.
func (t *testTotals) count(o store.TestOutcome, n int) {
	switch {
	case o == store.TestPassed:
		t.passed += n
	case o.Failed():
		t.failed += n
	default:
		t.skipped += n
	}
}

// tookAtEnd reads the duration at the end of a line: "(12ms)", "(1.3 s)", "(0.25ms)".
var tookAtEnd = lazyregexp.New(`^(.*?)\s+\((\d+(?:\.\d+)?) ?(ms|s|m)\)$`)

// cutTime splits the duration from the end of the parameter text. ok reports whether there is a duration.
func cutTime(text string) (name string, r parse.Result, ok bool) {
	g := tookAtEnd.FindStringSubmatch(text)
	if g == nil {
		return text, r, false
	}
	r.Duration = seconds(g[2])
	switch g[3] {
	case "ms":
		r.Duration /= 1000
	case "m":
		r.Duration *= 60
	}
	return g[1], r, true
}

// isPrintedObject reports whether a line looks like a part of a printed object or a stack frame, and not like a title.
func isPrintedObject(text string) bool {
	return hasAnySuffix(text, ",", "{", "[", "(") || hasAnyPrefix(text, "}", "]", ")", "at ")
}
