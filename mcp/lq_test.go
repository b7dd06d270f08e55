package mcp_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/mcp"
)

func compatLQ(c *mcp.Config) { c.CompatLQ = true }

func TestToolsOfLQ(t *testing.T) {
	t.Parallel()
	s := serve(t, compatLQ)
	for _, tt := range []struct{ golden, tool, arguments string }{
		{"lq_errors", "errors", `{"run_id": 3, "limit": 1, "file_pattern": "%main%"}`},
		{"lq_warnings", "warnings", `{"source": "lint"}`},
		{"lq_event", "event", `{"ref": "3:1"}`},
		{"lq_context", "context", `{"ref": "3:2", "lines": 1}`},
		{"lq_query", "query",
			`{"sql": "SELECT file_path, line_number, message FROM lq_events WHERE severity = 'error' ORDER BY 2", "limit": 1}`},
		{"lq_diff", "diff", `{"run1": 1, "run2": 3}`},
		{"status", "status", `{}`},
		{"history", "history", `{"limit": 2}`},
	} {
		text, isError := s.call(tt.tool, tt.arguments)
		if isError {
			t.Fatal(text)
		}
		golden(t, tt.golden+".json", text)
	}
}

func TestResourcesOfLQ(t *testing.T) {
	t.Parallel()
	s := serve(t, compatLQ)
	for uri, want := range map[string]string{
		"lq://status":                         `"name":"build"`,
		"lq://runs?source=build&limit=1":      `"run_id":3`,
		"lq://events?severity=error&run_id=1": `"file_path":"src/main.c"`,
		"lq://event/1:1":                      `"error_fingerprint":"gcc_compile_`,
		"lq://event/1%3A1":                    `"line_number":3`,
	} {
		if text, problem := s.read(uri); !strings.Contains(text, want) {
			t.Errorf("%s: %s%s, want %s", uri, text, problem, want)
		}
	}
	if _, problem := s.read("blq://status"); problem == "" {
		t.Error("blq's own resources are there as well")
	}
}
