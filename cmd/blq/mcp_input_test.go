//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// inside are texts that reveal the implementation of the server.
var inside = []string{"goroutine", "panic", "json:", "Go struct", "Go value", "map[", ".go:", "reflect", "strconv",
	"SQLITE", "0x", "<nil>", "%!"}

// For any value of a parameter, the answer is small and reveals no internals. An error says what to do, and the next
// call works.
func TestStrangeParametersGetClearAnswers(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	s := connectStdio(t, dir, "clean,run,exec")
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	strange := []any{nil, true, -1, 0, 1.5, 1e18, "", "x", "'; DROP TABLE runs; --", "../../etc/passwd", "\x1b[31m\u202e",
		strings.Repeat("a", 100_000),
		[]any{}, []any{map[string]any{}}, []any{1, "x"}, map[string]any{}, map[string]any{"a": []any{}}}
	asked := 0
	for _, tool := range list.Tools {
		schema := plain(t, tool.InputSchema).(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		for key := range properties {
			for _, value := range strange {
				var arguments map[string]any
				if err := json.Unmarshal([]byte(calls[tool.Name]), &arguments); err != nil {
					t.Fatalf("%s: %v", tool.Name, err)
				}
				arguments[key] = value
				checkStrange(t, s, tool.Name, arguments, fmt.Sprintf("%s(%s=%.40v)", tool.Name, key, value))
				asked++
			}
		}
		checkStrange(t, s, tool.Name, map[string]any{"nosuch": 1}, tool.Name+"(nosuch)")
	}
	if asked < 100 {
		t.Errorf("only %d calls were made", asked)
	}
	if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "status", Arguments: map[string]any{}}); err != nil ||
		r.IsError {
		t.Errorf("afterwards status answers %v, %v", plain(t, r), err)
	}
}

func checkStrange(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any, call string) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", call, err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if len(text) > 48_000 {
		t.Errorf("%s: the answer has %d bytes", call, len(text))
	}
	if !r.IsError {
		return
	}
	var problem struct{ Error, Code string }
	if err := json.Unmarshal([]byte(text), &problem); err != nil || problem.Error == "" {
		t.Errorf("%s: the error is %s", call, text)
	}
	if problem.Code == "internal" {
		t.Errorf("%s: %s", call, text)
	}
	if len(text) > 2000 {
		t.Errorf("%s: the error has %d bytes", call, len(text))
	}
	for _, word := range inside {
		if strings.Contains(text, word) {
			t.Errorf("%s: the error tells of the server's inside (%q): %s", call, word, text)
		}
	}
}
