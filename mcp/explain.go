package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/mcp/transport"
	"github.com/blq-ci/blq/store"
)

// protocolError converts an error of a resource, prompt or completion to an error of the protocol.
func (s *Server) protocolError(ctx context.Context, what string, err error) *jsonrpc.Error {
	p := s.problem(ctx, what, err)
	e := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: p.Error}
	if p.Code == codeInternal || p.Code == store.Unavailable {
		e.Code = jsonrpc.CodeInternalError
	}
	if p.NextStep != "" {
		e.Message += "; next: " + p.NextStep
	}
	return e
}

// resourceError returns the error of a resource as an error of the protocol.
func (s *Server) resourceError(ctx context.Context, r *sdk.ReadResourceRequest, err error) *jsonrpc.Error {
	e := s.protocolError(ctx, "resource", err)
	if store.CodeOf(err) == store.NotFound && !isModern(r) {
		e.Code = codeNoResource
	}
	e.Data, _ = marshal(map[string]string{"uri": r.Params.URI}) // a string can always be encoded
	return e
}

// codeNoResource is the error code for a missing resource in earlier revisions of the protocol.
const codeNoResource = -32002

// isModern reports whether a request uses a revision of the protocol without sessions (see transport.Stateless).
func isModern(r sdk.Request) bool {
	v, ok := r.(interface{ ProtocolVersion() string })
	return ok && v.ProtocolVersion() >= transport.Stateless
}

// refuseUnknown answers requests for unknown tools, prompts, resources and cursors. The answer is an error that helps
// the client to find the right name. If a tool exists but is not offered, the error says why.
func (s *Server) refuseUnknown(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		switch r := r.(type) {
		case *sdk.CallToolRequest:
			if !s.has(r.Params.Name) {
				return s.noTool(r.Params.Name)
			}
		case *sdk.GetPromptRequest:
			if !slices.Contains(promptNames(), r.Params.Name) {
				return nil,
					&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: unknown("prompt", r.Params.Name, promptNames())}
			}
		}
		result, err := next(ctx, method, r)
		if err == nil {
			return result, nil
		}
		var e *jsonrpc.Error
		if r, ok := r.(*sdk.ReadResourceRequest); ok && errors.As(err, &e) &&
			e.Message == sdk.ResourceNotFoundError("").Error() {
			return nil, s.resourceError(ctx, r, store.Errorf(store.NotFound,
				"no resource %s; resources/list and resources/templates/list name those there are", show(r.Params.URI)))
		}
		if strings.HasSuffix(method, "/list") && errors.As(err, &e) && e.Code == jsonrpc.CodeInvalidParams {
			return nil,
				&jsonrpc.Error{Code: e.Code, Message: "there is no such cursor: list without one, all fits into one answer"}
		}
		return nil, err
	}
}

// noTool returns the answer to the call of a tool that does not exist or is not offered.
func (s *Server) noTool(name string) (*sdk.CallToolResult, error) {
	for _, t := range s.all {
		if t.name == name {
			text, err := marshal(problem{Error: s.whyDisabled(t), Code: store.Forbidden})
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, err
		}
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: s.unknownTool(name)}
}

func (s *Server) unknownTool(name string) string {
	var names []string
	for _, t := range s.tools {
		names = append(names, t.name)
	}
	return unknown("tool", name, names)
}

// unknown returns the error text for a tool or prompt that does not exist. The text suggests a similar name. If there
// is no similar name, the text lists the existing names.
func unknown(kind, name string, names []string) string {
	said := fmt.Sprintf("unknown %s %s", kind, show(name))
	if like := nearest.Word(name, names); like != "" {
		return said + "; did you mean " + like + "?"
	}
	if len(names) == 0 {
		return said + "; there are none"
	}
	return said + "; there are " + strings.Join(names, ", ")
}

func promptNames() []string {
	var names []string
	for _, p := range prompts {
		names = append(names, p.def.Name)
	}
	return names
}
