package mcp

import (
	_ "embed"
	"strings"
	"text/template"
	"time"
)

// cacheFor is how long lists and definitions may be kept by a client.
const cacheFor = 5 * time.Minute

//go:embed guide.md
var guideText string

//go:embed instructions.txt
var instructionsText string

// guide returns the guide for agents, which names only tools that are offered.
func (s *Server) guide() (string, error) { return s.fill("guide", guideText) }

// instructions returns what every client is told at the start.
func (s *Server) instructions() (string, error) { return s.fill("instructions", instructionsText) }

// fill fills in a template: {{if has "run"}} … {{end}} stands only where the
// tool is offered.
func (s *Server) fill(name, text string) (string, error) {
	t, err := template.New(name).Funcs(template.FuncMap{"has": s.has}).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, nil)
	return b.String(), err
}
