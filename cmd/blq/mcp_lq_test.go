//go:build unix

package main

import (
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connectLQ starts a server with lq's tools in an empty folder.
func connectLQ(t *testing.T, env []string, args ...string) *mcp.ClientSession {
	t.Helper()
	return way{"stdio", "2025-06-18", func() mcp.Transport {
		cmd := stdioServer(t.TempDir(), append([]string{"--compat", "lq"}, args...)...)
		cmd.Stderr = io.Discard
		cmd.Env = append(cmd.Env, env...)
		return &mcp.CommandTransport{Command: cmd}
	}}.connect(t)
}

// answerOf calls a tool and returns the text of its answer.
func answerOf(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) (text string, isError bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func TestAServerForClientsOfLQ(t *testing.T) {
	t.Parallel()
	there := "LQ_DIR=" + newProject(t) + "/.lq"
	s := connectLQ(t, []string{there, "BLQ_DIR=/nowhere"})
	if text, isError := answerOf(t, s, "status", nil); isError || !strings.Contains(text, `"name":"build"`) {
		t.Errorf("LQ_DIR is not read: %s", text)
	}
	if text, isError := answerOf(t, s, "run", map[string]any{"command": "ok"}); isError ||
		!strings.Contains(text, `"status":"OK"`) {
		t.Errorf("a registered command: %s", text)
	}
	if text, isError := answerOf(t, s, "run", map[string]any{"command": "echo"}); !isError ||
		!strings.Contains(text, "--allow-arbitrary") {
		t.Errorf("another command: %s", text)
	}
	s = connectLQ(t, []string{there, "LQ_TIMEOUT=0.01"}, "--allow-arbitrary")
	if text, isError := answerOf(t, s, "run", map[string]any{"command": "while :; do sleep 0.01; done"}); isError ||
		!strings.Contains(text, `"status":"TIMEOUT"`) {
		t.Errorf("LQ_TIMEOUT is not read: %s", text)
	}
	if out, err := blq(t.TempDir(), "mcp", "serve", "--allow-arbitrary").CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "blq mcp serve --compat lq --allow-arbitrary") {
		t.Errorf("--allow-arbitrary alone: %v\n%s", err, out)
	}
}
