package query_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestAnswersSinceATime(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)                      // build at 10:00, 10:10 and 10:20; test 10:21, lint 10:22, deploy 10:23
	for since, want := range map[string][]int{ // numbers of sources, runs and events
		"":                          {4, 6, 5},
		"2024-01-15T10:21:00Z":      {3, 3, 1},
		"2024-01-15T12:21:00+02:00": {3, 3, 1},
		"2024-01-15T10:22:01Z":      {1, 1, 0},
		"2025-01-01T00:00:00Z":      {0, 0, 0},
	} {
		s, err := f.Status(t.Context(), query.StatusParams{Since: since})
		querytest.Check(t, err)
		h, err := f.History(t.Context(), query.HistoryParams{Since: since})
		querytest.Check(t, err)
		e, err := f.Events(t.Context(), query.EventsParams{Since: since})
		querytest.Check(t, err)
		if got := []int{len(s.Sources), len(h.Runs), e.Total}; !slices.Equal(got, want) {
			t.Errorf("since %q: %v, want %v", since, got, want)
		}
	}
	got := triage(t, f, query.TriageParams{Since: "2024-01-15T10:21:30Z"}) // build and test failed earlier
	if got.Status != store.StatusRunning || got.RunRef != "deploy:6" {
		t.Errorf("%s %s", got.RunRef, got.Status)
	}
	for name, ask := range map[string]func(since string) error{
		"status":  func(s string) error { _, err := f.Status(t.Context(), query.StatusParams{Since: s}); return err },
		"history": func(s string) error { _, err := f.History(t.Context(), query.HistoryParams{Since: s}); return err },
		"events":  func(s string) error { _, err := f.Events(t.Context(), query.EventsParams{Since: s}); return err },
		"triage":  func(s string) error { _, err := f.Triage(t.Context(), query.TriageParams{Since: s}); return err },
	} {
		err := ask("yesterday")
		if store.CodeOf(err) != store.Invalid || fmt.Sprint(store.NextOf(err)) == "" {
			t.Errorf("%s since yesterday: %v", name, err)
		}
	}
}

func TestTriageOfNothingSaysWhatToDo(t *testing.T) {
	t.Parallel()
	empty := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	some := querytest.New(t)
	for _, tt := range []struct {
		f    *querytest.Fixture
		p    query.TriageParams
		text string
		tool string
	}{
		{empty, query.TriageParams{}, "no runs are recorded yet", "exec"},
		{empty, query.TriageParams{Since: "2024-01-15T10:00:00Z"}, "no such runs there", "history"},
		{some, query.TriageParams{Since: "2025-01-01T00:00:00Z"}, "no such runs there", "history"},
		{some, query.TriageParams{Source: "build", At: query.At{PR: 12}}, "no such runs there", "history"},
		{some, query.TriageParams{Source: "biuld"}, `no runs of "biuld"; did you mean build?`, "status"},
	} {
		_, err := tt.f.Triage(t.Context(), tt.p)
		next, _ := store.NextOf(err).(store.Call)
		if store.CodeOf(err) != store.NotFound || err.Error() != tt.text || next.Tool != tt.tool {
			t.Errorf("%+v: %v, next %s", tt.p, err, next.Tool)
		}
	}
}

// repeated is a store that returns one run many times.
type repeated struct {
	store.Reader
	times int
}

func (r repeated) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	runs, err := r.Reader.Runs(ctx, sc, store.RunFilter{Limit: 1})
	n := r.times
	if f.Limit > 0 {
		n = min(n, f.Limit)
	}
	return slices.Repeat(runs, n), err
}

func TestASourceThatNeverRanIsNamed(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for source, want := range map[string]string{"lnit": `no runs of "lnit"; did you mean lint?`,
		"something": `no runs of "something"`} {
		for name, ask := range map[string]func() error{
			"history": func() error { _, err := f.History(t.Context(), query.HistoryParams{Source: source}); return err },
			"events":  func() error { _, err := f.Events(t.Context(), query.EventsParams{Source: source}); return err },
			"diff":    func() error { _, err := f.Diff(t.Context(), query.DiffParams{Source: source}); return err },
			"triage":  func() error { _, err := f.Triage(t.Context(), query.TriageParams{Source: source}); return err },
		} {
			if err := ask(); store.CodeOf(err) != store.NotFound || err.Error() != want {
				t.Errorf("%s of %s: %v", name, source, err)
			}
		}
	}
}

func TestALongHistorySaysWhereItGoesOn(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	reader := f.Store
	for _, tt := range []struct {
		times, limit int
		want         bool
	}{{9_999, 0, false}, {10_000, 0, true}, {10_001, 0, true}, {10_001, 10_001, true}, {10_001, 10_000, false},
		{10_001, 5, false}} {
		f.Store = repeated{reader, tt.times}
		h, err := f.History(t.Context(), query.HistoryParams{Limit: tt.limit})
		querytest.Check(t, err)
		want := ""
		if tt.want {
			want = "only 10000 runs are listed; before=6 lists older ones"
		}
		if n := min(tt.times, 10_000); h.Note != want || tt.limit == 0 && len(h.Runs) != n {
			t.Errorf("%+v: %d runs, %q", tt, len(h.Runs), h.Note)
		}
	}
}

// The verdict on the runs since a time says that earlier runs do not count, because an earlier run may have failed.
func TestAVerdictSinceATimeSaysSo(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1})
	f.Add(t, querytest.Run{Source: "lint", At: 2})
	r, err := f.Store.Run(t.Context(), store.Everything(), store.Ref{Source: "lint", Serial: 2})
	querytest.Check(t, err)
	since := r.StartedAt.UTC().Format(time.RFC3339)
	got := triage(t, f, query.TriageParams{Since: since})
	if strings.Contains(got.Verdict, "nothing fails") ||
		!strings.HasSuffix(got.Verdict, "; runs that began before "+since+" do not count") {
		t.Error(got.Verdict)
	}
}
