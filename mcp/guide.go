package mcp

import (
	_ "embed"
	"strings"
	"time"
)

// cacheFor is the time for which a client may cache lists and definitions.
const cacheFor = 5 * time.Minute

//go:embed guide.md
var guideText string

//go:embed instructions.txt
var instructionsText string

//go:embed instructions_lq.txt
var lqInstructionsText string

// guide returns the guide for agents. It mentions only tools that are offered.
func (s *Server) guide() string { return s.offered(guideText) }

// instructions returns the text that every client gets at the start.
func (s *Server) instructions() string {
	if s.config.CompatLQ {
		return s.offered(lqInstructionsText)
	}
	return s.offered(instructionsText)
}

// offered returns a text without the lines about tools that are not offered. A line about a tool begins with the
// tool's name in braces: "{run} Run it again." If the tool is offered, offered removes only the braces and the name.
func (s *Server) offered(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "{"); ok {
			name, after, found := strings.Cut(rest, "} ")
			if found && !s.has(name) {
				continue
			}
			line = after
		}
		b.WriteString(line)
	}
	return b.String()
}
