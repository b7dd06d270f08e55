package redact

import (
	"bytes"
	"slices"

	"github.com/blq-ci/blq/internal/workflowcommand"
)

// stops follows where a step stops commands. A value that it masks there is only text, as for the
// runner. In doubt, commands count.
type stops struct {
	gate workflowcommand.Gate
	line []byte // the begun line, maxCommand bytes of it
	long bool   // the begun line is longer than that
	seen bool   // the text that was searched last may have a command that stops others
}

// stopCommand returns the shape of the name of the command that stops others. It begins within the name, where four
// bytes are rare in logs. It is no secret: the search only takes note of it.
func stopCommand() *shape {
	s := compileShape("stop-commands", "op-commands")
	s.stops = true
	return s
}

// maxCommand is the max number of bytes that are kept of a line. A longer line ends a stop, and begins
// none.
const maxCommand = 4 << 10

// past takes text that the step printed.
func (s *stops) past(text []byte) {
	if !s.gate.Stopped() && !s.seen && !s.goesOn(text) {
		line := bytes.LastIndexByte(text, '\n') + 1
		line += bytes.LastIndexByte(text[line:], '\r') + 1
		if line > 0 {
			s.line, s.long, text = s.line[:0], false, text[line:]
		}
		s.keep(text)
		return
	}
	for len(text) > 0 {
		i := bytes.IndexAny(text, "\r\n") // the runner takes both for ends of lines
		if i < 0 {
			s.keep(text)
			return
		}
		s.keep(text[:i])
		s.end()
		text = text[i+1:]
	}
}

// goesOn reports whether the begun line has, with the text after it, a command that stops others.
func (s *stops) goesOn(text []byte) bool {
	const command = "stop-commands"
	if len(s.line) == 0 {
		return false
	}
	joint := append(s.line[:len(s.line):len(s.line)], text[:min(len(text), len(command))]...)
	return bytes.Contains(joint, []byte(command))
}

func (s *stops) keep(text []byte) {
	n := min(len(text), maxCommand-len(s.line))
	s.line = append(s.line, text[:n]...)
	s.long = s.long || n < len(text)
}

// clone returns a copy that may go ahead.
func (s *stops) clone() stops {
	c := *s
	c.line = slices.Clip(c.line)
	return c
}

// end ends the begun line.
func (s *stops) end() {
	if !s.long {
		s.gate.Line(string(s.line))
	} else if s.gate.Stopped() {
		s.gate.Reset()
	}
	s.line, s.long = s.line[:0], false
}
