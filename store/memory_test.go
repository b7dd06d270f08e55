package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/storetest"
)

// memory is a Store with only the methods that the search for a baseline and its tests call.
type memory struct {
	store.Store
	runs []store.Run // newest last
}

func (m *memory) StartRun(_ context.Context, r store.Run) (store.Run, error) {
	r, err := r.Checked()
	r.Serial = len(m.runs) + 1
	m.runs = append(m.runs, r)
	return r, err
}

func (m *memory) FinishRun(_ context.Context, attempt string, f store.Finish) (store.Run, error) {
	r := m.find(attempt)
	r.State, r.Ending = store.StateCompleted, f.Ending
	return *r, nil
}

func (m *memory) OrphanRun(_ context.Context, attempt string, _ time.Time) (bool, error) {
	m.find(attempt).State = store.StateOrphaned
	return true, nil
}

func (m *memory) find(attempt string) *store.Run {
	return &m.runs[slices.IndexFunc(m.runs, func(r store.Run) bool { return r.Attempt == attempt })]
}

func (m *memory) Run(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, error) {
	f := store.RunFilter{Repo: ref.Repo, Source: ref.Source}
	if ref.Attempt != "" {
		f.Attempts = []string{ref.Attempt}
	}
	if ref.Serial > 0 {
		f.Serials = []int{ref.Serial}
	}
	found, err := m.Runs(ctx, sc, f)
	if err == nil && len(found) <= ref.Back {
		err = store.NoRun(ref, store.Ref{})
	}
	if err != nil {
		return store.Run{}, err
	}
	return found[ref.Back], nil
}

func (m *memory) Runs(_ context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	var list []store.Run
	for _, r := range slices.Backward(m.runs) {
		if sc.Has(r.Repo) && selects(f, r) && (f.Limit == 0 || len(list) < f.Limit) {
			list = append(list, r)
		}
	}
	return list, nil
}

func selects(f store.RunFilter, r store.Run) bool {
	return (f.Repo == "" || f.Repo == r.Repo) &&
		(f.Source == "" || f.Source == r.Source) &&
		(f.Branch == "" || f.Branch == r.Git.Branch) &&
		strings.HasPrefix(r.Git.Commit, f.Commit) &&
		(f.Commits == nil || slices.Contains(f.Commits, r.Git.Commit)) &&
		(f.Attempts == nil || slices.Contains(f.Attempts, r.Attempt)) &&
		(f.Serials == nil || slices.Contains(f.Serials, r.Serial)) &&
		(f.Leg == nil || *f.Leg == r.Leg()) &&
		(f.Before == 0 || r.Serial < f.Before) &&
		(!f.Baseline || (r.Ended() && r.Lost == "" && (r.CI == nil || !r.CI.Fork))) &&
		(!f.Clean || !r.Git.Dirty)
}

func TestBaselines(t *testing.T) {
	storetest.Baselines(t, func(*testing.T) store.Store { return &memory{} })
}
