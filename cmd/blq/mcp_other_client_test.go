//go:build unix

package main

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	other "github.com/mark3labs/mcp-go/mcp"
)

// Server and client of one library may share assumptions that the protocol does not make. The client of another library
// must get the same answers.
func TestTheClientOfAnotherLibraryGetsTheSameAnswers(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	stdio := ways(t, dir)[0]
	want := everything(t, stdio.connect(t))
	url := serveHTTP(t, dir)
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		for name, connect := range map[string]func() (*client.Client, error){
			"stdio": func() (*client.Client, error) {
				return client.NewStdioMCPClientWithOptions("blq", nil, nil, transport.WithCommandFunc(
					func(context.Context, string, []string, []string) (*exec.Cmd, error) {
						return blq(dir, "mcp", "serve"), nil
					}))
			},
			"http": func() (*client.Client, error) { return client.NewStreamableHttpClient(url + "/mcp") },
			"sse":  func() (*client.Client, error) { return client.NewSSEMCPClient(url + "/sse") },
		} {
			if name == "sse" && revision == "2026-07-28" {
				continue // a tool for older clients
			}
			t.Run(name+" "+revision, func(t *testing.T) {
				c, err := connect()
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				got := askOther(t, c, revision)
				for question, answer := range got {
					if diff := cmp.Diff(want[question], answer); diff != "" {
						t.Errorf("%s (-go-sdk's client +this):\n%s", question, diff)
					}
				}
				if len(got) < 30 {
					t.Errorf("it asked %d questions", len(got))
				}
			})
		}
	}
}

// askOther asks the same questions as the function everything, with another client.
func askOther(t *testing.T, c *client.Client, revision string) map[string]any {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.Start(ctx))
	hello := other.InitializeRequest{}
	hello.Params.ProtocolVersion = revision
	hello.Params.ClientInfo = other.Implementation{Name: "test", Version: "1"}
	_, err := c.Initialize(ctx, hello)
	must(err)
	if got := c.ProtocolVersion(); got != revision {
		t.Errorf("the client speaks revision %s", got)
	}
	answers := map[string]any{}
	tools, err := c.ListTools(ctx, other.ListToolsRequest{})
	must(err)
	for _, tool := range tools.Tools {
		if slices.Contains(changes, tool.Name) {
			continue
		}
		var r other.CallToolRequest
		r.Params.Name, r.Params.Arguments = tool.Name, json.RawMessage(calls[tool.Name])
		answer, err := c.CallTool(ctx, r)
		must(err)
		answers["tool "+tool.Name] = plain(t, []any{answer.IsError, answer.Content, answer.StructuredContent})
	}
	resources, err := c.ListResources(ctx, other.ListResourcesRequest{})
	must(err)
	templates, err := c.ListResourceTemplates(ctx, other.ListResourceTemplatesRequest{})
	must(err)
	var uris []string
	for _, r := range resources.Resources {
		uris = append(uris, r.URI)
	}
	for _, r := range templates.ResourceTemplates {
		uris = append(uris, expand(r.URITemplate.Raw()))
	}
	for _, uri := range uris {
		var r other.ReadResourceRequest
		r.Params.URI = uri
		answer, err := c.ReadResource(ctx, r)
		must(err)
		answers["resource "+uri] = plain(t, answer.Contents)
	}
	prompts, err := c.ListPrompts(ctx, other.ListPromptsRequest{})
	must(err)
	for _, p := range prompts.Prompts {
		var r other.GetPromptRequest
		r.Params.Name = p.Name
		answer, err := c.GetPrompt(ctx, r)
		must(err)
		answers["prompt "+p.Name] = plain(t, answer.Messages)
		for _, a := range p.Arguments {
			var r other.CompleteRequest
			r.Params.Ref = other.PromptReference{Type: "ref/prompt", Name: p.Name}
			r.Params.Argument.Name = a.Name
			answer, err := c.Complete(ctx, r)
			must(err)
			answers["complete "+p.Name+" "+a.Name] = plain(t, answer.Completion)
		}
	}
	return answers
}
