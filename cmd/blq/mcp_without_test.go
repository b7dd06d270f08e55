//go:build job && unix

package main

import (
	"strings"
	"testing"
)

// The program for jobs has the commands that steps use, such as run. It has neither the MCP server nor the questions
// that only agents ask.
func TestJobHasNoMCPServer(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"mcp", "serve", "--transport", "http"}, {"mcp", "tools", "--json"},
		{"docs", "find", "--limit", "2", "x"}, {"graph", "show"}, {"why", "a.go"}, {"realm", "status"},
		{"completion", "bash"}, {"man", "run"}, {"mcp", "install"}, {"watch"},
	} {
		_, notes, state := finished(blq(t.TempDir(), args...))
		if state.ExitCode() != 1 || !strings.Contains(notes, "without the MCP server") ||
			!strings.Contains(notes, "with: { mcp: true }") {
			t.Errorf("%v: exit code %d: %s", args, state.ExitCode(), notes)
		}
	}
	r := newRunner(t)
	out, _, state := finished(r.with(blq(r.path("work/app/app"), "run", "--", "echo", "hello")))
	if state.ExitCode() != 0 || !strings.Contains(out, "hello") {
		t.Errorf("run ended with %d: %s", state.ExitCode(), out)
	}
}
