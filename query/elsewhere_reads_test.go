package query_test

import (
	"context"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// failures counts the lists of failed runs that are read.
type failures struct {
	store.Reader
	n int
}

func (l *failures) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	if f.Status == store.StatusFail {
		l.n++
	}
	return l.Reader.Runs(ctx, sc, f)
}

// Each list is a message to the database of a service.
func TestOlderFailuresAreReadOnlyIfThereAreOlderRuns(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	l := &failures{Reader: f.Asker.Store}
	f.Asker.Store = l
	_, err := f.Asker.Status(t.Context(), query.StatusParams{})
	querytest.Check(t, err)
	if l.n != 0 {
		t.Errorf("status read %d lists of failed runs, although it had read all runs", l.n)
	}
}
