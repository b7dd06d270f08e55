package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// wholeBytes is the max size in bytes of an answer for a program. A program can read more than an agent.
const wholeBytes = 16 << 20

// Answer answers a question for front ends that do not speak MCP. name is the name of a tool, and the answer is the
// tool's JSON. The argument max_bytes may be up to 16 MiB here; its default is the default of the tool. An error with
// a code has the next call as its hint. An error without a code is an internal error, and the front end must log it.
// NotFound: there is no such tool. Forbidden: the tool is not offered, or it changes something.
func (s *Server) Answer(ctx context.Context, name string, arguments map[string]any) (json.RawMessage, error) {
	t, err := s.question(name)
	if err != nil {
		return nil, err
	}
	out, err := guarded(ctx, func(ctx context.Context) (any, error) { return s.answer(ctx, t, arguments, wholeBytes) })
	if code := store.CodeOf(err); code != "" {
		told := store.Errorf(code, "%s", err)
		return nil, store.Hint(told, "%s", s.nextStep(store.NextOf(err)))
	}
	if err != nil {
		return nil, fmt.Errorf("answer %s: %w", name, err)
	}
	text, err := marshal(out)
	if err != nil {
		return nil, fmt.Errorf("write the answer of %s: %w", name, err)
	}
	return json.RawMessage(text), nil
}

// question returns the tool with the given name. NotFound: there is no such tool. Forbidden: the tool is not offered,
// or it changes something.
func (s *Server) question(name string) (tool, error) {
	for _, t := range s.all {
		switch {
		case t.name != name:
		case !s.offers(t):
			return tool{}, store.Errorf(store.Forbidden, "%s", s.whyDisabled(t))
		case !t.row.ReadOnly:
			return tool{}, store.Errorf(store.Forbidden, "tool '%s' is not a question: call it over MCP", name)
		default:
			return t, nil
		}
	}
	return tool{}, store.Errorf(store.NotFound, "%s", s.unknownTool(name))
}

// Offers reports whether a tool exists and the configuration offers it.
func (s *Server) Offers(tool string) bool { return s.has(tool) }

// Questions returns the names of the tools that change nothing, in the order of the tool list.
func (s *Server) Questions() []string {
	var names []string
	for _, t := range s.tools {
		if t.row.ReadOnly {
			names = append(names, t.name)
		}
	}
	return names
}
