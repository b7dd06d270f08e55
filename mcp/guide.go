package mcp

import (
	_ "embed"
	"strings"
	"time"
)

// cacheFor is how long lists and definitions may be kept by a client.
const cacheFor = 5 * time.Minute

//go:embed guide.md
var guideText string

//go:embed instructions.txt
var instructionsText string

// guide returns the guide for agents.
func (s *Server) guide() string { return s.offered(guideText) }

// instructions returns what every client is told at the start.
func (s *Server) instructions() string { return s.offered(instructionsText) }

// offered returns a text without the lines that begin with the name of a tool
// that is not offered, as in "{run} Run it again.", and without the marks of
// the others.
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
