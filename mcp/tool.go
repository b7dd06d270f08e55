package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/mcp/transport"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// spec describes a tool. More facts are in the tool's row in the table of questions.
type spec struct {
	name        string
	description string         // when to use the tool, and one example
	call        string         // an example call, if the description has none
	bytes       int            // max size of an answer, unless the caller asks for another size; 0 means defaultBytes
	shapes      []reflect.Type // shapes of the answer, if it can have several
	waits       bool           // whether the tool waits for the end of a run
}

// answerBytes returns the max size of an answer if the caller does not ask for another size.
func (s spec) answerBytes() int { return cmp.Or(s.bytes, defaultBytes) }

// firstCall matches the call in the example of a description.
var firstCall = lazyregexp.New(`Example: ([\w-]+\((?:"[^"]*"|[^")])*\))`)

// example returns an example call, or "" if there is none.
func (s spec) example() string {
	if found := firstCall.FindStringSubmatch(s.description); found != nil {
		return found[1]
	}
	return s.call
}

// tool is a tool that the server can offer.
type tool struct {
	spec
	row  questions.Row // row of the tool, with its toolset, class, scope and annotations
	in   reflect.Type
	call func(c *call, arguments map[string]any) (any, error)
}

// call is a call of a tool, with the caller's asker and the max size of the answer.
type call struct {
	context.Context
	*query.Asker
	commands runner.Commands
	server   *Server
	bytes    int // max size of the answer in bytes
	maxBytes int // max size in bytes that the caller may ask for
}

// registry returns the commands as a Registry. Only tools that need a Registry may call this method.
func (c *call) registry() runner.Registry { return c.commands.(runner.Registry) }

// newTool returns a tool with typed input and output.
func newTool[In, Out any](s spec, handle func(c *call, in In) (Out, error)) tool {
	if s.shapes == nil {
		s.shapes = []reflect.Type{reflect.TypeFor[Out]()}
	}
	return tool{spec: s, in: reflect.TypeFor[In](), call: func(c *call, arguments map[string]any) (any, error) {
		var in In
		if err := decode(s.name, arguments, &in, c.server.config.Hosted); err != nil {
			return nil, err
		}
		c.bytes = answerBytes(s.answerBytes(), c.maxBytes, in)
		out, err := handle(c, in)
		if err != nil {
			return nil, err
		}
		if a, ok := any(out).(shortens); ok {
			c.fit(a)
		} else if a, ok := any(&out).(shortens); ok {
			c.fit(a)
		}
		return out, nil
	}}
}

// definition returns the definition of a tool for the protocol's library.
func (t tool) definition(hosted bool) *sdk.Tool {
	a := t.row.Annotations
	return &sdk.Tool{
		Name: t.name, Description: t.description,
		InputSchema: inputSchema(t.in, hosted), OutputSchema: schemaText(either(t.shapes, hosted)),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: a.ReadOnly, DestructiveHint: &a.Destructive,
			IdempotentHint: a.Idempotent, OpenWorldHint: &a.OpenWorld},
	}
}

// handler returns a function that answers calls of a tool. The MCP SDK calls this function.
func (s *Server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		guard := guarded[json.RawMessage]
		if t.waits && wantsProgress(r) {
			guard = recovered // no deadline: the client sees the progress, and can cancel at any time
		}
		out, err := guard(ctx, func(ctx context.Context) (json.RawMessage, error) {
			arguments, err := argumentsOf(ctx, r.Params.Arguments)
			if err != nil {
				return nil, err
			}
			out, err := s.answer(withProgress(ctx, r), t, arguments, maxBytes)
			if err != nil {
				return nil, err
			}
			text, err := marshal(out)
			if err != nil {
				return nil, fmt.Errorf("write the answer: %w", err)
			}
			return text, nil
		})
		if err != nil {
			return s.refuse(ctx, t, err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(out)}}, StructuredContent: out}, nil
	}
}

// argumentsOf decodes the arguments of a call. Long ones are decoded in a turn.
func argumentsOf(ctx context.Context, given json.RawMessage) (arguments any, err error) {
	if len(given) == 0 {
		return nil, nil
	}
	if len(given) >= store.LongJSON {
		leave, err := store.Turn(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	err = json.Unmarshal(given, &arguments)
	return arguments, err
}

// answer answers a call, and reports the call to the observer. maxBytes is the max size of an answer that the caller
// may ask for.
func (s *Server) answer(ctx context.Context, t tool, raw any, maxBytes int) (any, error) {
	if s.config.Observe == nil {
		return s.do(ctx, t, raw, maxBytes)
	}
	began := time.Now()
	result := string(codeInternal) // the result for the observer if f panics
	defer func() { s.config.Observe(t.name, result, time.Since(began)) }()
	out, err := s.do(ctx, t, raw, maxBytes)
	result = resultOf(ctx, err)
	return out, err
}

// resultOf returns the result of a call for the observer: ok, cancelled, or the code of an error. A call that failed
// after its deadline has the code unavailable.
func resultOf(ctx context.Context, err error) string {
	switch code := store.CodeOf(err); {
	case err == nil:
		return "ok"
	case errors.Is(ctx.Err(), context.Canceled):
		return "cancelled"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return string(store.Unavailable)
	case code != "":
		return string(code)
	}
	return string(codeInternal)
}

func (s *Server) do(ctx context.Context, t tool, raw any, maxBytes int) (any, error) {
	arguments, ok := raw.(map[string]any)
	if !ok && raw != nil {
		return nil, store.Errorf(store.Invalid, "the arguments of %s must be an object", t.name)
	}
	if err := s.allow(ctx, t); err != nil {
		return nil, err
	}
	asker, err := s.config.Ask(ctx)
	if err != nil {
		return nil, err
	}
	if t.row.IsQuestion() { // other tools may change the history while they run a command
		asker = asker.ForOneQuestion()
	}
	return t.call(&call{Context: ctx, Asker: asker, commands: s.config.Commands, server: s, maxBytes: maxBytes}, arguments)
}

func (s *Server) allow(ctx context.Context, t tool) error {
	if s.config.Allow == nil {
		return nil
	}
	return s.config.Allow(ctx, t.row)
}

// mayAsk returns an error if the caller may not ask about runs. It protects resources, prompts and completions.
func (s *Server) mayAsk(ctx context.Context) error {
	if s.config.Allow == nil {
		return nil
	}
	return s.config.Allow(ctx, questions.Status.Row)
}

// problem is the answer to a call that failed.
type problem struct {
	Status   string     `json:"status,omitempty"` // status of a run that could not be started
	Error    string     `json:"error"`
	Code     store.Code `json:"code,omitempty"`
	NextStep string     `json:"next_step,omitempty"`
}

// refuse returns the answer to a call that failed. For a documentation tool, this is an error of the protocol. For any
// other tool, it is a result that is marked as an error.
func (s *Server) refuse(ctx context.Context, t tool, err error) (*sdk.CallToolResult, error) {
	switch t.row.Toolset {
	case questions.Realm:
		return s.realmRefusal(ctx, t, err)
	case docsToolset:
	default:
		return s.refusal(ctx, t, err), nil
	}
	p := s.problem(ctx, t.name, err)
	e := &jsonrpc.Error{Code: rpcCode(p.Code), Message: p.Error}
	data := struct {
		Code      store.Code `json:"code"`
		NextSteps []string   `json:"next_steps,omitempty"`
	}{Code: p.Code}
	if p.NextStep == "" && p.Code == store.Invalid && t.example() != "" {
		p.NextStep = t.example() + "   # an example"
	}
	if p.NextStep != "" {
		data.NextSteps = []string{p.NextStep}
	}
	e.Data, err = marshal(data)
	if err != nil {
		return nil, err
	}
	return nil, e
}

// docsToolset is the name of the toolset of documentation.
const docsToolset = "docs"

func (s *Server) refusal(ctx context.Context, t tool, err error) *sdk.CallToolResult {
	p := s.problem(ctx, t.name, err)
	if p.Code == store.Invalid && store.NextOf(err) == nil && t.example() != "" {
		p.NextStep = t.example() + "   # an example"
	}
	if t.row.Toolset == "run" {
		p.Status = string(store.StatusFail)
	}
	text, err := marshal(p)
	if err != nil {
		text = []byte(p.Error)
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}
}

// codeInternal is the code of errors without a code.
const codeInternal store.Code = "internal"

// problem returns the part of an error that the caller may see. It logs an error without a code.
func (s *Server) problem(ctx context.Context, what string, err error) problem {
	code := store.CodeOf(err)
	if code == "" {
		s.log.ErrorContext(ctx, "internal error", "in", what, "error", err)
		return problem{Error: transport.Internal.Message, Code: codeInternal}
	}
	return problem{Error: short(query.Clean(err.Error())), Code: code, NextStep: s.nextStep(store.NextOf(err))}
}

// marshal writes JSON without HTML escapes.
func marshal(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}

// short shortens a text from the caller to 500 characters.
func short(s string) string { return clip(s, 500) }

// clip cuts a text after limit characters.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
