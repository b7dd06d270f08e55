package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// tapLines reads the outcomes of TAP's test points. The subtests of a test come before its own point, or below it in
// braces. Producers count tests differently: node --test counts all tests, node-tap counts tests without subtests, and
// Perl counts tests that are not subtests.
type tapLines struct {
	point tapPoint       // test point whose details follow
	held  []parse.Result // subtests of the test whose point has not come yet
	inner [8]bool        // by depth: there is a test point since the newest test point of less depth
	opens [8]bool        // by depth: the newest test point has its subtests below it, in braces
}

// tapPoint is a line of TAP with the outcome of a test: ok 1 - name.
type tapPoint struct {
	parse.Result
	isOpen bool
	depth  int
	braces bool // the test is a subtest in braces
	sums   bool // the test has subtests
	timed  bool // the line has a time, as in node-tap
	lasted bool // the details have a duration, as in node --test
}

// line reads "ok 1 - name" and important lines of the details.
func (t *tapLines) line(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if t.point.isOpen {
		if text == "type: 'suite'" {
			t.point.isOpen = false
			t.flush(s)
			return true
		}
		if ms, ok := strings.CutPrefix(text, "duration_ms: "); ok {
			t.point.Duration, t.point.lasted = seconds(ms)/1000, true
			return true
		}
	}
	rest, passed := strings.CutPrefix(text, "ok ")
	if !passed {
		var failed bool
		if rest, failed = strings.CutPrefix(text, "not ok "); !failed {
			return false
		}
	}
	_, n := parse.Number(rest)
	if n == 0 {
		return false
	}
	t.end(s)
	p := tapPoint{isOpen: true, depth: min(l.Indent()/4, len(t.inner)-1), timed: strings.Contains(rest, " # time=")}
	_, opens := subtestsOf(rest)
	p.sums, p.braces = t.deeper(p.depth, opens)
	if opens {
		return true
	}
	name, _ := strings.CutPrefix(strings.TrimSpace(rest[n:]), "- ")
	name, directive := cutDirective(name)
	p.Result = parse.Result{Name: name, Distinct: true}
	switch {
	case hasFold(directive, "skip"), hasFold(directive, "todo"): // the outcome of a to-do does not count
		p.Outcome = store.TestSkipped
	case !passed:
		p.Outcome = store.TestFailed
	}
	if name == "" {
		p.Name = "test " + rest[:n]
	}
	t.point = p
	return true
}

// deeper updates the state for a test point. The parameter opens is true if the subtests of the test point follow in
// braces. The result sums is true if the subtests of the test point came before it. The result braces is true if the
// test point is itself a subtest in braces.
func (t *tapLines) deeper(depth int, opens bool) (sums, braces bool) {
	sums = depth+1 < len(t.inner) && t.inner[depth+1] && !t.opens[depth]
	clear(t.inner[depth+1:])
	clear(t.opens[depth+1:])
	t.inner[depth], t.opens[depth] = true, opens
	return sums, depth > 0 && t.opens[depth-1]
}

// end ends the newest test point. It reports the test point, or keeps it in held if the test point of its parent may
// follow. A test point with subtests is left out for node-tap, and replaces the subtests for Perl.
func (t *tapLines) end(s *parse.Scan) {
	p := t.point
	t.point = tapPoint{}
	switch {
	case !p.isOpen || p.sums && p.timed:
	case p.depth > 0 && !p.braces && len(t.held) < store.MaxTestResults:
		t.held = append(t.held, p.Result)
		return
	case p.sums && !p.lasted:
		t.held = append(t.held[:0], p.Result)
	default:
		t.held = append(t.held, p.Result)
	}
	if p.depth == 0 || p.braces {
		t.flush(s)
	}
}

// flush reports the tests that are held.
func (t *tapLines) flush(s *parse.Scan) {
	for _, r := range t.held {
		s.Test(r)
	}
	t.held = t.held[:0]
}
