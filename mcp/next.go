package mcp

import (
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

// longestCall is how many bytes of a call are worth showing.
const longestCall = 1000

// nextStep writes a next step for agents, "" for none. A call stands as the call
// of a tool; where the tool is not offered, its explanation is left.
func (s *Server) nextStep(step store.NextStep) string {
	var call, why string
	switch n := step.(type) {
	case store.Call:
		call, why = s.callOf(n), n.Why
	case store.Shell:
		call, why = n.Line, n.Why
		if n.Or != nil && s.has(n.Or.Tool) {
			call, why = n.Or.String(), n.Or.Why
		}
	case store.Text:
		call = string(n)
	}
	if len(call) > longestCall {
		call = "" // nobody reads it
	}
	return cmdline.Explained(call, why)
}

// callOf returns the call of a tool, "" for one that is not offered.
func (s *Server) callOf(c store.Call) string {
	if !s.has(c.Tool) {
		return ""
	}
	return c.String()
}
