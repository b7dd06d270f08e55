package redact

import (
	"bytes"

	"github.com/blq-ci/blq/internal/workflowcommand"
)

// stops tracks whether a step has stopped workflow commands. The runner ignores mask commands while commands are
// stopped, and so does the scan. If it is not clear whether commands are stopped, stops reports that they are not.
type stops struct {
	gate workflowcommand.Gate
	line []byte // the unfinished line, up to maxCommand bytes
	long bool   // the unfinished line is longer than maxCommand
	seen bool   // the last searched text may have a command that stops others
}

// stopCommand returns a shape for the name of the command that stops other commands. The shape begins inside of the
// name, at four bytes that are rare in logs. The name is not a secret. The scan only records where it is.
func stopCommand() *shape {
	s := compileShape("stop-commands", "op-commands")
	s.stops = true
	return s
}

// maxCommand is the max number of bytes of a line that are kept. A longer line never stops commands. If commands are
// stopped, they count as resumed after a longer line, because that line may have resumed them.
const maxCommand = 4 << 10

// past processes text that the step printed and that the scan has searched.
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
		i := bytes.IndexAny(text, "\r\n") // for the runner, both end a line
		if i < 0 {
			s.keep(text)
			return
		}
		s.keep(text[:i])
		s.end()
		text = text[i+1:]
	}
}

// goesOn reports whether the given text continues the unfinished line so that the line has the command that stops
// commands.
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

// clone returns a copy that shares no memory with s.
func (s *stops) clone() stops {
	c := *s
	c.line = bytes.Clone(c.line)
	return c
}

// end ends the unfinished line.
func (s *stops) end() {
	if !s.long {
		s.gate.Line(string(s.line))
	} else if s.gate.Stopped() {
		s.gate.Reset()
	}
	s.line, s.long = s.line[:0], false
}
