package parse

import (
	"strings"
)

// MaxMessageLines is how many lines of a failure its message has.
const MaxMessageLines = 6

// Message gathers the words of a failure line by line: the first paragraph, and
// the next one where the first ends with a colon.
type Message struct {
	Max     int    // max lines, 0 for MaxMessageLines
	Between string // what stands between the lines, "" for a line end

	lines []string
	ended bool
}

// Add takes a line. An empty one may end the message.
func (m *Message) Add(text string) {
	text = strings.TrimSpace(text)
	switch {
	case m.ended:
	case text == "":
		if !strings.HasSuffix(m.Last(), ":") {
			m.Break()
		}
	default:
		m.lines = append(m.lines, text)
		m.ended = len(m.lines) >= m.max()
	}
}

// More takes a line that belongs to the message although it has ended, and
// reports whether there was room for it.
func (m *Message) More(text string) bool {
	if len(m.lines) >= m.max() {
		return false
	}
	m.lines = append(m.lines, text)
	return true
}

// Tell adds a line, and writes the message so far into d.
func (m *Message) Tell(d *Draft, text string) {
	m.Add(text)
	d.Message = m.String()
}

// End ends the message.
func (m *Message) End() { m.ended = true }

// Break ends the message if it has begun.
func (m *Message) Break() { m.ended = m.ended || len(m.lines) > 0 }

// Ended reports whether no more lines are added.
func (m *Message) Ended() bool { return m.ended }

// Empty reports whether no line was added.
func (m *Message) Empty() bool { return len(m.lines) == 0 }

// First returns the first line, "" for none.
func (m *Message) First() string {
	if m.Empty() {
		return ""
	}
	return m.lines[0]
}

// Last returns the newest line, "" for none.
func (m *Message) Last() string {
	if m.Empty() {
		return ""
	}
	return m.lines[len(m.lines)-1]
}

// String returns the lines so far.
func (m *Message) String() string {
	if m.Between == "" {
		return strings.Join(m.lines, "\n")
	}
	return strings.Join(m.lines, m.Between)
}

func (m *Message) max() int {
	if m.Max == 0 {
		return MaxMessageLines
	}
	return m.Max
}
