package parse

import (
	"strings"

	"github.com/blq-ci/blq/internal/lazyregexp"
)

// These expressions classify the log lines of all tools. They help to find the lines that explain a failure.
var (
	timestamp   = lazyregexp.New(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z `)
	rulerLine   = lazyregexp.New(`^[-=_*#.~+|\s]*$`) // a ruler of characters, without words
	routineLine = lazyregexp.New(`^##\[(end)?group\]|^\[command\]|^travis_(fold|time):|A complete log of this run|` +
		`^Cleaning up orphan|^\s+at .*node:internal`)
	stackFrame = lazyregexp.New(
		`^panic\(\{|^(testing|runtime)\.[\w.*()]+\(|^created by |^goroutine \d+|^\s+/\S+\.go:\d+|` +
			`^\s*(at |File "|from |#\d+ |\.{3} \d+ more|\[\.\.\.\])|\(([\w$]+\.(java|kt|scala|groovy|clj):\d+|Native Method|` +
			`Unknown Source)\)|^\S+:\d+:in [\x60']`)
	foreignFrame = lazyregexp.New(`^panic\(\{|^(testing|runtime)\.|^created by (testing|runtime)|^goroutine \d+|` +
		`site-packages|dist-packages|node_modules|/usr/lib/|/usr/local/(lib|go)/|(^|[\s/])(java|javax|jdk|sun|org\.(junit|` +
		`testng|mockito|assertj|hamcrest|apache\.(maven|tools))|org\.gradle|worker\.org\.gradle|scala|kotlin|groovy|` +
		`clojure)\.[\w.$]+\(|internal/process|\(node:|/gems/|/rustc/|<frozen |\[\.\.\.\]`)
	runnerMark   = lazyregexp.New(`^(E|>)\s`)
	failureWords = lazyregexp.New(`(?i)caused by|error|exception|expected|actual|\bassert|panic|\bfail|\bgot\b|\bwant\b|` +
		`undefined|not found|cannot|can't|no such|denied|refused|^\s*(left|right|received):|^[-+] ?[^-+\s]`)
	greenWords = lazyregexp.New(`(?i)\b(0|no) (errors?|fail)|(errors?|failures?|failed): ?0\b`)
	commandEnd = lazyregexp.New(`^Process completed with exit code|^The command ".*" (exited with [1-9]|failed)`)
	jobEnd     = lazyregexp.New(`^Post job cleanup|^Done\. Your build exited|^ERROR: Job failed|^script returned exit ` +
		`code|^Finished: FAILURE`)
)

// IsRoutine reports whether a line is a ruler, or text that every job prints.
func IsRoutine(text string) bool {
	return rulerLine.MatchString(text) || routineLine.MatchString(text)
}

// CutTimestamp removes GitHub's timestamp from the start of a line.
func CutTimestamp(text string) string { return timestamp.ReplaceAllString(text, "") }

// IsFrame reports whether a line is a stack frame of any language.
func IsFrame(text string) bool { return stackFrame.MatchString(text) }

// IsForeignFrame reports whether a stack frame belongs to a library or a runtime.
func IsForeignFrame(text string) bool { return foreignFrame.MatchString(text) }

// IsRunnerMark reports whether a line begins with E or >. Test runners such as pytest mark the error and the failed
// code in this way.
func IsRunnerMark(text string) bool { return runnerMark.MatchString(text) }

// SpeaksOfFailure reports whether a line contains words of failure.
func SpeaksOfFailure(text string) bool { return failureWords.MatchString(text) }

// SaysNoFailure reports whether a line says that there are no errors or no failures: "0 errors", "failed: 0".
func SaysNoFailure(text string) bool { return greenWords.MatchString(text) }

// EndsCommand reports whether the line is a CI system's message that a command failed.
func EndsCommand(text string) bool { return commandEnd.MatchString(text) }

// EndsJob reports whether a line ends a job. No later line explains the job's failure.
func EndsJob(text string) bool { return jobEnd.MatchString(text) }

// SaysNone reports whether a line with words of failure reports no failure of its own. Such a line either says that
// zero things failed, or is a line of make that repeats another tool's failure.
func SaysNone(text string) bool {
	lower := strings.ToLower(text)
	if noneFailed.In(lower) {
		return true
	}
	// This is for lines such as "1 chart(s) linted, 0 chart(s) failed".
	if words := strings.Fields(lower); len(words) > 3 && words[len(words)-1] == "failed" && words[len(words)-3] == "0" {
		return true
	}
	return strings.HasPrefix(lower, "0 ") || strings.HasSuffix(lower, " passed")
}

// IsNotice reports whether a line is only a notice. Such a line begins with a word such as "warning" or "info", or says
// that the program goes on.
func IsNotice(text string) bool {
	text = strings.TrimLeft(text, "[(<*-!> \t")
	end := strings.IndexFunc(text, func(r rune) bool { return !IsLower(byte(r|0x20)) || r > 'z' })
	if end > 0 && end < 24 && isNoticeWord(text[:end], text[end]) {
		return true
	}
	for _, w := range [...]string{"skipping", "ignoring", "falling back", "continuing", "retrying", "using "} {
		if i := strings.Index(text, w); i > 1 && text[i-1] == ' ' && strings.IndexByte(",;.(", text[i-2]) >= 0 ||
			i > 0 && text[i-1] == '(' {
			return true
		}
	}
	if insists(text) {
		return false
	}
	return goesOn.In(text)
}

// noneFailed are words in lines that report no failure of their own: nothing failed, or make repeats the failure of
// another tool.
var noneFailed = NewWordSet(" 0 error", "errors: 0", "error: 0", " 0 fail", "failed: 0", "failures: 0", "failed 0",
	"no errors", "no failure", "without error", "failed=0", "errors=0", "0 problems", "recipe for target")

// goesOn are words in messages of a program that goes on after a problem.
var goesOn = NewWordSet("kipping", "kipped", "gnoring", "gnored", "alling back", "fallback", "optional",
	"using default", "ontinuing", "etrying", "not found, ")

// insists reports whether a line begins with a word that always means an error.
func insists(text string) bool {
	word, _, named := strings.Cut(text, ":")
	if named && strings.IndexByte(word, ' ') < 0 &&
		(strings.HasSuffix(word, "Error") || strings.HasSuffix(word, "Exception")) {
		return true
	}
	lower := strings.ToLower(text[:min(len(text), 10)])
	for _, w := range [...]string{"error", "fatal", "panic:", "exception", "cannot ", "can't ", "abort"} {
		if strings.HasPrefix(lower, w) {
			return true
		}
	}
	return false
}

// isNoticeWord reports whether the first word of a line makes the line a notice: "Warning: x", "[info] x", "INFO x".
// following is the character after the word. Words such as info and debug count only before a character such as a
// colon, or in upper case: "debug build" is no notice.
func isNoticeWord(word string, following byte) bool {
	lower := strings.ToLower(word)
	switch lower {
	case "warn", "note", "deprecated":
		return true
	case "info", "notice", "debug", "hint", "trace", "verbose", "skip":
		return strings.IndexByte(":])>|", following) >= 0 || following == ' ' && word == strings.ToUpper(word)
	}
	return strings.HasSuffix(lower, "warning") || strings.HasSuffix(lower, "warnings")
}
