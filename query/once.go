package query

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/blq-ci/blq/store"
)

// runLists reads lists of runs for an Asker.
type runLists struct {
	store.RunReader
	only []string // attempt IDs; if there are any, the lists have only these runs

	mu   sync.Mutex
	read map[string][]store.Run // runs by filter; nil reads each list anew
}

// once returns an Asker for one question. It reads the runs of a filter only once, because several parts of an answer
// need the same runs. So the question must not wait for new runs.
func (a *Asker) once() *Asker {
	c := *a
	c.lists = &runLists{RunReader: a.Store, read: map[string][]store.Run{}}
	if a.lists != nil {
		c.lists.only = a.lists.only
	}
	return &c
}

// OnlyRun returns an Asker whose lists have only one run. So no other run is a baseline.
func (a *Asker) OnlyRun(attempt string) *Asker {
	c := *a
	c.lists = &runLists{RunReader: a.Store, only: []string{attempt}}
	return &c
}

// reader returns the reader of runs.
func (a *Asker) reader() store.RunReader {
	if a.lists != nil {
		return a.lists
	}
	return a.Store
}

// Runs returns the runs of a filter. The caller may change the list.
func (l *runLists) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	if l.only != nil {
		f.Attempts = l.only
	}
	if l.read == nil {
		return l.RunReader.Runs(ctx, sc, f)
	}
	key := fmt.Sprintf("%#v", f)
	if f.Leg != nil {
		key += *f.Leg // the filter has only a pointer to it
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if list, found := l.read[key]; found {
		return slices.Clone(list), nil
	}
	list, err := l.RunReader.Runs(ctx, sc, f)
	if err == nil {
		l.read[key] = slices.Clone(list)
	}
	return list, err
}
