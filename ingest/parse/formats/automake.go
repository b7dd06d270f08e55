package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// automakeFormat reads the output of automake's test harness and of DejaGnu's runtest. Both print "FAIL: " and a name.
var automakeFormat = parse.Format{
	Name:     "automake",
	About:    "make check of automake, DejaGnu",
	Triggers: []string{" tests failed", " test failed"},
	Starts: []string{
		"FAIL: ", "XPASS: ", "ERROR: ", "FAIL ", "ERROR ", "See ./test-suite.log", "See test-suite.log",
		"See tests/test-suite.log", "# FAIL: ", "# ERROR: ", "# XPASS: ", "# of unexpected failures",
	},
	New: func() parse.Matcher { return new(automake).match },
}

// automake keeps the failed tests, because the harness prints the number of failed tests after all tests.
type automake struct {
	failed []automakeTest
}

type automakeTest struct {
	*parse.Draft
	said string // lines before the result
}

// maxAutomakeFailed is the max number of failed tests that are kept.
const maxAutomakeFailed = 1000

// match reads "FAIL: tests/a.sh", TAP's "FAIL: a.test 3 - name", and DejaGnu's "FAIL: gdb.base/a.exp: name".
func (a *automake) match(s *parse.Scan, l parse.Line) bool {
	if strings.HasPrefix(l.Text, "# ") || parse.IsDigit(l.Text[0]) {
		a.count(l.Text)
		return false
	}
	if isExit, taken := automakeExit(s, l); isExit || hasAnyPrefix(l.Trim(), "FAIL ", "ERROR ") {
		return taken
	}
	result, rest, ok := strings.Cut(l.Trim(), ": ")
	if !ok && !strings.HasPrefix(result, "See ") {
		return false
	}
	if !ok {
		s.Add(parse.Draft{Event: store.Event{Message: l.Trim(), Category: store.CategoryTest}, Weight: parse.Repeat})
		return true
	}
	script, name, _ := strings.Cut(rest, " ")
	if result == "ERROR" && (name != "" && !strings.HasPrefix(name, "- ") || !isScriptFile(script)) {
		return false
	}
	if _, _, isPlace := parse.PlaceAt(script + ": "); isPlace {
		return false // linters: "ERROR: src/a.ts:1:5 - Missing semicolon"
	}
	e := store.Event{Test: strings.TrimSuffix(script, ":"), Message: "test failed", Category: store.CategoryTest}
	number, name, isTAP := strings.Cut(name, " - ")
	switch {
	case strings.Contains(rest, " ("):
		return false // unittest and others: "FAIL: test_a (module.Class)"
	case name == "" && number == "":
		if !isTestScript(script) {
			return false
		}
	case strings.HasSuffix(script, ".exp:"):
		e.Test = rest
	case isTAP && parse.AllDigits(number) || result == "ERROR":
		e.Test = strings.TrimSuffix(script+": "+name, ": ")
	default:
		return false
	}
	if result == "XPASS" {
		e.Message = "unexpected pass"
	}
	d := parse.Draft{Event: e, Key: e.Test, Weight: parse.Likely}
	if a.reported(s, e.Test) {
		s.Block(automakeHeading(s, d, l))
		return true
	}
	automakeSignal(s, l, &d)
	added := s.Add(d)
	if len(a.failed) == maxAutomakeFailed {
		a.failed = a.failed[:0]
	}
	a.failed = append(a.failed, automakeTest{added, automakeSaid(s, l)})
	return true
}

// count reads the harness's number of failed tests. This number makes the failures certain. The serial harness prints
// the output of a test above the test's result. So a failure without another message gets the last lines that the test
// printed.
func (a *automake) count(text string) {
	serial := isSerialCount(text)
	if !serial && !isParallelCount(text) {
		return
	}
	for _, test := range a.failed {
		test.Weight = parse.Certain
		if serial && test.said != "" && test.Message == "test failed" {
			test.Message = test.said
		}
	}
}

// isParallelCount reports whether text counts at least one failure: "# FAIL:  3", or DejaGnu's
// "# of unexpected failures	2".
func isParallelCount(text string) bool {
	rest, ok := strings.CutPrefix(text, "# of unexpected failures")
	if !ok {
		_, rest, _ = strings.Cut(text, ":")
	}
	n, _ := parse.Number(strings.TrimSpace(rest))
	return n > 0
}

// isSerialCount reports whether text is "3 of 4 tests failed".
func isSerialCount(text string) bool {
	failed, rest, ok := strings.Cut(text, " of ")
	all, rest, _ := strings.Cut(rest, " ")
	return ok && parse.AllDigits(failed) && parse.AllDigits(all) && strings.HasPrefix(rest, "test")
}

// automakeSaid returns the lines right before a result.
func automakeSaid(s *parse.Scan, l parse.Line) string {
	var words []string
	for i, said := range s.Said(maxAutomakeWords) {
		if said.N != l.N-i-1 || hasAnyPrefix(said.Text, "PASS: ", "SKIP: ", "XFAIL: ", "make") {
			break
		}
		words = append([]string{said.Trim()}, words...)
	}
	return strings.Join(words, "\n")
}

// reported reports whether an earlier line of the log says that the test failed. The headings in test-suite.log name a
// test without the extension of its script.
func (a *automake) reported(s *parse.Scan, test string) bool {
	if s.Reported("automake", test) != nil {
		return true
	}
	for _, d := range a.failed {
		if rest, ok := strings.CutPrefix(d.Test, test); ok && isScriptFile(rest) && rest[0] == '.' {
			return true
		}
	}
	return false
}

// automakeSignal reads the line before a failed test. In this line, the shell of the harness says which signal ended
// the test. The command in the line consists of variables, so it does not name the test.
func automakeSignal(s *parse.Scan, l parse.Line, test *parse.Draft) {
	d := s.Newest()
	if d == nil || d.LogLine != l.N-1 || d.Category != store.CategoryRuntime {
		return
	}
	signal, command, _ := strings.Cut(d.Message, ": ")
	if strings.HasPrefix(command, `"$@" >`) || strings.HasPrefix(command, "${dir}$tst") {
		d.Merged, test.Message, test.LogLine = true, signal, d.LogLine
	}
}

// automakeHeading returns a block for the line after the second report of a test. If that line has only = signs, the
// report is only the heading of the test's output in test-suite.log. Otherwise the block adds the draft d.
func automakeHeading(s *parse.Scan, d parse.Draft, at parse.Line) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		if len(l.Text) > 2 && strings.Trim(l.Text, "=") == "" {
			return parse.Last
		}
		s.Add(d).Move(at)
		return parse.Done
	}
}

// automakeExit reads the line at the end of a test's output in test-suite.log: "FAIL a.sh (exit status: 1)". The lines
// before this line are the message. The result isExit reports whether the line has this form. The result taken
// reports whether an earlier line of the log reports the test.
func automakeExit(s *parse.Scan, l parse.Line) (isExit, taken bool) {
	result, rest, _ := strings.Cut(l.Text, " ")
	test, status, isExit := strings.Cut(rest, " (exit status: ")
	if result != "FAIL" && result != "ERROR" || !isExit || !strings.HasSuffix(status, ")") {
		return false, false
	}
	d := s.Reported("automake", test)
	if d == nil || d.Message != "test failed" {
		return true, d != nil
	}
	var words []string
	for i, said := range s.Said(maxAutomakeWords) {
		if said.N < l.N-i-1 {
			break
		}
		words = append([]string{said.Trim()}, words...)
	}
	if len(words) > 0 {
		d.Message = strings.Join(words, "\n")
	}
	return true, true
}

// maxAutomakeWords is the max number of lines at the end of a test's output that become its message.
const maxAutomakeWords = 3

// isTestScript reports whether a word can be a test of automake. Automake names a test after its program in the
// build tree.
func isTestScript(word string) bool {
	if word == "" || strings.ContainsAny(word, "()[]{}\"'`,;:=<>*") {
		return false
	}
	if strings.Count(word, ".") > 1 && !strings.Contains(word, "/") && !isScriptFile(word) {
		return false // unittest: "FAIL: tests.test_a.TestA.test_b"
	}
	return parse.IsLower(word[0]) || parse.IsDigit(word[0]) || word[0] == '.' || strings.ContainsAny(word, "./_-")
}

// isScriptFile reports whether a word has a usual file extension of automake's tests.
func isScriptFile(word string) bool {
	for _, extension := range [...]string{".sh", ".test", ".t", ".tap", ".py", ".pl", ".at", ".exe", ".trs"} {
		if strings.HasSuffix(strings.TrimSuffix(word, ":"), extension) {
			return true
		}
	}
	return false
}
