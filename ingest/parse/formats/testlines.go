package formats

import (
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// testLinesFormat reads test outcomes from runners that print a line for every test. Each runner's own format adds the
// events of failed tests.
var testLinesFormat = parse.Format{
	Name: "test-lines",
	About: "tests that passed or were skipped: pytest -v and -rA, unittest -v, go test -v, cargo, nextest, TAP, CTest, " +
		"gtest, minitest -v, vitest",
	Triggers: []string{".py::", "--- PASS: ", "--- FAIL: ", "--- SKIP: ", " ... ok", " ... FAIL", " ... ERROR",
		" ... ignored", " ... skipped ", " ... expected failure", " ok ", " Test  #", " Test #", " Test   #", " Test    #",
		"duration_ms: ", "type: 'suite'", " PASSED", "   OK ]", "[ OK ]", "✓ ", "✔ ", " short test summary info ",
		"FAILED  ] ", "SKIPPED ] ", " s = ", "#test_"},
	Starts: []string{"[ DISABLED ] ", "Test command: ", " ✓ ", " × ", " ↓ ", "ok ", "PASSED", "FAILED", "SKIPPED", "ERROR",
		"RERUN", "SUBFAIL", "ok  \t", "FAIL\t", "        PASS [", "        FAIL [", "        SKIP [", "  TRY ",
		"     TIMEOUT [", "     Summary ["},
	Match:    notePass,
	Outcomes: func() func(*parse.Scan, parse.Line) { return new(testLines).line },
}

// notePass records a passed test if the line marks one. It reads lines of runners that run many tests in one process.
// It always returns false, so other formats see the line, too.
func notePass(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if hasAnyPrefix(text, "✓ ", "✔ ", "--- PASS: ", "[       OK ]") ||
		hasAnySuffix(cutTook(text), " ... ok", " PASSED", "[ OK ]") {
		s.Passed()
	}
	return false
}

// testLines keeps the state of the runners.
type testLines struct {
	again map[string]bool // node IDs that pytest runs again
	node  string          // node ID of pytest whose outcome is on a later line
	named bool            // pytest has printed lines with names while the tests ran
	lists bool            // pytest is printing its summary
	goes  []parse.Result  // tests of the running Go package, whose name is printed after its tests
	tap   tapLines
	names namedLines
	over  bool // nextest is repeating the failures
}

// line reads a line. The zero Line means the end of the log.
func (t *testLines) line(s *parse.Scan, l parse.Line) {
	text := strings.TrimRight(l.Text, " ")
	if l.N == 0 {
		t.tap.end(s)
		t.tap.flush(s)
		t.endGo(s, "")
		return
	}
	if strings.HasPrefix(text, `{"`) { // go test -json names the package in each line
		return
	}
	if t.goLine(s, text) || t.tap.line(s, l) || t.names.line(s, text) {
		return
	}
	switch {
	case strings.HasSuffix(text, "=") && strings.Contains(text, " short test summary info "):
		t.lists = true
	case t.lists && t.unnamed(s, text):
	case strings.Contains(text, ".py::") || t.node != "":
		t.pytest(s, trimPercent(text))
	case strings.Contains(text, " ... "):
		dots(s, text)
	case strings.Contains(text, " Test "):
		t.names.ctest = ctestOutcome(s, text) || t.names.ctest
	case strings.Contains(text, " ["):
		t.nextest(s, text)
	}
}

// goLine reads "--- PASS: TestA (0.00s)", or the line that names the package.
func (t *testLines) goLine(s *parse.Scan, text string) bool {
	for _, end := range [...]string{"ok  \t", "FAIL\t"} {
		if rest, ok := strings.CutPrefix(text, end); ok {
			pkg, _, _ := strings.Cut(rest, "\t")
			pkg, _, _ = strings.Cut(pkg, " ")
			t.endGo(s, pkg+".")
			return true
		}
	}
	i := strings.Index(text, "--- ")
	if i < 0 || len(text) < i+10 || text[i+8] != ':' {
		return false
	}
	o, ok := goOutcomes[strings.ToLower(text[i+4:i+8])]
	name, isTest := goTestName(text[i+10:])
	if !ok || !isTest || strings.HasPrefix(name, "Benchmark") {
		return false
	}
	_, took, _ := strings.Cut(text[i+10:], " (")
	if len(t.goes) < store.MaxTestResults {
		t.goes = append(t.goes, parse.Result{Name: name, Outcome: o, Duration: secondsAt(took), Same: true})
	}
	return true
}

// secondsAt returns the duration at the start of text.
func secondsAt(text string) time.Duration {
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		return 0
	}
	return seconds(text[:end])
}

// endGo reports the outcomes of a Go package.
func (t *testLines) endGo(s *parse.Scan, pkg string) {
	for _, r := range t.goes {
		r.Name = pkg + r.Name
		s.Test(r)
	}
	t.goes = nil
}

// unnamed reads lines of pytest's summary that name no test: "ERROR test_a.py - message" for a file that cannot be
// loaded, and "SKIPPED [2] test_a.py:26: reason" for tests at a line. If the tests were named while they ran, their
// skips are already known.
func (t *testLines) unnamed(s *parse.Scan, text string) bool {
	if file, ok := strings.CutPrefix(text, "ERROR "); ok {
		file, _, _ = strings.Cut(file, " - ")
		if strings.HasSuffix(file, ".py") && parse.IsFileName(file) {
			s.Test(parse.Result{Name: file, File: file, Outcome: store.TestError, Listed: true})
			return true
		}
		return false
	}
	rest, ok := strings.CutPrefix(text, "SKIPPED [")
	if !ok {
		return false
	}
	count, n := parse.Number(rest)
	rest, ok = strings.CutPrefix(rest[n:], "] ")
	file, rest, isPlace := strings.Cut(rest, ".py:")
	_, n = parse.Number(rest)
	reason, isReason := strings.CutPrefix(rest[n:], ": ")
	if !ok || !isPlace || n == 0 || !isReason {
		return false
	}
	file += ".py"
	for range count {
		if !t.named {
			s.Test(parse.Result{Name: file + ": " + reason, File: file, Outcome: store.TestSkipped, Distinct: true})
		}
	}
	return true
}

var pytestOutcomes = map[string]store.TestOutcome{"PASSED": store.TestPassed, "FAILED": store.TestFailed,
	"ERROR": store.TestError, "SKIPPED": store.TestSkipped, "XFAIL": store.TestSkipped, "XPASS": store.TestPassed,
	"RERUN": store.TestFailed, "SUBFAIL": store.TestFailed}

// pytest reads "a.py::test PASSED", "[gw0] [ 7%] PASSED a.py::test" of xdist, and "PASSED a.py::test" in the list that
// the option -rA prints.
func (t *testLines) pytest(s *parse.Scan, text string) {
	if strings.HasPrefix(text, "[gw") {
		_, text, _ = strings.Cut(text, "] ")
		if strings.HasPrefix(text, "[") {
			_, text, _ = strings.Cut(text, "] ")
		}
		word, node, _ := strings.Cut(text, " ")
		t.node = ""
		if word != "SUBFAIL" { // the summary repeats it with its message
			t.tellPytest(s, node, word, false)
		}
		return
	}
	word, rest, _ := strings.Cut(text, " ")
	if _, ok := pytestOutcomes[word]; ok && rest == "" {
		node := t.node
		t.node = ""
		t.tellPytest(s, node, word, false)
		return
	} else if ok {
		t.tellPytest(s, listedNode(rest), word, true)
		return
	}
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		if last := text[i+1:]; last == strings.ToUpper(last) && t.tellPytest(s, strings.TrimSpace(text[:i]), last, false) {
			t.node = ""
			return
		}
		if node, reason, ok := strings.Cut(text, " SKIPPED ("); ok && reason != "" {
			t.node = ""
			t.tellPytest(s, node, "SKIPPED", false)
			return
		}
	}
	if node, _, _ := strings.Cut(text, " "); isNodeID(node) {
		t.node = node
	}
}

// listedNode returns the node ID in "a.py::test[a - b] - message".
func listedNode(text string) string {
	if node, _, ok := strings.Cut(text, " - "); ok && !strings.Contains(node, "[") {
		return node
	}
	if at := strings.Index(text, "] - "); at >= 0 && strings.Contains(text[:at], "[") {
		return text[:at+1]
	}
	if strings.HasSuffix(text, "]") && strings.Contains(text, "[") {
		return text
	}
	return text
}

func (t *testLines) tellPytest(s *parse.Scan, node, word string, listed bool) bool {
	o, ok := pytestOutcomes[word]
	if !ok || !isNodeID(node) {
		return false
	}
	t.named = t.named || !listed
	file, _ := nodeTail(node)
	again := t.again[node]
	s.Test(parse.Result{Name: node, File: file, Outcome: o, Listed: listed, Retry: again,
		After: o == store.TestError && !again || word == "SUBFAIL"})
	switch {
	case word != "RERUN":
		delete(t.again, node)
	case t.again == nil:
		t.again = map[string]bool{node: true}
	case len(t.again) < store.MaxTestResults:
		t.again[node] = true
	}
	return true
}

var dotOutcomes = map[string]store.TestOutcome{"ok": store.TestPassed, "FAILED": store.TestFailed,
	"FAIL": store.TestFailed, "ERROR": store.TestError, "ignored": store.TestSkipped, "skipped": store.TestSkipped,
	"expected": store.TestSkipped}

// dots reads "test a::b ... ok" of cargo and "test_a (mod.Class.test_a) ... ok" of unittest.
func dots(s *parse.Scan, text string) {
	i := strings.LastIndex(text, " ... ")
	if i < 0 {
		return
	}
	word, _, _ := strings.Cut(text[i+5:], " ")
	o, ok := dotOutcomes[strings.TrimSuffix(word, ",")]
	if !ok {
		return
	}
	if name, isTest := strings.CutPrefix(text[:i], "test "); isTest {
		if name = rustTestName(name); name != "" {
			s.Test(parse.Result{Name: name, Outcome: o, Distinct: true})
		}
		return
	}
	if name, isTest := unittestName(strings.TrimSpace(text[:i])); isTest {
		s.Test(parse.Result{Name: name, Outcome: o})
	}
}

// ctestOutcome reads "1/3 Test #1: name ....   Passed    0.01 sec". It reports whether the line is such a line.
func ctestOutcome(s *parse.Scan, text string) bool {
	count, rest, _ := strings.Cut(strings.TrimSpace(text), "Test ")
	_, rest, ok := strings.Cut(strings.TrimLeft(rest, " "), ": ")
	if count = strings.TrimSpace(count); !ok || count != "" && !strings.Contains(count, "/") {
		return false
	}
	r := parse.Result{Outcome: store.TestPassed, Retry: count == ""} // --repeat counts only the first attempt
	i := strings.Index(rest, " ..")
	if i < 0 {
		return false
	}
	how := strings.TrimLeft(rest[i:], " .")
	r.Name = strings.TrimSpace(rest[:i])
	switch {
	case strings.HasPrefix(how, "Passed"):
	case strings.Contains(how, "***Skipped"), strings.Contains(how, "***Not Run (Disabled)"):
		r.Outcome = store.TestSkipped
	case strings.Contains(how, "***Failed"):
		r.Outcome = store.TestFailed
	case strings.Contains(how, "***"):
		r.Outcome = store.TestError
	default:
		return false
	}
	if before, found := strings.CutSuffix(how, " sec"); found {
		r.Duration = seconds(before[strings.LastIndexByte(before, ' ')+1:])
	}
	s.Test(r)
	return true
}

// nextest reads "        PASS [   0.003s] (1/3) shop tests::a", or "  TRY 1 FAIL [" for a test that is retried.
func (t *testLines) nextest(s *parse.Scan, text string) {
	head, rest, ok := strings.Cut(text, "] ")
	verb, took, isMark := strings.Cut(strings.TrimSpace(head), " [")
	if verb == "Summary" {
		t.over = true
	}
	if !ok || !isMark || t.over {
		return
	}
	r := parse.Result{Duration: secondsAt(strings.TrimSpace(took)), Retry: strings.HasPrefix(verb, "TRY ")}
	switch verb = verb[strings.LastIndexByte(verb, ' ')+1:]; verb {
	case "PASS":
	case "FAIL", "SIGABRT", "SIGSEGV", "TIMEOUT", "TMT":
		r.Outcome = store.TestFailed
	case "SKIP":
		r.Outcome = store.TestSkipped
	default:
		return
	}
	if strings.HasPrefix(rest, "(") {
		if _, rest, ok = strings.Cut(rest, ") "); !ok {
			return
		}
	}
	f := strings.Fields(rest)
	if len(f) != 2 {
		return
	}
	r.Name = f[0] + "::" + f[1]
	s.Test(r)
}
