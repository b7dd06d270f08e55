package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// automakeFormat reads the test harness of automake and DejaGnu's runtest. Both print the same lines.
var automakeFormat = parse.Format{
	Name:  "automake",
	About: "make check of automake, DejaGnu",
	Starts: []string{
		"FAIL: ", "XPASS: ", "ERROR: ", "FAIL ", "ERROR ", "See ./test-suite.log", "See test-suite.log",
		"See tests/test-suite.log",
	},
	Match: matchAutomake,
}

// matchAutomake reads "FAIL: tests/a.sh", TAP's "FAIL: a.test 3 - name", and
// DejaGnu's "FAIL: gdb.base/a.exp: name".
func matchAutomake(s *parse.Scan, l parse.Line) bool {
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
	if s.Reported("automake", e.Test) != nil {
		s.Block(automakeHeading(s, d, l))
		return true
	}
	s.Add(d)
	return true
}

// automakeHeading adds the second report of a test, unless it is the underlined heading of the test's output in
// test-suite.log.
func automakeHeading(s *parse.Scan, d parse.Draft, at parse.Line) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		if len(l.Text) > 2 && strings.Trim(l.Text, "=") == "" {
			return parse.Last
		}
		s.Add(d).Move(at)
		return parse.Done
	}
}

// automakeExit reads the end of a test's output in test-suite.log: "FAIL a.sh (exit status: 1)". Lines before it
// are the message. isExit reports whether the line has this form, and taken whether the test was reported.
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
