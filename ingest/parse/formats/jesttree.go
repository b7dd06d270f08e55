package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// jestTree reads the tests of jest --verbose. They are below the line that names their file, up to a blank line.
type jestTree struct {
	tree    testTree
	file    string
	skipped int // tests that were skipped and are not named
}

var jestMarks = [...]struct {
	mark    string
	outcome store.TestOutcome
}{
	{"✓ ", store.TestPassed}, {"✕ ", store.TestFailed}, {"○ skipped ", store.TestSkipped},
	{"✎ todo ", store.TestSkipped},
}

var (
	jestCount = lazyregexp.New(`(\d+) (failed|skipped|todo|passed)[,.]`)
	jestMany  = lazyregexp.New(`^(\d+) tests?$`)
)

func (j *jestTree) line(s *parse.Scan, l parse.Line) {
	if file, ok := cutAny(l.Text, "PASS ", "FAIL "); ok {
		if j.file = jestFile(strings.TrimSpace(file)); j.file != "" {
			j.tree.titles = nil
			s.Listen(j.below)
		}
		return
	}
	totals, ok := strings.CutPrefix(l.Text, "Tests: ")
	if !ok || !strings.HasSuffix(totals, " total") {
		return
	}
	var want testTotals
	for _, g := range jestCount.FindAllStringSubmatch(totals, -1) {
		n, _ := parse.Number(g[1])
		switch g[2] {
		case "failed":
			want.failed = n
		case "passed":
			want.passed = n
		default:
			want.skipped += n
		}
	}
	want.skipped -= j.skipped
	j.tree.tell(s, want)
	*j = jestTree{}
}

// below reads a line below the name of a file.
func (j *jestTree) below(l parse.Line) bool {
	depth, text := l.Indent()/2-1, l.Trim()
	if depth < 0 || l.Indent()%2 != 0 || text == "" || strings.HasPrefix(text, "● ") {
		return false
	}
	for _, m := range jestMarks {
		rest, ok := strings.CutPrefix(text, m.mark)
		if !ok {
			continue
		}
		if g := jestMany.FindStringSubmatch(rest); g != nil && m.outcome == store.TestSkipped {
			n, _ := parse.Number(g[1])
			j.skipped += n
			return true
		}
		name, r, _ := cutTime(rest)
		r.File, r.Outcome, r.Distinct = j.file, m.outcome, true
		return j.tree.add(depth, name, " › ", r)
	}
	return j.tree.title(depth, text)
}
