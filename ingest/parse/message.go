package parse

import (
	"strings"
)

// MaxMessageLines is the max number of lines in the message of a failure.
const MaxMessageLines = 6

// Message collects the lines of a failure's message. The message is the first paragraph. If the first paragraph
// ends with a colon, the next paragraph belongs to the message, too.
type Message struct {
	Max     int    // max lines, 0 for MaxMessageLines
	Between string // separator between the lines, "" for a line end

	lines []string
	ended bool
}

// Add adds a line. An empty line may end the message.
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

// More adds a line even if the message has ended. It reports whether there was room for the line.
func (m *Message) More(text string) bool {
	if len(m.lines) >= m.max() {
		return false
	}
	m.lines = append(m.lines, text)
	return true
}

// Tell adds a line and stores the present message in d.
func (m *Message) Tell(d *Draft, text string) {
	m.Add(text)
	d.Message = m.String()
}

// End ends the message.
func (m *Message) End() { m.ended = true }

// Break ends the message if it has begun.
func (m *Message) Break() { m.ended = m.ended || len(m.lines) > 0 }

// Ended reports whether the message takes no more lines.
func (m *Message) Ended() bool { return m.ended }

// Empty reports whether the message has no lines.
func (m *Message) Empty() bool { return len(m.lines) == 0 }

// First returns the first line, or "" if there is none.
func (m *Message) First() string {
	if m.Empty() {
		return ""
	}
	return m.lines[0]
}

// Last returns the last line, or "" if there is none.
func (m *Message) Last() string {
	if m.Empty() {
		return ""
	}
	return m.lines[len(m.lines)-1]
}

// String returns the lines so far, joined.
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
