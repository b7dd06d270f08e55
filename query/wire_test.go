package query_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// far returns an answer after its transport from a service to the command line.
func far[T any, P interface {
	*T
	ReadWire(read func(any) error) error
}](t *testing.T, wire any) T {
	t.Helper()
	text, err := json.Marshal(wire)
	querytest.Check(t, err)
	var got T
	querytest.Check(t, P(&got).ReadWire(func(v any) error { return json.Unmarshal(text, v) }))
	return got
}

func TestAnswersOutliveTheirWay(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	diff, err := f.Diff(t.Context(), query.DiffParams{Run1: "build:1", Run2: "build:3"})
	querytest.Check(t, err)
	if len(diff.New) == 0 || diff.New[0].Line == 0 {
		t.Fatalf("%+v", diff)
	}
	got := far[query.Diff](t, diff.Wire())
	if d := cmp.Diff(diff, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(query.Diff{})); d != "" {
		t.Error(d)
	}
	history, err := f.History(t.Context(), query.HistoryParams{})
	querytest.Check(t, err)
	history.Note = "a note"
	back := far[query.History](t, history.Wire())
	if len(back.Runs) != len(history.Runs) || back.Note != "a note" || back.Runs[0].Command == "" ||
		back.Runs[0].Command != history.Runs[0].Command {
		t.Errorf("%+v", back)
	}
	table, err := f.Query(t.Context(), query.QueryParams{SQL: "SELECT run_ref FROM blq_load_runs()", Limit: 2})
	querytest.Check(t, err)
	if back := far[query.Table](t, table.Wire()); !table.More || !back.More || len(back.Rows) != 2 {
		t.Errorf("%+v", back)
	}
	shown := triage(t, f, query.TriageParams{})
	shown.Truncated = []query.Omission{{What: "some", Next: store.NewCall("errors", "", "ref", "build:3")}}
	if d := cmp.Diff(shown.Truncated, far[query.Triage](t, shown.Wire()).Truncated); d != "" {
		t.Error(d)
	}
	shown.Truncated = nil
	if back := far[query.Triage](t, shown.Wire()); back.Truncated != nil || back.Verdict != shown.Verdict {
		t.Errorf("%+v", back)
	}
}

func TestRawGivesTheBytesFromAnOffset(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for _, tt := range []struct {
		p    query.RawParams
		want string
	}{
		{query.RawParams{Ref: "build:3"}, querytest.BuildLog}, {query.RawParams{Ref: "build:3", Offset: -5},
			querytest.BuildLog},
		{query.RawParams{Ref: "build:3", Offset: 100}, querytest.BuildLog[100:]},
		{query.RawParams{Ref: "build:3", Offset: int64(len(querytest.BuildLog))}, ""},
	} {
		got, err := f.Raw(t.Context(), tt.p)
		if err != nil || string(got.Bytes) != tt.want || got.More || got.Next != int64(len(querytest.BuildLog)) ||
			got.Stream != "combined" || got.Attempt == "" {
			t.Errorf("%+v: %+v, %v", tt.p, got, err)
		}
	}
	if _, err := f.Raw(t.Context(), query.RawParams{Ref: "nothing"}); store.CodeOf(err) != store.NotFound {
		t.Errorf("%v", err)
	}
	if _, err := f.Raw(t.Context(), query.RawParams{Ref: "build:3",
		Stream: "stderr"}); store.CodeOf(err) != store.NotFound {
		t.Errorf("%v", err)
	}
}
