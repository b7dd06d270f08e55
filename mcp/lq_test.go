package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/querytest"
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
		{"lq_status", "status", `{}`},
		{"lq_history", "history", `{"limit": 2}`},
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

// The parameters and defaults are the same as in lq's guide.
func TestParametersOfLQ(t *testing.T) {
	t.Parallel()
	result, problem := serve(t, compatLQ, runs).request("tools/list", nil)
	if problem != "" {
		t.Fatal(problem)
	}
	var list struct {
		Tools []struct {
			Name        string
			InputSchema struct {
				Required   []string
				Properties map[string]struct {
					Type    any
					Default any
				}
			}
		}
	}
	querytest.Check(t, json.Unmarshal(result, &list))
	got := map[string][]string{}
	for _, tool := range list.Tools {
		got[tool.Name] = []string{}
		for name, p := range tool.InputSchema.Properties {
			text := fmt.Sprint(name, " ", p.Type)
			if p.Default != nil {
				text += fmt.Sprint(" = ", p.Default)
			}
			if slices.Contains(tool.InputSchema.Required, name) {
				text += ", required"
			}
			got[tool.Name] = append(got[tool.Name], text)
		}
		slices.Sort(got[tool.Name])
	}
	want := map[string][]string{
		"run":      {"args array", "command string, required", "timeout number"},
		"query":    {"limit integer = 100", "sql string, required"},
		"errors":   {"file_pattern string", "limit integer = 20", "run_id integer", "source string"},
		"warnings": {"limit integer = 20", "run_id integer", "source string"},
		"event":    {"ref string, required"},
		"context":  {"lines integer = 5", "ref string, required"},
		"status":   {},
		"history":  {"limit integer = 20", "source string"},
		"diff":     {"run1 integer, required", "run2 integer, required"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}

func TestRunOfLQRunsRegisteredCommandsUnlessTold(t *testing.T) {
	t.Parallel()
	allow := func(c *mcp.Config) { c.AllowArbitrary = true }
	for _, tt := range []struct {
		name    string
		change  []func(*mcp.Config)
		refused string // error for a command that is not registered
	}{
		{"default", nil,
			"'echo hi' is not a registered command; start the server with --allow-arbitrary to permit any command"},
		{"arbitrary", []func(*mcp.Config){allow}, ""},
		{"safe", []func(*mcp.Config){allow, safeMode},
			"'echo hi' is not a registered command; in safe mode no other command runs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := serveLocal(t, append(tt.change, compatLQ)...)
			config := filepath.Join(dir, ".lq")
			querytest.Check(t, os.MkdirAll(config, 0o755))
			querytest.Check(t, os.WriteFile(filepath.Join(config, "config.toml"), []byte(
				"[commands.build]\ncmd = 'echo \"a.c:3:1: error: no\"; exit 2'\n"), 0o644))
			text, isError := s.call("run", `{"command": "build"}`)
			var got map[string]any
			querytest.Check(t, json.Unmarshal([]byte(text), &got))
			if _, ok := got["duration_seconds"].(float64); isError || !ok || got["exit_code"] != 2.0 ||
				got["run_id"] != 1.0 || got["status"] != "FAIL" || got["error_count"] != 1.0 {
				t.Errorf("build: %s", text)
			}
			a := s.do("run", `{"command": "echo hi"}`, tt.refused != "")
			if a.Error != tt.refused || tt.refused != "" && a.Next != `run(command="build")   # registered are build` {
				t.Errorf("error %q, next %q", a.Error, a.Next)
			}
		})
	}
}

// called finds the names of tools that a text calls.
var called = regexp.MustCompile(`(?m)(?:^|[\s(\x60])([a-z_]+)\(`)

func TestInstructionsOfLQNameItsTools(t *testing.T) {
	t.Parallel()
	s := serve(t, compatLQ, runs)
	result, problem := s.request("initialize", map[string]any{"protocolVersion": "2025-06-18",
		"capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	if problem != "" {
		t.Fatal(problem)
	}
	var hello struct{ Instructions string }
	querytest.Check(t, json.Unmarshal(result, &hello))
	list, _ := s.request("tools/list", nil)
	named := called.FindAllStringSubmatch(hello.Instructions, -1)
	for _, m := range named {
		if m[1] != "count" && !strings.Contains(string(list), `"name":"`+m[1]+`"`) {
			t.Errorf("the instructions call %s, which lq has not:\n%s", m[1], hello.Instructions)
		}
	}
	if len(named) < 6 || strings.Contains(hello.Instructions, "blq") {
		t.Errorf("instructions:\n%s", hello.Instructions)
	}
	if text, _ := s.call("diff", `{"run1": 99, "run2": 3}`); strings.Contains(text, "blq") {
		t.Error(text)
	}
}

// A note on missing parts of an answer names a call of lq's own tools.
func TestWhatLQLeavesOutCanBeAskedFor(t *testing.T) {
	t.Parallel()
	s := serve(t, compatLQ)
	for _, tt := range []struct{ tool, arguments, want string }{
		{"errors", `{"run_id": 3, "limit": 1, "file_pattern": "%src%"}`,
			`2 of 3 errors: errors(limit=3, run_id=3, file_pattern=\"%src%\")`},
		{"history", `{"limit": 1, "source": "build"}`, `older runs, if there are any: history(limit=10, source=\"build\")`},
		{"query", `{"sql": "SELECT 1 FROM lq_events", "limit": 1}`, `the rows after the first 1: LIMIT and OFFSET in SQL`},
	} {
		if text, isError := s.call(tt.tool, tt.arguments); isError || !strings.Contains(text, tt.want) {
			t.Errorf("%s(%s): %s, want %s", tt.tool, tt.arguments, text, tt.want)
		}
	}
}

// The next step after an error is a call of lq's own tools, or only a sentence.
func TestNextStepsOfLQ(t *testing.T) {
	t.Parallel()
	s := serve(t, compatLQ, runs)
	for _, tt := range []struct{ tool, arguments, want string }{
		{"context", `{"ref": "1:9"}`, `"next_step":"errors(run_id=1)   # lists its events"`},
		{"event", `{"ref": "build:99:1"}`, `"next_step":"history()   # lists the runs there are"`},
		{"status", `{"branch": "x"}`, `status has no parameter \"branch\"; it has none`},
		{"warnings", `{"file_pattern": "x"}`, `it has limit, run_id, source`},
	} {
		if text, isError := s.call(tt.tool, tt.arguments); !isError || !strings.Contains(text, tt.want) {
			t.Errorf("%s(%s): %s, want %s", tt.tool, tt.arguments, text, tt.want)
		}
	}
}
