package ask_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ask"
	"github.com/blq-ci/blq/ask/asktest"
)

var update = flag.Bool("update", false, "write the goldens anew")

// Each answer's JSON is the contract with programs: names, order, and which
// fields are left out when they have no value.
func TestAnswers(t *testing.T) {
	f, ctx := asktest.New(t), context.Background()
	all := ask.InspectParams{Lines: 2, Log: true, Source: true, Git: true, Fingerprint: true}
	for name, answer := range map[string]func() (any, error){
		"run_failed":       func() (any, error) { return f.Result(ctx, "build:3", 2) },
		"run_unrecognised": func() (any, error) { return f.Result(ctx, "test", 0) },
		"run_passed":       func() (any, error) { return f.Result(ctx, "build:2", 0) },
		"events":           func() (any, error) { return f.Events(ctx, ask.EventsParams{Limit: 3}) },
		"inspect":          func() (any, error) { return f.Inspect(ctx, "build:3:1", all) },
		"inspect_bare":     func() (any, error) { return f.Inspect(ctx, "3:1", ask.InspectParams{}) },
		"event":            func() (any, error) { return f.EventDetails(ctx, "build:3:1") },
		"context":          func() (any, error) { return f.Context(ctx, "build:3:2", 1) },
		"output":           func() (any, error) { return f.Output(ctx, ask.OutputParams{Ref: "build:3", Tail: 2}) },
		"info": func() (any, error) {
			return f.Info(ctx, ask.InfoParams{Ref: "build:3", Tail: 1, Errors: true, Limit: 1})
		},
		"info_running":    func() (any, error) { return f.Info(ctx, ask.InfoParams{}) },
		"info_context":    func() (any, error) { return f.Brief(ctx, ask.InfoParams{Ref: "build:3", Context: 1, Limit: 2}) },
		"info_context_ok": func() (any, error) { return f.Brief(ctx, ask.InfoParams{Ref: "lint", Context: 1}) },
		"status":          func() (any, error) { return f.Status(ctx, ask.StatusParams{}) },
		"history":         func() (any, error) { return f.History(ctx, ask.HistoryParams{Limit: 2}) },
		"diff":            func() (any, error) { return f.Diff(ctx, ask.DiffParams{Run1: "build:1", Run2: "build:3"}) },
		"diff_nothing":    func() (any, error) { return f.Diff(ctx, ask.DiffParams{Run1: "build:2", Run2: "build:2"}) },
		"query_filter":    func() (any, error) { return f.Query(ctx, ask.QueryParams{Filter: "run_id=3 severity=error", Limit: 1}) },
		"query_sql": func() (any, error) {
			return f.Query(ctx, ask.QueryParams{SQL: "SELECT ref_file, COUNT(*) AS n, NULL AS none, 1.5 AS real FROM blq_load_events() GROUP BY 1 ORDER BY 1"})
		},
		"query_empty": func() (any, error) {
			return f.Query(ctx, ask.QueryParams{SQL: "SELECT ref FROM blq_load_events() WHERE severity = 'none'"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := answer()
			asktest.Check(t, err)
			got := jsonOf(t, v)
			golden := filepath.Join("testdata", name+".json")
			if *update {
				asktest.Check(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			asktest.Check(t, err)
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// jsonOf returns an answer as the command line prints it.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	asktest.Check(t, enc.Encode(v))
	return b.String()
}
