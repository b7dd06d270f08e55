package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// crowded returns a server on a fixture with a run of many long errors.
func crowded(t *testing.T) *server {
	t.Helper()
	f := querytest.New(t)
	var events []store.Event
	var log strings.Builder
	for i := range 3000 {
		message := fmt.Sprintf("'name_%d' undeclared in %s", i, strings.Repeat("a very long expression ", 20))
		events = append(events, querytest.Event("error", fmt.Sprintf("src/file_%d.c", i%50), i+1, 1, message, i+1, i+1))
		fmt.Fprintf(&log, "src/file_%d.c:%d:1: error: %s\n", i%50, i+1, message)
	}
	log.WriteString(strings.Repeat("\x01\"quoted\"\t", 100_000) + "\n")
	f.Add(t, querytest.Run{Source: "build", At: 50, Exit: 2, Log: log.String(), Events: events})
	return serveOn(t, f)
}

func TestAnswersStayWithinTheirBudget(t *testing.T) {
	t.Parallel()
	s := crowded(t)
	for _, tt := range []struct{ tool, arguments string }{
		{"events", `{"run_id": 7, "limit": 1000000000`},
		{"events", `{"run_ids": [7, 7, 7], "limit_per_run": 1000000000`},
		{"query", `{"sql": "SELECT * FROM blq_load_events()", "limit": 1000000000`},
		{"query", `{"sql": "SELECT group_concat(message) FROM blq_load_events()"`},
		{"query", `{"filter": "severity=error", "limit": 1000000000`},
		{"inspect", `{"ref": "build:7:1500", "lines": 1000000000`},
		{"inspect", `{"refs": ["7:1", "7:2", "7:3", "7:4", "7:5"], "lines": 50`},
		{"output", `{"run_id": 7`},
		{"output", `{"run_id": 7, "tail": 1000000000`},
		{"output", `{"run_id": 7, "head": 1000000000`},
		{"output", `{"run_id": 7, "head": 1000000, "tail": 1000`},
		{"output", `{"run_id": 7, "head": 1000, "tail": 1000`},
		{"info", `{"ref": "build:7", "head": 1000, "tail": 1000`},
		{"output", `{"run_id": 7, "grep": ".", "context": 1000000000`},
		{"output", `{"run_id": 7, "lines": "3001"`},
		{"info", `{"ref": "build:7", "errors": true, "limit": 1000000000, "tail": 1000000000`},
		{"info", `{"ref": "build:7", "context": 1000000000, "limit": 1000000000`},
		{"diff", `{"run1": 3, "run2": 7`},
		{"diff", `{"run1": 7, "run2": 3`},
	} {
		for budget, limit := range map[string]int{"": 16 << 10, `, "max_bytes": 1000000000`: 48_000,
			`, "max_bytes": 4000`: 4000, `, "max_bytes": 1`: 1000} {
			arguments := tt.arguments + budget + "}"
			text, isError := s.call(tt.tool, arguments)
			if isError || len(text) > limit {
				t.Errorf("%s %s: %d bytes, want at most %d: %.200s", tt.tool, arguments, len(text), limit, text)
				continue
			}
			var answer struct{ Truncated []string }
			querytest.Check(t, json.Unmarshal([]byte(text), &answer))
			if len(answer.Truncated) == 0 && !strings.Contains(arguments, "group_concat") {
				t.Errorf("%s %s does not say what is left out: %.300s", tt.tool, arguments, text)
			}
		}
	}
}

// A message that is longer than a whole answer may be is cut, so that the answer also has the other events.
func TestAVeryLongMessageIsCut(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	long := strings.Repeat("é", 100_000)
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: "x\n", Events: []store.Event{
		querytest.Event("error", "a.c", 1, 1, long, 1, 1), querytest.Event("error", "b.c", 1, 1, "short", 1, 1)}})
	s := serveOn(t, f)
	for _, tool := range []string{"events", "info"} {
		text, isError := s.call(tool, `{"ref": "build:1", "errors": true}`)
		if tool == "events" {
			text, isError = s.call(tool, `{"ref": "build:1"}`)
		}
		if isError || !strings.Contains(text, "é… (200000 bytes; inspect shows all)") || !strings.Contains(text, "short") {
			t.Errorf("%s: %.300s", tool, text)
		}
	}
}

func TestWhatIsLeftOutCanBeFetched(t *testing.T) {
	t.Parallel()
	s := crowded(t)
	if text, _ := s.call("info", `{"ref": "build:7", "head": 10, "max_bytes": 2000}`); !strings.Contains(
		text, ` of 10 lines of output: output(ref=\"build:7\", head=10)`) {
		t.Errorf("info counts other lines than those asked for: %s", text[len(text)-200:])
	}
	for arguments, want := range map[string][]string{
		`{"run_ids": [7], "limit_per_run": 2, "severity": "error"}`: {
			`2998 of 3000 events: events(severity="error", run_ids=[7], limit_per_run=1000)`},
		`{"run_ids": [3, 7, 2], "severity": "error", "max_bytes": 3000}`: {
			`events: events(ref="build:7", severity="error", offset=`,
			`the runs after it: events(severity="error", run_ids=[2], max_bytes=3000)`,
		},
	} {
		text, _ := s.call("events", arguments)
		var answer struct{ Truncated []string }
		querytest.Check(t, json.Unmarshal([]byte(text), &answer))
		for i, note := range answer.Truncated {
			if i >= len(want) || !strings.Contains(note, want[i]) {
				t.Errorf("events %s: truncated %q, want %q", arguments, answer.Truncated, want)
			}
		}
		if len(answer.Truncated) != len(want) {
			t.Errorf("events %s: truncated %q, want %q", arguments, answer.Truncated, want)
		}
	}
	for _, arguments := range []string{`{"refs": ["7:1", "7:2"], "lines": 200}`,
		`{"refs": ["7:1", "7:2"], "lines": 200, "max_bytes": 1}`, `{"refs": ["7:2"` + strings.Repeat(`, "7:2"`, 150) + `]}`} {
		text, _ := s.call("inspect", arguments)
		var answer struct {
			Results   []struct{ Ref string }
			Truncated []string
		}
		querytest.Check(t, json.Unmarshal([]byte(text), &answer))
		rest := strings.Count(arguments, "7:") - len(answer.Results)
		if len(answer.Results) == 0 || !strings.HasPrefix(strings.Join(answer.Truncated, " "),
			fmt.Sprintf(`%d of %d events: inspect(refs=["7:2"`, rest, strings.Count(arguments, "7:"))) {
			t.Errorf("%.60s: %d results, truncated %q", arguments, len(answer.Results), answer.Truncated)
		}
	}
	text, _ := s.call("events", `{"run_id": 7, "limit": 3}`)
	first := events(t, text)
	text, _ = s.call("events", `{"run_id": 7, "limit": 3, "offset": 3}`)
	if second := events(t, text); len(first) != 3 || len(second) != 3 || first[2] != "7:3" || second[0] != "7:4" {
		t.Errorf("pages: %v, %v", first, second)
	}
	text, _ = s.call(
		"query", `{"sql": "SELECT event_id FROM blq_load_events() WHERE run_id = 7 ORDER BY 1", "limit": 2, "offset": 2}`)
	if !strings.Contains(text, `"rows":[[3],[4]]`) || !strings.Contains(text, "offset=4") {
		t.Error(text)
	}
	text, _ = s.call("output", `{"run_id": 7, "lines": "2995-3000"}`)
	var o struct {
		Returned int `json:"returned_lines"`
	}
	querytest.Check(t, json.Unmarshal([]byte(text), &o))
	if o.Returned != 6 {
		t.Errorf("lines 2995-3000: %.300s", text)
	}
}

func events(t *testing.T, text string) (refs []string) {
	t.Helper()
	var list struct{ Events []struct{ Ref string } }
	querytest.Check(t, json.Unmarshal([]byte(text), &list))
	for _, e := range list.Events {
		refs = append(refs, e.Ref)
	}
	return refs
}

func TestWhatIsLeftOutNamesOnlyToolsThatAreOffered(t *testing.T) {
	t.Parallel()
	for disabled, want := range map[string]string{"status": "2 of 3 events: events(", "events": "2 of 3 events"} {
		s := serve(t, func(c *mcp.Config) { c.Disabled = []string{disabled} })
		text, _ := s.call("info", `{"ref": "build:3", "errors": true, "limit": 1}`)
		var answer struct{ Truncated []string }
		querytest.Check(t, json.Unmarshal([]byte(text), &answer))
		if got := strings.Join(answer.Truncated, "; "); !strings.HasPrefix(got, want) ||
			strings.Contains(got, "(") != strings.Contains(want, "(") {
			t.Errorf("without %s: %q, want %q", disabled, got, want)
		}
	}
}
