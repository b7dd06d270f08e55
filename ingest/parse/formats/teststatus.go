package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// failedTest reads a line with which an unknown test runner marks a failed test: "NAME ... FAIL", "NAME: FAILED",
// "NAME   [ FAIL ]", "FAIL: NAME", "[FAIL] NAME", "✗ NAME", "NAME: *** FAILED test case 3 of 7 ***", "NAME ✗".
func failedTest(text string) (name string, ok bool) {
	if len(text) > maxStatusLine {
		return "", false
	}
	text = cutTook(text)
	for _, cut := range [...]func(string) (string, bool){cutStars, cutMarkAtStart, cutMarkAtEnd, cutMarkInside} {
		if name, ok = cut(text); ok {
			return name, isTestName(name)
		}
	}
	return "", false
}

// maxStatusLine is the max length in bytes of a line that names a test.
const maxStatusLine = 300

// failedMarks are the marks of runners for a failed test.
var failedMarks = map[string]bool{"FAIL": true, "FAILED": true, "FAILURE": true, "NOT OK": true, "CRASH": true,
	"CRASHED": true, "TIMEOUT": true, "Fail": true, "Failed": true, "fail": true, "failed": true, "not ok": true,
	"ERROR": true, "FAIL!": true, "FAILED!": true, "failed!": true, "Failed!": true}

// loud reports whether a mark means a failed test even without dots before it or spaces in its brackets.
func loud(mark string) bool { return strings.HasPrefix(mark, "FAIL") || mark == "NOT OK" }

// cutStars reads "NAME: *** FAILED test case 3 of 7 ***" of Common Test and similar runners.
func cutStars(text string) (name string, ok bool) {
	before, after, ok := strings.Cut(text, "*** FAILED ")
	if !ok || after == "***" {
		return "", false
	}
	return strings.TrimSpace(before + strings.Trim(after, " *")), true
}

// cutMarkAtStart reads "FAIL: NAME", "[ FAIL ] NAME" and "✗ NAME".
func cutMarkAtStart(text string) (name string, ok bool) {
	for _, glyph := range [...]string{"✗ ", "✘ ", "✖ ", "⨯ ", "× ", "❌ "} {
		if name, ok = strings.CutPrefix(text, glyph); ok {
			return strings.TrimSpace(name), true
		}
	}
	if text != "" && (text[0] == '[' || text[0] == '(') {
		end := strings.IndexAny(text, "])")
		return strings.TrimLeft(text[max(end, 0)+1:], ": "), end > 0 && end < 16 &&
			failedMarks[strings.TrimSpace(text[1:end])] && (text[1] == ' ' || loud(text[1:end]))
	}
	for _, mark := range [...]string{"FAIL", "FAILED", "NOT OK"} {
		rest, ok := strings.CutPrefix(text, mark)
		if !ok {
			continue
		}
		if name, ok = cutAny(rest, ": ", " - ", "  ", "\t", " "); ok {
			return strings.TrimSpace(name), true
		}
	}
	return "", false
}

// cutMarkAtEnd reads "NAME ... FAIL", "NAME: FAILED" and "NAME   [ FAIL ]".
func cutMarkAtEnd(text string) (name string, ok bool) {
	for _, glyph := range [...]string{" ✗", " ✘", " ✖", " ❌"} {
		if name, ok = strings.CutSuffix(text, glyph); ok {
			// With other marks before it, the line explains what the marks mean.
			return strings.TrimRight(name, " .\t:-"), !strings.ContainsAny(name, "✓✔✅✗✘✖❌")
		}
	}
	last := text[len(text)-min(len(text), 1):]
	if last == "]" || last == ")" {
		open := strings.LastIndexAny(text, "[(")
		if open <= 0 || len(text)-open > 16 {
			return "", false
		}
		mark := strings.TrimSpace(text[open+1 : len(text)-1])
		return strings.TrimRight(text[:open], " .\t:-"), failedMarks[mark] && (last == "]" || loud(mark))
	}
	at := len(text)
	for at > 0 && text[at-1] != ' ' && text[at-1] != '.' && text[at-1] != '\t' {
		at--
	}
	if at > 4 && strings.EqualFold(text[at-4:], "not ok") {
		at -= 4
	}
	mark := text[at:]
	if !failedMarks[mark] {
		return "", false
	}
	name = strings.TrimRight(text[:at], " .\t:-=>")
	gap := text[len(name):at]
	switch {
	case strings.Contains(gap, ".."), strings.Contains(gap, "..."):
		ok = true
	case strings.TrimSpace(gap) == "":
		ok = loud(mark) && (len(gap) > 1 || gap == "\t")
	default:
		ok = loud(mark) && gap != "."
	}
	return name, ok
}

// cutMarkInside reads "NAME...Error! (reason)" of Coq's tests. It also reads a row of columns between tabs, one of
// which ends in a mark: "NAME\tcase 3 FAILED\twhat it tests".
func cutMarkInside(text string) (name string, ok bool) {
	if before, _, found := strings.Cut(text, "...Error! ("); found {
		return before, true
	}
	before, after, ok := strings.Cut(text, " FAILED\t")
	if !ok {
		before, after, ok = strings.Cut(text, "\tFAILED\t")
	}
	return strings.Join(strings.Fields(before), " "), ok && strings.TrimSpace(after) != ""
}

// cutTook removes a test's duration from the end of a line: "(0.01s)", "[12 ms]", "0.12 sec".
func cutTook(text string) string {
	text = strings.TrimSpace(text)
	if last := len(text) - 1; last > 0 && (text[last] == ')' || text[last] == ']') {
		open := strings.LastIndexAny(text, "[(")
		if open > 0 && open+1 < last && parse.IsDigit(text[open+1]) {
			return strings.TrimSpace(text[:open])
		}
		return text
	}
	words := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(text, "ec"), "s"), "m")
	if number := strings.TrimRight(words, "0123456789. "); words != text && number != words &&
		strings.HasSuffix(text[:len(number)+1], " ") {
		return strings.TrimSpace(number)
	}
	return text
}

// isTestName reports whether the name next to a mark can be a test. Totals of results and system checks before a build
// are not tests.
func isTestName(name string) bool {
	lower := strings.ToLower(name)
	if name == "" || failedMarks[strings.Trim(name, "!*#=- ")] || parse.SaysNone(name) ||
		strings.ContainsAny(name[:1], "(|=,+") || !hasLetter(lower) {
		return false
	}
	if containsAny(lower, []string{"# todo", "# skip"}) {
		return false // a test point of TAP
	}
	if hasAnyPrefix(lower, "checking ", "check for ", "looking for ", "performing ", "trying ", "to ", "with ", "in ",
		"after ", "because ", "due to ", "on ", "at ", "command ", "-- ", "download", "fetching ", "connecting ",
		"xfail", "expected ", "test suite ", "test summary", "broken » ", "errored » ") {
		return false
	}
	if parse.IsDigit(name[0]) && containsAny(lower, []string{"test", "/", " of ", "fail", "error", "spec", "problem"}) {
		return false
	}
	first, _, _ := strings.Cut(lower, " ")
	if strings.HasSuffix(first, "ing") && first != "testing" && first != "running" {
		return false // "Opening a connection ... failed"
	}
	switch strings.TrimRight(lower, " :") {
	case "test", "tests", "result", "results", "test result", "test results", "build", "status", "total", "summary",
		"overall", "outcome", "exit", "all tests", "test run", "test suite", "overall status", "overall result", "job",
		"todo", "final result", "some tests", "unit tests":
		return false
	}
	return true
}

func hasLetter(lower string) bool {
	for i := range len(lower) {
		if parse.IsLower(lower[i]) || lower[i] >= 0x80 {
			return true
		}
	}
	return false
}
