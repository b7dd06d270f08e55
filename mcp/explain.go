package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/mcp/transport"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// ours marks errors of our own handlers. The library returns them as internal errors, so the mark survives where a
// type would not.
const ours = "\x00blq:"

// protocolError returns the error of a resource or prompt in the form of the protocol. uri is the resource's, or
// "" for a prompt.
func (s *Server) protocolError(ctx context.Context, what, uri string, err error) error {
	p := s.problem(ctx, what, err)
	e := transport.Error{Code: sdk.INVALID_PARAMS, Message: p.Error}
	switch {
	case p.Code == store.NotFound && uri != "" && !server.IsModernRequest(ctx):
		e.Code = sdk.RESOURCE_NOT_FOUND
	case p.Code == codeInternal || p.Code == store.Unavailable:
		e.Code = sdk.INTERNAL_ERROR
	}
	if p.NextStep != "" {
		e.Message += "; next: " + p.NextStep
	}
	if uri != "" {
		e.Data, _ = marshal(map[string]string{"uri": uri}) // a string can always be encoded
	}
	text, _ := marshal(e) // so can this
	return errors.New(ours + string(text))
}

var notFound = lazyregexp.New(`(?s)^(tool|prompt) '(.*)' not found`)

// explain rewrites an error of the library so that it says what to do next and shows no internals.
func (s *Server) explain(e transport.Error) transport.Error {
	if text, ok := strings.CutPrefix(e.Message, ours); ok {
		var own transport.Error
		if json.Unmarshal([]byte(text), &own) == nil {
			return own
		}
	}
	if m := notFound.FindStringSubmatch(e.Message); m != nil {
		e.Message = s.unknown(m[1], m[2])
		return e
	}
	if e.URI != "" {
		e.Message = fmt.Sprintf("no resource %s; resources/list and resources/templates/list name those there are", show(e.URI))
		return e
	}
	switch {
	case e.Code == sdk.INTERNAL_ERROR:
		s.log.Error("internal error", "error", e.Message)
		return transport.Internal
	case strings.HasPrefix(e.Message, "Unsupported protocol version"):
		e.Message += "; supported are " + strings.Join(sdk.ValidProtocolVersions, ", ")
	case strings.HasPrefix(e.Message, "illegal base64"):
		e.Message = "there is no such cursor: list without one, all fits into one answer"
	case strings.HasPrefix(e.Message, "unparsable "):
		e.Message = "the params of the request are not as the protocol has them"
	}
	e.Message = short(query.Clean(e.Message))
	return e
}

// unknown says that a tool or prompt does not exist, and lists those that do.
func (s *Server) unknown(kind, name string) string {
	names := s.names(kind)
	said := fmt.Sprintf("unknown %s %s", kind, show(name))
	if like := query.Nearest(name, names); like != "" {
		return said + "; did you mean " + like + "?"
	}
	if len(names) == 0 {
		return said + "; there are none"
	}
	return said + "; there are " + strings.Join(names, ", ")
}

func (s *Server) names(kind string) []string {
	var names []string
	if kind == "tool" {
		for _, t := range s.tools {
			names = append(names, t.name)
		}
		return names
	}
	return slices.Sorted(maps.Keys(s.sdk.ListPrompts()))
}
