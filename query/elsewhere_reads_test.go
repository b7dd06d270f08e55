package query_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// lists counts the lists of runs that are read.
type lists struct {
	store.Reader
	failed, all int
}

func (l *lists) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	l.all++
	if f.Failed {
		l.failed++
	}
	return l.Reader.Runs(ctx, sc, f)
}

// At a service, each list of runs is a statement sent to the database, so status avoids lists that it does not need.
func TestOlderFailuresAreReadOnlyIfThereAreOlderRuns(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	l := &lists{Reader: f.Asker.Store}
	f.Asker.Store = l
	_, err := f.Asker.Status(t.Context(), query.StatusParams{})
	querytest.Check(t, err)
	if l.failed != 0 {
		t.Errorf("status read %d lists of failed runs, although it had read all runs", l.failed)
	}
}

func TestOlderFailuresOfAllBranchesAreReadTogether(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	n := 0
	add := func(branch string, exit int) {
		n++
		f.Add(t, querytest.Run{Source: "build", At: n, Exit: exit, Git: &store.Git{Branch: branch}})
	}
	for i := range 30 {
		add(fmt.Sprint("topic", i), 1)
		add(fmt.Sprint("topic", i), i%2) // half of the branches are fixed
	}
	for range 200 {
		add("main", 0)
	}
	l := &lists{Reader: f.Asker.Store}
	f.Asker.Store = l
	s, err := f.Status(t.Context(), query.StatusParams{})
	querytest.Check(t, err)
	if len(s.Sources) != 1+15 {
		t.Errorf("status lists %d runs: %+v", len(s.Sources), s.Sources)
	}
	if l.all > 5 {
		t.Errorf("status read %d lists", l.all)
	}
}
