package mcp

import (
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

// longestCall is the size in bytes of the longest call that is shown.
const longestCall = 1000

// nextStep returns a next step as text for agents, "" for none. A call is written as the call of a tool. If the
// tool is not offered, only the explanation remains.
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
		call = "" // nobody reads a call of this size
	}
	return cmdline.Explained(call, why)
}

// callOf returns the call of a tool as text, or "" if the tool is not offered.
func (s *Server) callOf(c store.Call) string {
	if !s.has(c.Tool) {
		return ""
	}
	return c.String()
}
