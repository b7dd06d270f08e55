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
}

// maxCommand is the max number of bytes that are kept of a line. A longer line ends a stop, and begins
// none.
const maxCommand = 4 << 10

// past takes text that the step printed.
func (s *stops) past(text []byte) {
	if !s.gate.Stopped() && !s.mayStop(text) {
		if i := max(bytes.LastIndexByte(text, '\n'), bytes.LastIndexByte(text, '\r')); i >= 0 {
			s.line, s.long, text = s.line[:0], false, text[i+1:]
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

// mayStop reports whether text, or the begun line with it, may have a command that stops others.
func (s *stops) mayStop(text []byte) bool {
	const command = "stop-commands"
	if len(s.line) > 0 {
		joint := append(s.line[:len(s.line):len(s.line)], text[:min(len(text), len(command))]...)
		if bytes.Contains(joint, []byte(command)) {
			return true
		}
	}
	return bytes.Contains(text, []byte(command))
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
