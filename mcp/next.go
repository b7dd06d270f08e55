package mcp

import (
	"encoding/json"
	"reflect"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

// longestCall is the max size in bytes of a call in a text for agents.
const longestCall = 1000

// nextStep returns a next step as text for agents, or "" if there is none. A call has the form of a tool call. If the
// tool is not offered or the call is too long, the text has only the explanation.
func (s *Server) nextStep(step store.NextStep) string {
	var call, why string
	switch n := step.(type) {
	case store.Call:
		call, why = s.callOf(n), n.Why
	case store.Shell:
		call, why = n.Line, n.Why
		if n.Or != nil && s.callOf(*n.Or) != "" {
			call, why = s.callOf(*n.Or), n.Or.Why
		}
	case store.Text:
		call = string(n)
	}
	if len(call) > longestCall {
		call = "" // a call of this size is too long to read
	}
	return cmdline.Explained(call, why)
}

// callOf returns a call as text, or "" if the tool is not offered.
func (s *Server) callOf(c store.Call) string {
	c, ok := s.possible(c)
	if !ok {
		return ""
	}
	return c.String()
}

// possible returns a call that the client can make: its tool is offered and accepts the arguments. For clients of lq,
// it replaces the call by a call of a tool of lq. The bool result is false if there is no such call.
func (s *Server) possible(c store.Call) (store.Call, bool) {
	if s.config.CompatLQ {
		c = lqCall(c)
	}
	i := s.place(c.Tool)
	if i < 0 {
		return c, false
	}
	text, err := json.Marshal(c.Arguments)
	if err != nil {
		return c, false
	}
	var arguments map[string]any
	if err := json.Unmarshal(text, &arguments); err != nil {
		return c, false
	}
	return c, decode(c.Tool, arguments, reflect.New(s.tools[i].in).Interface(), s.config.Hosted) == nil
}
