package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// goLog is the log of one test. No mark shows which entry made the test fail. So the entry that explains most becomes
// the message.
type goLog struct {
	first int // first line of the log, 0 if it is empty
	entry goEntry
	best  goEntry
}

// goEntry is one call of t.Log or t.Error.
type goEntry struct {
	parse.Place
	n     int
	text  string
	score int
}

const maxGoEntry = 1500 // max bytes that are kept of an entry

// start returns the first line of the log.
func (g *goLog) start() int { return g.first }

// feed adds a line of the log. The line begins an entry, or continues the newest entry.
func (g *goLog) feed(l parse.Line) {
	text := l.Trim()
	if g.first == 0 {
		g.first = l.N
	}
	if p, rest, ok := goLogPlace(text); ok && !isGoTrace(g.entry.text) {
		g.entry = goEntry{Place: p, text: rest, n: l.N}
	} else if len(g.entry.text)+len(text) < maxGoEntry {
		if g.entry.text != "" {
			g.entry.text += "\n"
		}
		g.entry.text += text
	}
	g.rate()
}

// isGoTrace reports whether the text of an entry so far ends in testify's list of callers, "Error Trace:".
func isGoTrace(entry string) bool {
	i := strings.LastIndex(entry, "Error Trace:")
	return i >= 0 && !strings.Contains(entry[i:], "\nError:")
}

// output adds a line that was not printed by t.Log.
func (g *goLog) output(l parse.Line) {
	if g.first == 0 {
		g.first = l.N
	}
	if len(g.entry.text) < maxGoEntry {
		if g.entry.text != "" {
			g.entry.text += "\n"
		}
		g.entry.text += l.Trim()
	}
	g.rate()
}

// rate keeps the entry if it explains more than the best entry so far. Assertions come first, then the first entry with
// a word of failure, then the last entry.
func (g *goLog) rate() {
	e := &g.entry
	e.score = 1
	head, _, _ := strings.Cut(e.text, "\n")
	switch {
	case strings.Contains(e.text, "Error Trace:"):
		e.score = 3
	case logSaysFailure(head):
		e.score = 2
	}
	if e.score > g.best.score || e.n == g.best.n || e.score == 1 && g.best.score == 1 {
		g.best = *e
	}
}

// logSaysFailure reports whether a log line reads like the reason for a failure.
func logSaysFailure(text string) bool {
	for _, w := range [...]string{"got", "want", "expect", "Expect", "rror", "ail", "should", "mismatch", "not equal",
		"panic", "diff", "invalid", "unable", "cannot", "could not", "timed out", "timeout", "unexpected"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// fill copies the best entry into the draft of the test.
func (g *goLog) fill(d *parse.Draft) {
	e := g.best
	if e.text == "" && e.File == "" || strings.HasPrefix(d.Message, "panic: ") {
		return
	}
	message := e.text
	if e.score == 3 {
		message = testifyMessage(e.text)
		if p, _, ok := parse.PlaceAt(traceLine(e.text)); ok && strings.HasSuffix(p.File, "/"+e.File) {
			e.Place = p
		}
	}
	if strings.TrimSpace(message) != "" {
		d.Message = message
	}
	if e.File != "" {
		d.File, d.Line, d.Column = e.File, e.Line, 0
	}
}

// traceLine returns the first place of testify's error trace.
func traceLine(text string) string {
	_, rest, _ := strings.Cut(text, "Error Trace:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

// testifyMessage returns the Error and Messages sections of an assertion.
func testifyMessage(text string) string {
	var out []string
	keep := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "Error:"):
			keep, line = true, strings.TrimSpace(line[6:])
		case strings.HasPrefix(line, "Messages:"):
			keep, line = true, strings.TrimSpace(line[9:])
		case strings.HasPrefix(line, "Test:"), strings.HasPrefix(line, "Error Trace:"), line == "Diff:":
			keep = false
		}
		if keep && line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// goLogPlace reads "x_test.go:12: message", the form of t.Log. With -fullpath the file name is absolute.
func goLogPlace(text string) (parse.Place, string, bool) {
	i := strings.Index(text, ".go:")
	if i <= 0 || strings.ContainsAny(text[:i], " \t:(") && !parse.IsAbs(text) {
		return parse.Place{}, "", false
	}
	line, n := parse.Number(text[i+4:])
	rest := text[i+4+n:]
	if n == 0 || !strings.HasPrefix(rest, ":") {
		return parse.Place{}, "", false
	}
	return parse.Place{File: text[:i+3], Line: line}, strings.TrimSpace(rest[1:]), true
}

// width returns the indentation of a line. A tab counts as four columns.
func width(text string) int {
	n := 0
	for i := range len(text) {
		switch text[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}
