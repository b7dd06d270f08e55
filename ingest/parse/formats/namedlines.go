package formats

import (
	"cmp"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// gtestOutcome reads "[       OK ] Suite.Name (0 ms)" and "[ DISABLED ] Suite.Name" of GoogleTest. It does not match
// the list of failures at the end, which has no times.
var gtestOutcome = lazyregexp.New(`\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+\.[^\s,]+).*? \((\d+) ms\)$|` +
	`^\[ (DISABLED) \] (\S+\.\S+)$`)

// minitestOutcome reads "Class#test_name = 0.00 s = ." of minitest -v. If the test prints something, the name is on an
// earlier line.
var minitestOutcome = lazyregexp.New(`^(?:(\S.*#\S.*) = )?(\d+\.\d+) s = ([.FES])$`)

var minitestMarks = map[string]store.TestOutcome{".": store.TestPassed, "F": store.TestFailed, "E": store.TestError,
	"S": store.TestSkipped}

// namedLines reads lines of runners that print the outcome and the name of each test.
type namedLines struct {
	ruby  string // test of minitest whose outcome is on a later line
	ctest bool   // CTest runs the tests, and its own results count instead
}

func (n *namedLines) line(s *parse.Scan, text string) bool {
	switch {
	case strings.HasPrefix(text, "Test command: "): // ctest -V prints this line before the output of a test
		n.ctest = true
		return true
	case strings.HasSuffix(text, " ms)"), strings.HasPrefix(text, "[ DISABLED ] "):
		return !n.ctest && gtestLine(s, text)
	case strings.Contains(text, " s = "):
		g := minitestOutcome.FindStringSubmatch(text)
		if g == nil {
			return false
		}
		if name := cmp.Or(g[1], n.ruby); name != "" {
			s.Test(parse.Result{Name: name, Outcome: minitestMarks[g[3]], Duration: seconds(g[2])})
		}
		n.ruby = ""
		return true
	case strings.Contains(text, "#test_"):
		n.ruby, _, _ = strings.Cut(text, " = ")
		return false
	}
	return vitestLine(s, text)
}

func gtestLine(s *parse.Scan, text string) bool {
	g := gtestOutcome.FindStringSubmatch(text)
	if g == nil {
		return false
	}
	r := parse.Result{Name: g[2] + g[5], Duration: seconds(g[3]) / 1000}
	switch g[1] + g[4] {
	case "FAILED":
		r.Outcome = store.TestFailed
	case "SKIPPED", "DISABLED":
		r.Outcome = store.TestSkipped
	}
	s.Test(r)
	return true
}

var vitestMarks = [...]struct {
	mark    string
	outcome store.TestOutcome
}{{" ✓ ", store.TestPassed}, {" × ", store.TestFailed}, {" ↓ ", store.TestSkipped}}

// vitestLine reads " ✓ src/a.test.ts > suite > name 2ms" of vitest --reporter=verbose.
func vitestLine(s *parse.Scan, text string) bool {
	for _, m := range vitestMarks {
		rest, ok := strings.CutPrefix(text, m.mark)
		if !ok {
			continue
		}
		if project, after, ok := strings.Cut(strings.TrimPrefix(rest, "|"), "| "); ok && strings.HasPrefix(rest, "|") &&
			!strings.Contains(project, " ") {
			rest = after
		}
		file, name, ok := strings.Cut(rest, " > ")
		if !ok || !isJSFile(file) || !parse.IsFileName(file) {
			return false
		}
		r := parse.Result{Name: name, File: file, Outcome: m.outcome, Distinct: true}
		if i := strings.LastIndexByte(name, ' '); i > 0 {
			if took, err := time.ParseDuration(name[i+1:]); err == nil {
				r.Name, r.Duration = name[:i], took
			}
		}
		s.Test(r)
		return true
	}
	return false
}
