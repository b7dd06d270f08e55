package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

// count returns the numbers of runs and events that a query can read, and the Slice in the answer to the query.
func count(t *testing.T, s *postgres.Store, sc store.Scope) (runs, events any, part *store.Slice) {
	t.Helper()
	got, err := s.Query(t.Context(), sc,
		store.Query{SQL: "SELECT (SELECT count(*) FROM blq_load_runs()), (SELECT count(*) FROM blq_load_events())"})
	if err != nil {
		t.Fatal(err)
	}
	return got.Rows[0][0], got.Rows[0][1], got.Slice
}

// add records a run that started at a time and has n events.
func add(t *testing.T, s *postgres.Store, repo, attempt string, at time.Time, n int) {
	t.Helper()
	r := run(repo, attempt)
	r.StartedAt = at
	if _, err := s.StartRun(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := s.AddEvents(t.Context(), attempt, 0, events(n, 0)); err != nil {
		t.Fatal(err)
	}
}

func TestQuerySaysWhichPartItSaw(t *testing.T) {
	t.Parallel()
	s := open(t, database(t))
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	add(t, s, "o/a", "1", now.AddDate(0, 0, -100), 5)
	add(t, s, "o/a", "2", now.AddDate(0, 0, -9), 7)
	add(t, s, "o/b", "3", now.AddDate(0, 0, -8), postgres.SliceEvents-7)
	add(t, s, "o/a", "4", now, 7)
	add(t, s, "o/c", "5", now, postgres.SliceEvents+1)
	for _, test := range []struct {
		sc           store.Scope
		runs, events int
		part         *store.Slice
	}{
		{store.Repos("o/b"), 1, postgres.SliceEvents - 7, nil},
		// the days limit the slice
		{store.Repos("o/a"), 2, 14, &store.Slice{Runs: 2, Events: 14, Since: now.AddDate(0, 0, -9)}},
		// the events limit the slice
		{store.Repos("o/a", "o/b"), 2, postgres.SliceEvents,
			&store.Slice{Runs: 2, Events: postgres.SliceEvents, Since: now.AddDate(0, 0, -8)}},
		// one run has too many events
		{store.Repos("o/c"), 1, postgres.SliceEvents, &store.Slice{Runs: 1, Events: postgres.SliceEvents, Since: now}},
		{store.Repos("o/none"), 0, 0, nil},
	} {
		runs, events, part := count(t, s, test.sc)
		if diff := cmp.Diff([]any{int64(test.runs), int64(test.events), test.part}, []any{runs, events, part}); diff != "" {
			t.Errorf("%v: -want +got:\n%s", test.sc.Names(), diff)
		}
	}
}

func TestQuerySeesABoundedNumberOfRuns(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url)
	add(t, s, "o/n", "first", time.Unix(1e9, 0), 3)
	execute(t, url, fmt.Sprintf(`
		INSERT INTO runs (
			attempt, repo, serial, source_id, source, command, cwd, started_at, hostname, platform, arch,
			git_commit, git_branch, git_dirty, git_root, fork, pr, leg, format, state
		)
		SELECT 'a' || i, repo, serial + i, source_id, source, '', '', started_at, '', '', '', '', '', false, '', false, 0, 0, '', 'completed'
		FROM runs, generate_series(1, %d) i`, postgres.SliceRuns))
	runs, events, part := count(t, s, everything)
	want := []any{int64(postgres.SliceRuns), int64(0),
		&store.Slice{Runs: postgres.SliceRuns, Since: time.Unix(1e9, 0).UTC()}}
	if diff := cmp.Diff(want, []any{runs, events, part}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFiltersSayWhichPartTheySaw(t *testing.T) {
	t.Parallel()
	s := open(t, database(t))
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	add(t, s, "o/a", "1", now.AddDate(0, 0, -100), 5)
	add(t, s, "o/a", "2", now, 7)
	add(t, s, "o/c", "3", now, postgres.SliceEvents+1)
	last := &store.Slice{Runs: 1, Events: 7, Since: now}
	for _, test := range []struct {
		filter string
		sc     store.Scope
		total  int
		part   *store.Slice
	}{
		{"tool_name=gcc", store.Repos("o/a"), 7, last},
		{"tool_name=gcc run_id=1", store.Repos("o/a"), 5, nil}, // in the selected runs
		{"repo=o/none", everything, 0, nil},
		{"tool_name=gcc", store.Repos("o/c"), postgres.SliceEvents,
			&store.Slice{Runs: 1, Events: postgres.SliceEvents, Since: now}},
	} {
		where, err := store.ParseFilter(test.filter)
		if err != nil {
			t.Fatal(err)
		}
		page, err := s.Events(t.Context(), test.sc, store.EventFilter{Where: where, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		if page.Total != test.total {
			t.Errorf("%s: %d events, want %d", test.filter, page.Total, test.total)
		}
		if diff := cmp.Diff(test.part, page.Slice); diff != "" {
			t.Errorf("%s: -want +got:\n%s", test.filter, diff)
		}
	}
}
