package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearing adds a token to each request.
type bearing struct{ token string }

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func TestStockClientsSeeTheirRepositories(t *testing.T) {
	t.Parallel()
	env := []string{"BLQ_DATA=" + t.TempDir(), "BLQ_AUTH=required"}
	p := serve(t, env)
	sends := p.with(makeToken(t, env, "--scope", "ingest", "--owner", "acme"))
	sends.start("018d0c00-0000-7000-8000-000000000001", "acme/shop", "build")
	sends.start("018d0c00-0000-7000-8000-000000000002", "acme/other", "secret-step")
	reads := &http.Client{Transport: bearing{makeToken(t, env, "--scope", "read", "--repo", "acme/shop")}}
	for name, transport := range map[string]mcp.Transport{
		"streamable": &mcp.StreamableClientTransport{Endpoint: p.URL + "/mcp", HTTPClient: reads},
		"sse":        &mcp.SSEClientTransport{Endpoint: p.URL + "/sse", HTTPClient: reads},
	} {
		t.Run(name, func(t *testing.T) {
			session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(
				t.Context(), transport, nil)
			check(t, err)
			defer session.Close()
			tools, err := session.ListTools(t.Context(), nil)
			check(t, err)
			for _, tool := range tools.Tools {
				if tool.Name == "query" || tool.Name == "run" || tool.Name == "exec" {
					t.Errorf("%s is listed", tool.Name)
				}
			}
			answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "status", Arguments: map[string]any{}})
			check(t, err)
			text := answer.Content[0].(*mcp.TextContent).Text
			if !strings.Contains(text, `"repo":"acme/shop","name":"build"`) || strings.Contains(text, "secret-step") {
				t.Errorf("status: %s", text)
			}
			refused, err := session.CallTool(
				t.Context(), &mcp.CallToolParams{Name: "query", Arguments: map[string]any{"sql": "SELECT 1"}})
			if err == nil && !refused.IsError {
				t.Errorf("query: %v", refused.Content)
			}
		})
	}
}
