package formats

import (
	"strings"
	"sync"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// generalFormat reads lines of any tool that report a failure in plain words. Their events are guesses (see
// step.settle).
func generalFormat() parse.Format {
	return parse.Format{
		Name:  "general",
		About: "any tool that says in plain words that something failed",
		Triggers: append(leading("Failure", "Exception", "Invalid ", "invalid "),
			"rror:", "ERROR", "rror ", "[error]", "[Error]", "atal:", "atal error", "FATAL", "Exception: ", "An exception",
			"---- failure",
			"ailed", "FAIL", "aborted", "Aborted", "panic", "nexpected ", "annot ", "an't ", "ould not ", "ouldn't ",
			"nable to ",
			"ot found", "o such ", "enied", "refused", "timed out", "nhandled", "ncaught", "...Error! (",
			"llegal ", "issing ", "Traceback",
			"Segmentation fault", "core dumped", "Killed", "not allowed", "✗", "✘", "×", "✖", "⨯", "❌", "occured",
			"occurred",
			"provided but not", "exceeded", "not match", "efusing to ", "imeout", "imed out", "NOT OK", " not ok",
			"nknown ", "nsupported ", "nrecogni", " operand", "equires an argument", "nvalid opt", "nvalid arg",
			"nvalid com", " arguments", "you must specify", "does not exist", "Bad flag ",
			", got ", " but got ", " but was ",
		),
		Starts: []string{
			"Failure", " Failure", "Exception", " Exception", "Invalid ", " Invalid ", "invalid ", " invalid ", "[-] ",
			"not ok ", "Usage:", "usage:",
		},
		New: newGeneral,
	}
}

// general groups adjacent lines into one event.
type general struct {
	last *parse.Draft
}

// isLoneMark reports whether a line has nothing but a mark of a failure in brackets, such as "[FAILED]". Then the line
// before says what failed.
func isLoneMark(text string) bool {
	return text == "[FAILED]" || text == "[FAIL]" || text == "[ FAILED ]" || text == "[ FAIL ]"
}

// announces reports whether a line only announces a failure that the next line describes: "rake aborted!", "Failures:",
// "Test run failed! Reason:".
func announces(text string) bool {
	return strings.HasSuffix(text, "aborted!") || strings.HasSuffix(text, ":") && len(text) < 60
}

func newGeneral() parse.Matcher { return new(general).match }

// match reads a line that reports a failure. It always returns false, because the line may also become the last words
// of its step.
func (g *general) match(s *parse.Scan, l parse.Line) bool {
	text := plainStart(l.Trim())
	name, isTest := failedTest(text)
	mark := isLoneMark(text)
	if !isTest && !mark && (!saysFailure(text) || failedMarks[text]) || strings.HasPrefix(text, "+ ") ||
		parse.SaysNone(text) || setsLimit(text) {
		return false
	}
	if isTest {
		g.last = s.Add(parse.Draft{Weight: parse.Status, Key: name,
			Event: store.Event{Message: text, Test: name, Tool: "unknown", Category: store.CategoryTest}})
		if text[0] >= 0x80 { // a symbol such as ✗
			s.BlockElse((&markDetails{d: g.last, mark: l.Indent()}).line)
		}
		return false
	}
	// A line directly below an error belongs to the error, except the reason that comes below a usage text. The usage
	// text of a program belongs to the error at most eight lines above, which is about the program's arguments.
	if g.last != nil && (l.N <= g.last.LogLineEnd+1 && !(endsInUsage(g.last.Message) && saysReason(text)) ||
		l.N <= g.last.LogLineEnd+8 && isUsage(text)) {
		g.last.Extend(l)
		return false
	}
	if parse.IsNotice(text) {
		return false
	}
	if g.last != nil && l.N <= g.last.LogLineEnd+longUsage && endsInUsage(g.last.Message) && saysReason(text) {
		g.last.Message = text // the usage text came before the error
		g.last.Move(l)
		return false
	}
	d := parse.Draft{Weight: parse.Guess, Event: store.Event{Message: text, Tool: "unknown",
		Category: store.CategoryRuntime, LogLine: l.N, LogLineEnd: l.N}}
	if said := s.Said(1); len(said) > 0 && !parse.IsNotice(said[0].Text) {
		switch above := said[0].Trim(); {
		case mark && said[0].N == l.N-1:
			d.Message = above + " " + text
		case isProblemCount(text) && said[0].N == l.N-1:
			listAbove(s, &d, l.N)
		// A program may say in its own words why it prints its usage text.
		case isUsage(text) && said[0].N >= l.N-2 && said[0].Indent() == 0 && !strings.HasPrefix(above, "$ "):
			d.Message, d.LogLine = above+"\n"+text, said[0].N
		}
	}
	g.last = s.Add(d)
	if announces(text) && !s.InBlock() {
		s.Block(told(g.last))
	}
	return false
}

// isProblemCount reports whether a line only counts problems: "Error: 2 problems in 1 file".
func isProblemCount(text string) bool {
	if _, rest, ok := strings.Cut(text, ": "); ok {
		text = rest
	}
	_, n := parse.Number(text)
	word, _, _ := strings.Cut(strings.TrimLeft(text[n:], " "), " ")
	switch strings.TrimRight(word, ".:!") {
	case "problem", "problems", "error", "errors", "issue", "issues", "violation", "violations", "offense", "offenses":
		return n > 0
	}
	return false
}

// maxListed is the max number of items that become the message of a count.
const maxListed = 4

// listAbove puts the items of a list before a count that ends the list in line n. Items begin with a bullet.
func listAbove(s *parse.Scan, d *parse.Draft, n int) {
	for _, l := range s.Said(maxListed) {
		text := l.Trim()
		if l.N != n-1 || !hasAnyPrefix(text, "* ", "- ", "• ") {
			return
		}
		n, d.LogLine, d.Message = l.N, l.N, text+"\n"+d.Message
	}
}

// longUsage is the max number of lines from the beginning of a usage text to the reason, which comes below the text.
const longUsage = 40

// isUsage reports whether a text is the usage text of a program.
func isUsage(text string) bool { return hasAnyPrefix(text, "Usage:", "usage:") }

// endsInUsage reports whether the last line of a message is the first line of a usage text.
func endsInUsage(message string) bool {
	return isUsage(message[strings.LastIndexByte(message, '\n')+1:])
}

// saysReason reports whether a line names an error, or says what is wrong with the arguments of a program.
func saysReason(text string) bool { return namesError(text) || refusesArguments(text) }

// told returns a function that reads the lines below an announcement such as "Failures:". The next line with text
// becomes the message. If that line is an item of a list, it is added to the announcement instead. Other formats get
// the line in both cases.
func told(d *parse.Draft) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		if text := l.Trim(); text != "" && l.Level == "" && l.N < d.LogLine+4 {
			if text[0] == '-' || text[0] == '*' { // an item of a list, or an option
				d.Message += " " + text
				d.Extend(l)
				return parse.Done
			}
			d.Message = text
			d.Move(l)
			return parse.Done
		}
		if l.N < d.LogLine+3 {
			return parse.Pass
		}
		return parse.Done
	}
}

// plainStart removes what loggers put before a message: a time, or a bullet.
func plainStart(text string) string {
	if i := strings.Index(text, " - "); i >= 8 && i < 30 && isClock(text[i-8:i]) { // 24 May 11:53:57 - Error: x
		text = strings.TrimLeft(text[i+3:], " ")
	}
	if strings.HasPrefix(text, "[") {
		if i := strings.IndexByte(text, ']'); i > 4 && i < 32 && parse.IsDigit(text[1]) {
			text = strings.TrimLeft(text[i+1:], " \t")
		}
	}
	for _, bullet := range [...]string{"* ", "- ", "> ", "! ", "-> ", "=> ", "==> ", "!! ", "!!! ", "*** ",
		">>> ", "--> "} {
		if rest, ok := strings.CutPrefix(text, bullet); ok {
			return strings.TrimLeft(rest, " \t")
		}
	}
	return text
}

// failureStarts are beginnings of lines that report a failure.
var failureStarts = []string{
	"Error", "ERROR", "error:", "error ", "[ERROR]", "[error]", "[Error]", "[FAIL", "[fail", "[FATAL", "[fatal",
	"ERR!", "ERR ",
	"fatal:", "Fatal", "FATAL", "fatal error", "Failed ", "FAILED", "failed to ", "failed: ", "Failure", "FAILURE", "FAIL",
	"Unhandled ", "Uncaught ", "uncaught ",
	"Unexpected ", "unexpected ", "Cannot ", "cannot ", "Can't ", "can't ", "Could not ", "could not ", "Couldn't ",
	"couldn't ", "Unable to ", "unable to ",
	"Traceback (most", "panic:", "Exception", "Aborted", "Aborting", "abort", "Segmentation fault", "Killed",
	"An error occur", "An exception",
	"Invalid ", "invalid ", "Illegal ", "illegal ", "Missing ", "missing ", "No such ", "no such ", "✗ ", "✘ ", "× ",
	"✖ ", "⨯ ", "❌", "[-] ", "not ok ",
	"Command failed", "command failed", "Build failed", "Build Failed", "TESTS FAILED", "TEST FAILED",
	"Tests failed", "Test failed",
	"Permission denied", "Access denied", "Usage:", "usage:", "Unknown ", "Unsupported ", "^---- failure",
	"flag provided but not defined", "Refusing to ", "refusing to ", "Timeout", "timeout: ", "TIMEOUT", "Timed out",
}

// failureParts are words inside of lines that report a failure.
var failureParts = parse.NewWordSet(
	" has exceeded ", " exceeded the ", " limit exceeded", "deadline exceeded", "not match", " refusing to ",
	"ould not connect to ", "annot connect to ", "annot open display",
	" timed out ", ": timeout", " does not exist", ": fatal: ", " not found: ",
)

// setsLimit reports whether a line with words of failure reports no failure. Such a line sets a limit ("Timeout: 30s"),
// counts none ("Timeouts: 0", "the limit was never exceeded"), has no value ("error: undefined,"), announces a retry
// ("timed out (attempt 1/3)"), or describes a selection ("files that do not match").
func setsLimit(text string) bool {
	lower := strings.ToLower(text)
	if number, ok := strings.CutSuffix(lower, "0"); ok && hasAnySuffix(number, ": ", "=", "= ") {
		return true
	}
	if hasAnySuffix(lower, ": undefined,", ": null,") { // a property of an object
		return true
	}
	if willRetry.In(lower) || isShare(lower) {
		return true
	}
	if reachesLimit.In(lower) {
		return hasAnyPrefix(lower, "no ", "not ", "never ") || containsAny(lower, []string{" never ", " not exceed"})
	}
	if rest, ok := strings.CutPrefix(lower, "timeout"); ok {
		rest = strings.TrimLeft(rest, "s :=")
		return rest != "" && parse.IsDigit(rest[0]) || hasAnyPrefix(rest, "of ", "set ", "is ")
	}
	return false
}

// isShare reports whether a line is a count in a sum, with its share of all: "Failed  :  1 (0.02%)".
func isShare(text string) bool {
	_, count, ok := strings.Cut(text, ": ")
	number, share, found := strings.Cut(strings.TrimLeft(count, " "), " (")
	return ok && found && parse.AllDigits(number) && strings.HasSuffix(share, "%)")
}

var (
	willRetry = parse.NewWordSet(" that do not match", " that does not match", " that did not match", "(attempt ",
		"will retry")
	reachesLimit = parse.NewWordSet("exceed", "expired", "elapsed", "reached", "waiting")
)

// failureEnds are ends of lines that report a failure.
var failureEnds = []string{
	" failed", " failed!", " failed.", " FAILED", " FAILED!", " aborted!", " aborted", ": not found", " not found",
	" not found.", "not found!", "No such file or directory", ": no such file or directory", "ermission denied",
	"onnection refused", " timed out", " timed out.", "(core dumped)", " not allowed",
}

// failureStartsBy maps a first byte to the failureStarts that begin with it.
var failureStartsBy = sync.OnceValue(func() *[256][]string {
	var by [256][]string
	for _, w := range failureStarts {
		by[w[0]] = append(by[w[0]], w)
	}
	return &by
})

func saysFailure(text string) bool {
	if text == "" {
		return false
	}
	for _, w := range failureStartsBy()[text[0]] {
		// A mark without text does not report a failure.
		if strings.HasPrefix(text, w) && (len(text) > len(w) || w[0] != '[') {
			return true
		}
	}
	for _, w := range failureEnds {
		if strings.HasSuffix(text, w) {
			return true
		}
	}
	return saysReason(text) || isMismatch(text) || len(text) < maxStatusLine && text[0] != '-' && failureParts.In(text)
}

// isMismatch reports whether a line says what a test expected, and what the test got.
func isMismatch(text string) bool {
	i := strings.Index(text, "xpected")
	return i > 0 && containsAny(text[i:], []string{", got ", " but got ", " but was "})
}

// namesError reports whether text begins like "TypeError: x", "a.b.CException: x",
// "tool: error: x" or "tool: fatal error: x".
func namesError(text string) bool {
	i := strings.Index(text, ": ")
	if i <= 0 || i > 120 {
		return strings.HasSuffix(text, "Error") && strings.IndexByte(text, ' ') < 0
	}
	name, rest := text[:i], text[i+2:]
	// Rust's tidy prints "tidy error: a.rs: no newline at the end".
	if tool, ok := strings.CutSuffix(name, " error"); ok && isRuleName(tool) && parse.IsLower(tool[0]) {
		return true
	}
	if strings.IndexByte(name, ' ') < 0 && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) {
		return true
	}
	if severity, _, ok := parse.SeverityAt(rest); ok && severity == store.SeverityError {
		return strings.Count(name, " ") < 3
	}
	return false
}
