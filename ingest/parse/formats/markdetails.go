package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// markDetails reads what a runner prints below "✗ NAME" about the failed test: text that is indented
// further than the mark, an error or an assertion with its stack trace. nodeunit, vows, tap-spec and
// tap-difflet print such details.
type markDetails struct {
	d     *parse.Draft
	mark  int // indentation of the mark
	lines int
	blank parse.Blanks
	msg   parse.Message
	trace jsTrace
}

// maxMarkDetails is the max number of lines of text about a failed test.
const maxMarkDetails = 60

func (m *markDetails) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	blank, empty := m.blank.Line(text)
	m.lines++
	switch {
	case empty && blank == 0, text == "✖":
		return parse.Pass
	case empty, l.Level != "", m.lines > maxMarkDetails:
		return parse.Done
	case m.trace.add(text):
		m.msg.End()
		m.d.At(m.trace.place().File, m.trace.place().Line, m.trace.place().Column)
		m.d.Extend(l)
		return parse.Take
	case m.trace.seen || !m.continues(l, text):
		return parse.Done
	}
	m.d.Extend(l)
	if at, ok := cutAny(text, "at: ", "At: "); ok && m.trace.add("at "+at) { // TAP prints places in this form
		m.msg.End()
		m.trace.tell(m.d)
		return parse.Take
	}
	if namesError(text) && !strings.HasPrefix(m.msg.First(), "Assertion Message: ") {
		m.msg = parse.Message{} // Karma's reporters print the browser above the error
	}
	if !parse.IsRoutine(text) {
		m.msg.Tell(m.d, strings.TrimPrefix(text, "» "))
	}
	return parse.Take
}

// continues reports whether the text of a line is about the failed test.
func (m *markDetails) continues(l parse.Line, text string) bool {
	if _, isMark := failedTest(text); isMark || hasAnyPrefix(text, "✔", "✓", "✗", "✖", "·") {
		return false
	}
	switch {
	case l.Indent() > m.mark, hasAnyPrefix(text, "Assertion Message: ", "Error: ", "got\t"):
		return true
	case namesError(text):
		return l.Indent() == m.mark || l.Text[0] == '\t'
	}
	return parse.IsRoutine(text) && m.msg.Empty()
}
