package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// testdoxTree reads the tests of PHPUnit --testdox. The tests of a class are below the name of the class.
type testdoxTree struct {
	s     *parse.Scan
	tree  testTree
	blank bool // the last line was blank
	again bool // the summary repeats tests
}

var testdoxMarks = [...]struct {
	mark    string
	outcome store.TestOutcome
}{
	{" ✔ ", store.TestPassed}, {" ✘ ", store.TestFailed}, {" ↩ ", store.TestSkipped}, {" ∅ ", store.TestSkipped},
	{" ☢ ", store.TestPassed}, {" ⚠ ", store.TestPassed},
}

var (
	testdoxOK    = lazyregexp.New(`^OK \((\d+) tests?, `)
	testdoxCount = lazyregexp.New(`(Tests|Errors|Failures|Skipped|Incomplete): (\d+)[,.]`)
)

func (t *testdoxTree) line(l parse.Line) bool {
	text := strings.TrimRight(l.Text, " ")
	if g := testdoxOK.FindStringSubmatch(text); g != nil {
		n, _ := parse.Number(g[1])
		t.tree.tell(t.s, testTotals{passed: n})
		return false
	}
	if strings.HasPrefix(text, "Tests: ") && strings.Contains(text, ", Assertions: ") {
		t.total(text)
		return false
	}
	above := t.blank
	t.blank = text == ""
	t.again = t.again || text == "Summary of non-successful tests:"
	for _, m := range testdoxMarks {
		if name, ok := strings.CutPrefix(text, m.mark); ok && !t.again {
			name = strings.TrimSpace(name)
			if i := strings.LastIndex(name, " ["); i > 0 && strings.HasSuffix(name, " ms]") { // of -v
				name = name[:i]
			}
			t.tree.add(1, name, " > ", parse.Result{Outcome: m.outcome, Distinct: true})
			return true
		}
	}
	if above && l.Indent() == 0 && text != "" {
		t.tree.title(0, text)
	}
	return true
}

// total reads "Tests: 13, Assertions: 8, Errors: 2, Failures: 6, Skipped: 1, Incomplete: 1, Risky: 1."
func (t *testdoxTree) total(text string) {
	var want testTotals
	for _, g := range testdoxCount.FindAllStringSubmatch(text, -1) {
		n, _ := parse.Number(g[2])
		switch g[1] {
		case "Tests":
			want.passed += n
		case "Errors", "Failures":
			want.failed += n
			want.passed -= n
		default:
			want.skipped += n
			want.passed -= n
		}
	}
	t.tree.tell(t.s, want)
}
