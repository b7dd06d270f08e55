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
		"FAIL: ", "XPASS: ", "ERROR: ", "See ./test-suite.log", "See test-suite.log", "See tests/test-suite.log",
	},
	Match: matchAutomake,
}

// matchAutomake reads "FAIL: tests/a.sh", TAP's "FAIL: a.test 3 - name", and
// DejaGnu's "FAIL: gdb.base/a.exp: name".
func matchAutomake(s *parse.Scan, l parse.Line) bool {
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
	s.Add(parse.Draft{Event: e, Key: e.Test, Weight: parse.Likely})
	return true
}

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
