package query_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
)

var update = flag.Bool("update", false, "write the goldens anew")

// The JSON of each answer is a contract with programs: names, order, and which empty fields are left out.
func TestAnswers(t *testing.T) {
	t.Parallel()
	f, ctx := querytest.New(t), context.Background()
	all := query.InspectParams{Ref: "build:3:1", Lines: 2, Log: true, Source: true, Git: true, Fingerprint: true}
	for name, answer := range map[string]func() (any, error){
		"run_failed":       func() (any, error) { return f.Result(ctx, "build:3", 2) },
		"run_unrecognised": func() (any, error) { return f.Result(ctx, "test", 0) },
		"run_passed":       func() (any, error) { return f.Result(ctx, "build:2", 0) },
		"events":           func() (any, error) { return f.Events(ctx, query.EventsParams{Limit: 3}) },
		"inspect":          func() (any, error) { return f.Inspect(ctx, all) },
		"inspect_bare":     func() (any, error) { return f.Inspect(ctx, query.InspectParams{Ref: "3:1"}) },
		"event":            func() (any, error) { return f.EventDetails(ctx, query.EventParams{Ref: "build:3:1"}) },
		"context":          func() (any, error) { return f.Context(ctx, query.ContextParams{Ref: "build:3:2", Lines: 1}) },
		"output":           func() (any, error) { return f.Output(ctx, query.OutputParams{Ref: "build:3", Tail: 2}) },
		"info": func() (any, error) {
			return f.Info(ctx, query.InfoParams{Ref: "build:3", Tail: 1, Errors: true, Limit: 1})
		},
		"info_running": func() (any, error) { return f.Info(ctx, query.InfoParams{}) },
		"info_context": func() (
			any, error) {
			return f.Brief(ctx, query.InfoParams{Ref: "build:3", Context: 1, Limit: 2})
		},
		"info_context_ok": func() (any, error) { return f.Brief(ctx, query.InfoParams{Ref: "lint", Context: 1}) },
		"status":          func() (any, error) { return f.Status(ctx, query.StatusParams{}) },
		"history":         func() (any, error) { return f.History(ctx, query.HistoryParams{Limit: 2}) },
		"diff":            func() (any, error) { return f.Diff(ctx, query.DiffParams{Run1: "build:1", Run2: "build:3"}) },
		"diff_nothing":    func() (any, error) { return f.Diff(ctx, query.DiffParams{Run1: "build:2", Run2: "build:2"}) },
		"query_filter": func() (any, error) {
			return f.Query(ctx, query.QueryParams{Filter: "run_id=3 severity=error", Limit: 1})
		},
		"query_sql": func() (any, error) {
			return f.Query(ctx, query.QueryParams{
				SQL: "SELECT ref_file, COUNT(*) AS n, NULL AS none, 1.5 AS real FROM blq_load_events() GROUP BY 1 ORDER BY 1"})
		},
		"query_empty": func() (any, error) {
			return f.Query(ctx, query.QueryParams{SQL: "SELECT ref FROM blq_load_events() WHERE severity = 'none'"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := answer()
			querytest.Check(t, err)
			got := jsonOf(t, v)
			golden := filepath.Join("testdata", name+".json")
			if *update {
				querytest.Check(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			querytest.Check(t, err)
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
	querytest.Check(t, enc.Encode(v))
	return b.String()
}
