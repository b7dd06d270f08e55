package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

func TestArgumentsAreTakenAsMeant(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, tt := range []struct{ tool, plain, odd string }{
		{"events", `{"run_id": 3, "limit": 1}`, `{"run_id": "3", "limit": 1.0}`},
		{"events", `{"run_ids": [3]}`, `{"run_ids": "3"}`},
		{"events", `{"ref": "3"}`, `{"ref": 3}`},
		{"events", `{}`, `{"source": null}`},
		{"inspect", `{"refs": ["3:1"], "include_log_context": false}`, `{"refs": "3:1", "include_log_context": "false"}`},
		{"output", `{"ref": "build:3", "lines": "2-3"}`, `{"ref": "build:3", "lines": "L2-L3"}`},
	} {
		want, isError := s.call(tt.tool, tt.plain)
		if isError {
			t.Fatal(want)
		}
		if got, _ := s.call(tt.tool, tt.odd); got != want {
			t.Errorf("%s %s: %s\nwant %s", tt.tool, tt.odd, got, want)
		}
	}
}

func TestNextStepsForAgents(t *testing.T) {
	t.Parallel()
	anew := store.NewCall("clean", "makes it anew", "mode", "schema", "confirm", true)
	offered := store.NewCall("history", "lists runs", "limit", 3)
	for _, tt := range []struct {
		step store.NextStep
		want string // text after "next_step":
	}{
		{store.Text("try again"), `"try again"`},
		{store.Shell{Line: "export BLQ_DIR=/tmp/x", Why: "records there instead"},
			`"export BLQ_DIR=/tmp/x   # records there instead"`},
		// The tool clean is not offered, so the step names the command of the shell.
		{store.Shell{Line: "mv a b", Why: "a new one is made then", Or: &anew}, `"mv a b   # a new one is made then"`},
		{store.NewCall("diff", "what is new", "run1", "build:4", "run2", "a\"b\n"),
			`"diff(run1=\"build:4\", run2=\"a\\\"b\\n\")   # what is new"`},
		{store.Shell{Line: "ls", Why: "all", Or: &offered}, `"history(limit=3)   # lists runs"`},
		{store.NewCall("clean", "makes space", "mode", "prune"), `"makes space"`},
		{store.NewCall("init", "makes a folder"), `"makes a folder"`},
		{store.NewCall("query", "of fewer runs", "sql", strings.Repeat("x", 1000)), `"of fewer runs"`},
	} {
		s := serve(t, func(c *mcp.Config) {
			c.Disabled = []string{"clean"}
			c.Ask = func(context.Context) (*query.Asker, error) {
				return nil, store.Next(store.Errorf(store.Unavailable, "cannot be written"), tt.step)
			}
		})
		if text, _ := s.call("status", `{}`); !strings.Contains(text, `"next_step":`+tt.want) {
			t.Errorf("%s, want the next step %s", text, tt.want)
		}
	}
}

func TestWrongArgumentsAreNamed(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, tt := range []struct{ tool, arguments, want string }{
		{"events", `{"limit": "abc"}`, `events: limit must be a whole number, not \"abc\"`},
		{"events", `{"limit": 1.5}`, `"next_step":"events(run_id=5, severity=\"error\")   # an example"`},
		{"events", `{"limit": 1e300}`, "a whole number"},
		{"events", `{"limit": -1}`, "limit must be at least 1, not -1"},
		{"events", `{"run_id": {}}`, "run_id must be a run's serial or reference, not {}"},
		{"events", `{"run_id": -1}`, `\"-1\" is not a reference`},
		{"events", `{"run_id": "abc"}`, `"code":"not_found"`},
		{"events", `{"limt": 3}`, "no parameter \\\"limt\\\"; did you mean limit?"},
		{"events", `{"colour": 3}`, "it has ref, run_id, source"},
		{"events", `{"severity": "bad"}`, `"next_step":"events(severity=\"error,warning\")   # or info"`},
		{"events", `{"run_ids": ["x"]}`, "a list, each of it a whole number"},
		{"events", `{"run_id": 99}`, `"code":"not_found"`},
		{"events", `{"source": "biuld"}`, "no runs of"},
		{"events", `[1]`, "must be an object"},
		{"events", `"x"`, "must be an object"},
		{"history", `{"status": "asleep"}`, "must be one of running, completed, orphaned"},
		{"inspect", `{}`, "inspect needs ref or refs"},
		{"inspect", `{"ref": "build:3"}`, `"next_step":"events(ref=\"build:3\")   # lists its events"`},
		{"inspect", `{"ref": "build:3:1", "lines": "many"}`, "a whole number"},
		{"inspect", `{"ref": "build:3:1", "include_log_context": 7}`, "true or false"},
		{"output", `{}`, "output needs run_id or ref"},
		{"output", `{"run_id": 3, "stream": "stdlog"}`, "must be one of stdout, stderr, combined"},
		{"output", `{"run_id": 3, "grep": "("}`, "missing closing )"},
		{"output", `{"run_id": 3, "lines": "9-3"}`, "not a range of lines"},
		{"query", `{}`, "needs either SQL or a filter"},
		{"query", `{"sql": "DELETE FROM events"}`, `"code":"invalid"`},
		{"query", `{"sql": "SELECT nope FROM blq_load_events()"}`, `"code":"invalid"`},
		{"query", `{"sql": "SELECT ref FROM blq_load_events() WHERE message ILIKE '%x%'"}`,
			`SQLite has no ILIKE: its LIKE ignores the case of ASCII letters`},
		{"query", `{"filter": "severity"}`, "has no operator"},
		{"query", `{"filter": "severity=error,fatal"}`, `no severity \"fatal\"; there are error, warning, info`},
		{"info", `{"ref": "nonsense:"}`, "is not a reference"},
		{"diff", `{"run1": 1, "run2": 99}`, `"code":"not_found"`},
	} {
		text, isError := s.call(tt.tool, tt.arguments)
		if !isError || !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: %s, want an error with %s", tt.tool, tt.arguments, text, tt.want)
		}
		for _, leak := range []string{"mcp.", "ask.", "reflect", "goroutine", "json:", "sqlite", ".go:"} {
			if strings.Contains(text, leak) {
				t.Errorf("%s %s: %s tells of our insides: %s", tt.tool, tt.arguments, text, leak)
			}
		}
	}
	if _, isError := s.call("status", `{}`); isError {
		t.Error("the server does not go on")
	}
}
