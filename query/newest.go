package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// Newest returns the newest run of each source, and of each leg of a matrix at its commit, because a leg that
// passes says nothing about the others. An empty result is not an error.
func (a *Asker) Newest(ctx context.Context, at At) ([]store.Run, error) {
	if err := a.sweep(ctx); err != nil {
		return nil, err
	}
	f := store.RunFilter{Newest: true}
	if err := a.at(ctx, at, &f); err != nil {
		return nil, err
	}
	runs, err := a.Store.Runs(ctx, a.Scope, f)
	if err != nil {
		return nil, err
	}
	return a.withLegs(ctx, f, runs)
}

// withLegs adds the other legs of matrices to the newest run of each source, which f selects: their newest runs at
// the same commit.
func (a *Asker) withLegs(ctx context.Context, f store.RunFilter, runs []store.Run) ([]store.Run, error) {
	all := runs
	for _, r := range runs {
		if r.Leg() == "" || r.Git.Commit == "" {
			continue
		}
		legs := f
		legs.Newest, legs.Repo, legs.Source, legs.Commit, legs.Limit = false, r.Repo, r.Source, r.Git.Commit, maxLegs
		list, err := a.Store.Runs(ctx, a.Scope, legs)
		if err != nil {
			return nil, err
		}
		seen := map[string]bool{r.Leg(): true}
		for _, other := range list {
			if !seen[other.Leg()] {
				seen[other.Leg()] = true
				all = append(all, other)
			}
		}
	}
	return all, nil
}

// worstLegs keeps one run of each source. Of a matrix it keeps the most urgent leg.
func worstLegs(runs []store.Run) []store.Run {
	type step struct{ repo, source string }
	at := map[step]int{}
	var list []store.Run
	for _, r := range runs {
		i, found := at[step{r.Repo, r.Source}]
		switch {
		case !found:
			at[step{r.Repo, r.Source}] = len(list)
			list = append(list, r)
		case urgency(r) > urgency(list[i]):
			list[i] = r
		}
	}
	return list
}
