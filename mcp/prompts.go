package mcp

import (
	"context"
	"reflect"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/query/questions"
)

// promptBytes is the max size of a prompt in bytes.
const promptBytes = 16 << 10

// prompts are the prompts, in the order of the list.
var prompts = []prompt{analyzeRegressionPrompt, fixErrorsPrompt, investigateFlakyPrompt, summarizeRunPrompt,
	discoverDocsPrompt}

// prompt is a text for an agent. For each request, the function render writes the text from the data in the store.
type prompt struct {
	def    *sdk.Prompt
	render func(c *call, arguments map[string]any) (string, error)
	ofDocs bool // whether the prompt is about documentation
}

// allow returns an error if the caller may not get the prompt.
func (p prompt) allow(ctx context.Context, s *Server) error {
	if !p.ofDocs {
		return s.mayAsk(ctx)
	}
	if s.config.Allow == nil {
		return nil
	}
	return s.config.Allow(ctx, questions.Facts.Row)
}

// newPrompt returns a prompt with typed arguments. The tags of the fields of In describe the arguments, as for a tool.
func newPrompt[In any](name, title, description string, render func(c *call, in In) (string, error)) prompt {
	p := prompt{def: &sdk.Prompt{Name: name, Title: title, Description: description}}
	for f := range questions.Fields(reflect.TypeFor[In]()) {
		p.def.Arguments = append(
			p.def.Arguments, &sdk.PromptArgument{Name: f.Key, Description: f.Tag.Get("jsonschema"), Required: required(f)})
	}
	p.render = func(c *call, arguments map[string]any) (string, error) {
		var in In
		if err := decode(name, arguments, &in, c.server.config.Hosted); err != nil {
			return "", err
		}
		return render(c, in)
	}
	return p
}

// addPrompts registers the prompts.
func (s *Server) addPrompts() {
	for _, p := range prompts {
		if p.ofDocs && !s.has("find") {
			continue
		}
		s.sdk.AddPrompt(p.def, s.promptHandler(p))
	}
}

func (s *Server) promptHandler(p prompt) sdk.PromptHandler {
	return func(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text, err := guarded(ctx, func(ctx context.Context) (string, error) { return s.prompt(ctx, p, r.Params.Arguments) })
		if err != nil {
			return nil, s.protocolError(ctx, "prompt "+p.def.Name, err)
		}
		return &sdk.GetPromptResult{
			Description: p.def.Description,
			Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
		}, nil
	}
}

// prompt returns the text of a prompt. An empty argument counts as missing.
func (s *Server) prompt(ctx context.Context, p prompt, given map[string]string) (string, error) {
	if err := p.allow(ctx, s); err != nil {
		return "", err
	}
	arguments := map[string]any{}
	for key, value := range given {
		if value = strings.TrimSpace(value); value != "" {
			arguments[key] = value
		}
	}
	asker, err := s.config.Ask(ctx)
	if err != nil {
		return "", err
	}
	return p.render(&call{Context: ctx, Asker: asker.ForOneQuestion(), commands: s.config.Commands, server: s,
		bytes: promptBytes}, arguments)
}
