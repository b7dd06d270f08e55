package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/blq-ci/blq/mcp/transport"
)

// log collects what the server logs.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// config is the configuration of a server with good and bad tools. The tool "waits" takes from release when it has
// begun, and again before it answers.
func config(l io.Writer, release <-chan struct{}) transport.Config {
	s := server.NewMCPServer("test", "1", server.WithToolCapabilities(false), server.WithCompletions(),
		server.WithPromptCompletionProvider(badProvider{}))
	s.AddTool(sdk.NewToolWithRawSchema("good", "answers", json.RawMessage(`{"type":"object"}`)),
		func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return sdk.NewToolResultText("fine"), nil
		})
	s.AddTool(sdk.NewToolWithRawSchema("panics", "panics", json.RawMessage(`{"type":"object"}`)),
		func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) { panic("secret detail") })
	s.AddTool(sdk.NewToolWithRawSchema("waits", "answers late", json.RawMessage(`{"type":"object"}`)),
		func(ctx context.Context, _ sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			for range 2 { // once when it has begun, and once to end it
				select {
				case <-release:
				case <-ctx.Done():
				}
			}
			return sdk.NewToolResultText("late"), ctx.Err()
		})
	s.AddTool(sdk.NewToolWithRawSchema("tells", "tells its progress", json.RawMessage(`{"type":"object"}`)),
		func(ctx context.Context, _ sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			for i := range 5 {
				if err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progress": i}); err != nil {
					return nil, err
				}
			}
			return sdk.NewToolResultText("told"), nil
		})
	return transport.Config{Server: s, Log: slog.New(slog.NewTextHandler(l, nil)), Explain: func(e transport.Error) transport.Error {
		if e.Code == sdk.INTERNAL_ERROR {
			e.Message = "internal error"
		}
		return e
	}}
}

// badProvider panics where the library does not expect it.
type badProvider struct{}

func (badProvider) CompletePromptArgument(context.Context, string, sdk.CompleteArgument, sdk.CompleteContext) (*sdk.Completion, error) {
	panic("secret detail")
}

// leaks are texts that no client may see.
var leaks = []string{"secret detail", "goroutine", "json:", "Go struct", "mcp.", "map[", ".go:", "unmarshal"}

func checkNoLeak(t *testing.T, answer string) {
	t.Helper()
	for _, l := range leaks {
		if strings.Contains(answer, l) {
			t.Errorf("the answer tells of the server's inside (%q): %s", l, answer)
		}
	}
}

// tool writes a call of a tool.
func tool(id any, name string) string {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": name}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func send(t *testing.T, method, url, body string, header http.Header) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}
