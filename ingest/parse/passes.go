package parse

import (
	"bytes"

	"github.com/blq-ci/blq/store"
)

// passes follows the marks of tests that passed in a lane, of one run of a test runner.
type passes struct {
	last  int      // line of the newest, 0 for none
	since []*Draft // drafts since then
}

// maxSample is how far from the marks of tests that passed an error may be one that such a test printed.
const maxSample = 60

// Passed notes that the current line marks a test that passed. Errors since the mark before may be samples.
func (s *Scan) Passed() {
	p := &s.cur.passes
	for _, d := range p.since {
		d.amongPasses = s.now-d.LogLineEnd <= maxSample
	}
	p.last, p.since = s.now, p.since[:0]
}

// add notes a draft. A tool that gives up has ended, and no test of it follows.
func (p *passes) add(d *Draft) {
	switch {
	case d.Weight == Repeat:
		p.end()
	case p.last > 0 && d.LogLine-p.last <= maxSample && len(p.since) < maxSample:
		p.since = append(p.since, d)
	}
}

// end notes that the test runner has ended, or that another command begins.
func (p *passes) end() { *p = passes{} }

// runEnds are how lines begin in which test runners count what they ran, or begin another run.
var runEnds = [...][]byte{[]byte("test result: "), []byte("running "), []byte("Test Suites: "), []byte("Tests: "),
	[]byte("Test Files "), []byte("Ran "), []byte("##[")}

// line ends the run at a line that another command begins with, or that counts tests.
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

// settleSamples makes warnings of errors that stand among the marks of tests that passed, in a step in which a runner
// tells which tests failed: tests of compilers, linters and error paths print such errors.
func (st *step) settleSamples() {
	told := false
	for _, d := range st.drafts {
		told = told || d.counts() && d.isSure() && d.Category == store.CategoryTest
	}
	for _, d := range st.drafts {
		if told && d.counts() && d.isSample() {
			d.Severity = store.SeverityWarning
		}
	}
}

// isSample reports whether a test that passed may have printed the error. The Go command builds the packages of other
// tests meanwhile.
func (d *Draft) isSample() bool {
	return d.amongPasses && d.Weight != Repeat && d.Weight != Died && d.Category != store.CategoryTest &&
		d.Category != store.CategoryCI && d.Tool != "go"
}
