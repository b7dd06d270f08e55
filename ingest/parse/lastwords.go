package parse

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// said holds the last lines that no format took, because the last output of a step can explain a
// failure that no format knows.
type said struct {
	lines [keptLines]saidLine
	n     int  // number of lines so far
	gap   bool // the next line begins a paragraph
}

// saidLine is a line that contains a word.
type saidLine struct {
	text   []byte
	own    []byte // the line's own buffer for text
	lent   bool   // text is in a buffer that will be reused
	n      int    // line number
	begins bool   // the line begins a paragraph
}

// keptLines is the max number of last lines that are kept. If the last line explains nothing, the message of a failure
// may have maxLastWords of the kept lines. Both numbers worked best for known failures in real logs.
const (
	keptLines    = 16
	maxLastWords = 4
)

// add stores a line without copying its text. The caller must not change the text until keep is called.
func (w *said) add(text []byte, n int) {
	l := &w.lines[w.n%keptLines]
	l.text, l.lent, l.n, l.begins = text, true, n, w.gap
	w.n, w.gap = w.n+1, false
}

// keep copies the texts of the lines, because their buffers will be reused.
func (w *said) keep() {
	for i := range min(w.n, keptLines) {
		if l := &w.lines[i]; l.lent {
			l.own = append(l.own[:0], l.text...)
			l.text, l.lent = l.own, false
		}
	}
}

// at returns the line before the last i lines: at(0) is the last line. It returns nil if this line is no longer stored.
func (w *said) at(i int) *saidLine {
	if i >= min(w.n, keptLines) {
		return nil
	}
	return &w.lines[(w.n-1-i)%keptLines]
}

// last returns the last line.
func (w *said) last() saidLine {
	if l := w.at(0); l != nil {
		return *l
	}
	return saidLine{}
}

// telling searches the lines above a line number for the last line that may explain a failure, and returns its text.
// If lines without an explanation follow that line, or if it is a sum or advice, telling also returns the lines
// directly above it in the same paragraph. It leaves out lines that say that something is fine. If a plain diff ends at
// that line, telling returns the first lines of the diff. first and end are line numbers.
func (w *said) telling(before int) (texts []string, first, end int) {
	i, room := 0, 1
	for l := w.at(i); l != nil && l.n >= before; l = w.at(i) {
		i++
	}
	var warning *saidLine // the last line, if it looks like an important warning
	for l := w.at(i); l != nil && (saysNothing(string(l.text)) || !explains(string(l.text))); l = w.at(i) {
		if !saysNothing(string(l.text)) {
			if room == 1 && warns(string(l.text)) {
				warning = l
			}
			room = maxLastWords
		}
		i++
	}
	if warning != nil && !warning.begins {
		texts, end = []string{strings.TrimSpace(string(warning.text))}, warning.n
		room++
	}
	if texts, first, last := w.plainDiff(i); texts != nil {
		return texts, first, last
	}
	for l := w.at(i); l != nil && len(texts) < room; l = w.at(i) {
		text := strings.TrimSpace(string(l.text))
		fine := saysFine(text)
		if !explains(text) || end > 0 && !fine && isActivity(text) {
			break
		}
		if !fine {
			if end == 0 {
				end = l.n
			}
			if len(texts) == 0 && (isSum(text) || advises(text)) {
				room = maxLastWords // the lines above say more
			}
			texts, first = append([]string{text}, texts...), l.n
		}
		if i++; l.begins && end > 0 {
			return texts, first, end
		}
	}
	return w.underHeading(i, texts, first, end)
}

// plainDiff returns the beginning of a plain diff that ends at the given position. The lines of a plain diff begin with
// "< " or "> ".
func (w *said) plainDiff(at int) (texts []string, first, last int) {
	changes := 0 // lines of the old file
	for i := at; ; i++ {
		l := w.at(i)
		if l == nil || !strings.HasPrefix(string(l.text), "< ") && !strings.HasPrefix(string(l.text), "> ") {
			break
		}
		if l.text[0] == '<' {
			changes++
		}
		texts, first, last = append(texts, string(l.text)), l.n, max(last, l.n)
	}
	if changes == 0 || len(texts) < 2 { // npm and others print "> command"
		return nil, 0, 0
	}
	slices.Reverse(texts)
	return texts[:min(len(texts), maxLastWords)], first, last
}

// underHeading adds the lines above the last words, up to a heading such as "These files differ:", if the last words
// are in a short list below the heading. The items of the list must be indented, or be single words. The parameter at
// is the position of the line above the last words.
func (w *said) underHeading(at int, texts []string, first, last int) ([]string, int, int) {
	var list []string
	for i := at; first > 0 && i < at+maxLastWords && isItem(string(w.at(i-1).text)); i++ {
		l := w.at(i)
		if l == nil {
			break
		}
		text := strings.TrimSpace(string(l.text))
		if list = append([]string{text}, list...); strings.HasSuffix(text, ":") && explains(text) {
			return append(list, texts...), l.n, last
		}
		if l.begins {
			break
		}
	}
	return texts, first, last
}

// isItem reports whether a line can be an item of a list.
func isItem(text string) bool {
	return text[0] == ' ' || text[0] == '\t' || !strings.Contains(strings.TrimSpace(text), " ")
}

// words records a line that no format took.
func (st *step) words(text []byte, n int) {
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	switch {
	case st.hushed:
	case !hasWord(text):
		st.said.gap = true
	case !bytes.HasPrefix(text, []byte("travis_time:")):
		st.said.add(text, n)
		st.lastN = n
	}
}

// hasWord reports whether text has two consecutive letters. One letter outside ASCII is
// enough. For example, a line of dashes has no word.
func hasWord(text []byte) bool {
	letters := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == 0xe2 { // a dash, an arrow or a line of a box: U+2000 to U+2FFF have three bytes and no letters
			i, letters = i+2, 0
		} else if IsLower(c|0x20) || c >= 0x80 {
			if letters++; letters == 2 {
				return true
			}
		} else {
			letters = 0
		}
	}
	return false
}

// lastWords adds an event for a failed step in which no format found a cause. The event has the last lines of the step
// above the line with the number before. lastWords reports whether it added an event.
func (st *step) lastWords(before int) bool {
	texts, first, last := st.said.telling(before)
	if first == 0 || before < math.MaxInt && !isNews(texts, before-last) ||
		strings.Contains(texts[len(texts)-1], "arning: ") {
		return false // a warning alone does not make a step fail
	}
	// Travis may append its own text to the last line, if the line has no line end.
	message, _, _ := strings.Cut(strings.Join(texts, "\n"), "travis_time:")
	if !hasWord([]byte(message)) {
		return false
	}
	st.drafts = append(st.drafts, &Draft{Event: store.Event{Severity: store.SeverityError, Message: message,
		Tool: "unknown", Category: store.CategoryRuntime, LogLine: first, LogLineEnd: last}})
	return true
}

// isNews reports whether the last words before the line of a runner may explain the failure, and are near that line.
// Many commands fail without a message. Then the last words come from an earlier command, or are make's echo of the
// command.
func isNews(texts []string, gap int) bool {
	text := strings.Join(texts, " ")
	return gap <= 3 && strings.Count(text, " ") >= 3 && !strings.HasSuffix(text, ":") && !strings.Contains(text, " -") &&
		!isActivity(text)
}

// runsCommands reports whether the draft is about a tool that runs the commands of a project. The Repeat of such a tool
// says only that one of these commands failed.
func (d *Draft) runsCommands() bool {
	switch d.Tool {
	case "make", "npm", "yarn", "pnpm", "composer", "rake":
		return true
	}
	return d.Category == store.CategoryBuild && saysOnlyThatItFailed(d.Message)
}

// explains reports whether a line near the end of a step may explain why the step failed.
func explains(text string) bool {
	return !isEcho(text) && !SaysNone(text) && !IsNotice(text) && !isTiming(text)
}

// isTiming reports whether a line says only how much time or memory something took: "12ms", "Finished in 0.1 seconds".
func isTiming(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
	for _, w := range words {
		if !timingWords[w] {
			return false
		}
	}
	return strings.ContainsAny(text, "0123456789") && len(words) > 0
}

var timingWords = map[string]bool{"ms": true, "s": true, "sec": true, "secs": true, "second": true, "seconds": true,
	"m": true, "min": true, "mins": true, "minute": true, "minutes": true, "h": true, "time": true, "took": true,
	"elapsed": true, "total": true, "duration": true, "finished": true, "done": true, "completed": true, "in": true,
	"test": true, "tests": true, "all": true, "real": true, "user": true, "sys": true, "mb": true, "kb": true,
	"memory": true}

// warns reports whether a line begins with a warning that may be the cause of a failure. Only warnings in capital
// letters count, because others are rarely the cause.
func warns(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, "[(<*-!> \t"), "WARN") }

// saysExit reports whether a line says only how a program ended: "exit status 1", "exited with code 2".
func saysExit(text string) bool {
	text = strings.TrimRight(strings.TrimSpace(text), ".0123456789")
	switch strings.ToLower(strings.TrimRight(text, " :=")) {
	case "exit status", "exit code", "exited with code", "exited with status", "exited with exit code",
		"process exited with code", "command exited with non-zero status", "process finished with exit code",
		"command exited with code", "exiting with code", "exiting with exit code", "exiting with status":
		return true
	}
	return false
}

// saysNothing reports whether a line only repeats an exit code, says how to get help, says that a program cleans up or
// has ended, or is a stack frame.
func saysNothing(text string) bool {
	return saysExit(text) || offersHelp(text) || tidiesUp(text) || strings.TrimLeft(text, " \t") != text && IsFrame(text)
}

// offersHelp reports whether a line only says how to get a program's help, as in "Try 'cp --help' for
// more information.", "Run 'go help' for usage.", `psql: hint: Try "psql --help" for more
// information.`.
func offersHelp(text string) bool {
	if !strings.Contains(text, "help") || len(text) > 120 {
		return false
	}
	text = strings.TrimSpace(text)
	if program, rest, ok := strings.Cut(text, ": "); ok && !strings.Contains(program, " ") {
		text = strings.TrimPrefix(rest, "hint: ")
	}
	verb, rest, _ := strings.Cut(text, " ")
	switch strings.ToLower(verb) {
	case "try", "use", "run", "see", "type":
		return strings.Contains(rest, "-help") || strings.Contains(rest, " help") || strings.Contains(rest, "\"help")
	case "for":
		return strings.HasPrefix(rest, "more ")
	}
	return false
}

// isEcho reports whether a line is the echo of a command, or of a part of a command, by a shell or a CI system:
// "+ make", "$ make", "esac".
func isEcho(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "$ ") || len(text) < 6 && shellEnds[strings.TrimRight(text, " ;")] {
		return true
	}
	if strings.HasPrefix(text, "+echo ") || strings.HasPrefix(text, "+exit ") { // PS4 may be a plus sign without a blank
		return true
	}
	traced := strings.TrimLeft(text, "+")
	return traced != text && len(traced) > 1 && traced[0] == ' ' && traced[1] != ' '
}

var shellEnds = map[string]bool{"fi": true, "esac": true, "done": true, "then": true, "else": true, "do": true}
