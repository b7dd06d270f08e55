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

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/mcp/transport"
)

// log collects the log of the server.
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

// config returns the configuration of a server with good and bad tools. The tool "waits" receives from release at its
// beginning, and again before it answers.
func config(l io.Writer, release <-chan struct{}) transport.Config {
	log := slog.New(slog.NewTextHandler(l, nil))
	s := transport.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, sdk.ServerOptions{
		CompletionHandler: func(context.Context, *sdk.CompleteRequest) (
			*sdk.CompleteResult, error) {
			panic("secret detail")
		},
	}, log)
	add := func(name string, handle sdk.ToolHandler) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, handle)
	}
	add("good", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("fine"), nil })
	add("panics", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { panic("secret detail") })
	add("waits", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for range 2 { // once after it has begun, and once to end it
			select {
			case <-release:
			case <-ctx.Done():
			}
		}
		return text("late"), ctx.Err()
	})
	add("tells", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for i := range 5 {
			if err := r.Session.NotifyProgress(
				ctx, &sdk.ProgressNotificationParams{ProgressToken: "t", Progress: float64(i)}); err != nil {
				return nil, err
			}
		}
		return text("told"), nil
	})
	return transport.Config{Server: s, Log: log}
}

func text(t string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: t}}}
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

// tool returns a call of a tool as JSON.
func tool(id any, name string) string {
	text, err := json.Marshal(
		map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": name}})
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
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(all)
}
