package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

// An index finds the runs of a job. The number of the repository's runs does not matter.
func TestRunsOfAJobAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	job := store.CIJob{RunID: "57", RunAttempt: 1, CheckRunID: "10"}
	for _, f := range []store.RunFilter{
		{Repo: "o/a", Job: job, State: store.StateRunning},
		{Repo: "o/a", Job: store.CIJob{RunID: "57"}, Limit: 1},
		{Job: store.CIJob{RunID: "57"}},
	} {
		ids, args, err := runIDs(t.Context(), s.reader, store.Repos("o/a"), f)
		if err != nil {
			t.Fatal(err)
		}
		if plan := explain(t.Context(), t, s, ids, args); !strings.Contains(plan, "runs_job (ci_run_id=? AND repo=?") {
			t.Errorf("%+v: %s", f, plan)
		}
	}
}

// explain returns SQLite's plan for a statement.
func explain(ctx context.Context, t *testing.T, s *Store, q string, args []any) string {
	t.Helper()
	steps, err := query(ctx, s.reader, func(scan func(...any) error) (string, error) {
		var id, parent, unused int
		var step string
		err := scan(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+q, args...)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", q, err))
	}
	return strings.Join(steps, "; ")
}

// A project's store has a single repository, which questions do not name. The indexes of commits and branches are used
// all the same.
func TestRunsOfAPlaceAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.StartRun(t.Context(), store.Run{Attempt: "a", Source: "build"}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		filter store.RunFilter
		index  string
	}{
		{store.RunFilter{Commits: []string{"c1", "c2"}}, "runs_commit (repo=? AND git_commit=?)"},
		{store.RunFilter{Commit: "abcd"}, "runs_commit (repo=? AND git_commit>? AND git_commit<?)"},
		{store.RunFilter{Branch: "main", Limit: 20}, "runs_branch (repo=? AND git_branch=?)"},
		{store.RunFilter{PR: 7}, "runs_pr (repo=? AND pr=?)"},
	} {
		ids, args, err := runIDs(t.Context(), s.reader, store.Everything(), tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		if plan := explain(t.Context(), t, s, ids, args); !strings.Contains(plan, tt.index) {
			t.Errorf("%+v: %s", tt.filter, plan)
		}
		if tt.filter.Branch != "" {
			continue // the newest runs of a branch are found by another index
		}
		ids, args, err = newestIDs(t.Context(), s.reader, store.Everything(), tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		if plan := explain(t.Context(), t, s, ids, args); !strings.Contains(plan, tt.index) {
			t.Errorf("newest of %+v: %s", tt.filter, plan)
		}
	}
}

// The runs before or after a serial are a range of an index. Other runs of the source are not read.
func TestRunsBetweenSerialsAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.StartRun(t.Context(), store.Run{Attempt: "a", Source: "build"}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		filter store.RunFilter
		runs   string
	}{
		{store.RunFilter{Source: "build", Leg: new(string), Before: 7, Limit: 20},
			"runs_source (source_id=? AND rowid<?)"},
		{store.RunFilter{Source: "build", Leg: new(string), After: 7, EachCommit: true},
			"runs_source (source_id=? AND rowid>?)"},
		{store.RunFilter{Before: 7, Limit: 20}, "INTEGER PRIMARY KEY (rowid<?)"},
	} {
		ids, args, err := runIDs(t.Context(), s.reader, store.Everything(), tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		plan := explain(t.Context(), t, s, ids, args)
		if !strings.Contains(plan, tt.runs) || !strings.Contains(plan, "SEARCH b USING COVERING INDEX") ||
			tt.filter.Limit > 0 && strings.Contains(plan, "ORDER BY") {
			t.Errorf("%+v: %s", tt.filter, plan)
		}
	}
}

// The newest run of each step on several branches is found by searches in an index, one for each step and branch.
func TestNewestRunsOfBranchesAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, f := range []store.RunFilter{
		{Branches: []string{"main", "topic", ""}}, {Branches: []string{"main"}, Repo: "o/a"},
	} {
		ids, args, err := newestIDs(t.Context(), s.reader, store.Everything(), f)
		if err != nil {
			t.Fatal(err)
		}
		plan := explain(t.Context(), t, s, ids, args)
		const step = "runs_step_branch (source_id=? AND git_branch=? AND step"
		if n := strings.Count(plan, step); n != 3 || strings.Contains(plan, "SCAN r") {
			t.Errorf("%+v: %s", f, plan)
		}
	}
}
