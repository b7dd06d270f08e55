package parse

import (
	"bytes"

	"github.com/blq-ci/blq/store"
)

// passes follows the marks of passed tests in a lane, during one run of a test runner.
type passes struct {
	last  int      // line of the newest mark, 0 for none
	since []*Draft // drafts since the newest mark
}

// maxSample is the max number of lines between an error and the marks of passed tests before and after it. Within this
// distance, a passed test may have printed the error.
const maxSample = 60

// Passed records that the current line marks a passed test. The test may have printed the errors since the previous
// such mark.
func (s *Scan) Passed() {
	p := &s.cur.passes
	for _, d := range p.since {
		d.amongPasses = s.now-d.LogLineEnd <= maxSample
	}
	p.last, p.since = s.now, p.since[:0]
}

// add records a draft that is near the newest mark. A Repeat ends the run of the test runner, because a Repeat means
// that a tool has given up.
func (p *passes) add(d *Draft) {
	switch {
	case d.Weight == Repeat:
		p.end()
	case p.last > 0 && d.LogLine-p.last <= maxSample && len(p.since) < maxSample:
		p.since = append(p.since, d)
	}
}

// end records that the test runner has ended or that another command begins.
func (p *passes) end() { *p = passes{} }

// runEnds are the beginnings of lines that end a test run: a test runner prints its counts or begins another run, or a
// CI system prints a line that begins with "##[".
var runEnds = [...][]byte{[]byte("test result: "), []byte("running "), []byte("Test Suites: "), []byte("Tests: "),
	[]byte("Test Files "), []byte("Ran "), []byte("##[")}

// line ends the test run if the line begins another command, has a count of tests, or was printed by the CI system
// ("##[error]").
func (p *passes) line(text []byte, level string) {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	if p.last == 0 || len(text) == 0 {
		return
	}
	ends := level != ""
	switch c := text[0]; {
	case c == '+' || c == '$':
		ends = ends || isEcho(string(text[:min(len(text), 10)]))
	case c == '>': // "> shop@1.0.0 test" of npm, "> Task :shop:test" of Gradle
		ends = ends || len(text) > 2 && text[1] == ' ' && (IsLower(text[2]|0x20) || text[2] == '@')
	case IsDigit(c): // "3 passing (2ms)", "3 tests completed"
		_, words, _ := bytes.Cut(text[:min(len(text), 40)], []byte(" "))
		ends = ends || bytes.HasPrefix(words, []byte("pass")) || bytes.HasPrefix(words, []byte("tests "))
	}
	for i := 0; i < len(runEnds) && !ends; i++ {
		ends = text[0] == runEnds[i][0] && bytes.HasPrefix(text, runEnds[i])
	}
	if ends {
		p.end()
	}
}

// settleSamples turns errors between marks of passed tests into warnings. Tests of compilers, linters and error paths
// print such errors although they pass. settleSamples does this only if a test runner in the same step reports which
// tests failed.
func (st *step) settleSamples() {
	reportsTests := false
	for _, d := range st.drafts {
		reportsTests = reportsTests || d.counts() && d.isSure() && d.Category == store.CategoryTest
	}
	for _, d := range st.drafts {
		if reportsTests && d.counts() && d.isSample() {
			d.Severity = store.SeverityWarning
		}
	}
}

// isSample reports whether a passed test may have printed the error. Errors of the Go command are never samples,
// because the Go command builds other packages while tests run.
func (d *Draft) isSample() bool {
	return d.amongPasses && d.Weight != Repeat && d.Weight != Died && d.Category != store.CategoryTest &&
		d.Category != store.CategoryCI && d.Tool != "go"
}
