package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// Newest returns the newest run of each step, newest first. The newest run of all is not enough: if it passed, other
// steps may still have failed. If there are no runs, Newest returns an empty list and no error.
func (a *Asker) Newest(ctx context.Context, at At) ([]store.Run, error) {
	runs, _, err := a.newestSince(ctx, at, "")
	return runs, err
}

// newestSince does the same as Newest, but only for runs that started at the given time or later. It also returns the
// filter that selects these runs.
func (a *Asker) newestSince(ctx context.Context, at At, text string) ([]store.Run, store.RunFilter, error) {
	f := store.RunFilter{Newest: true}
	var err error
	if f.Since, err = since(text); err != nil {
		return nil, f, err
	}
	if err := a.sweep(ctx); err != nil {
		return nil, f, err
	}
	if err := a.at(ctx, at, &f); err != nil {
		return nil, f, err
	}
	runs, err := a.reader().Runs(ctx, a.Scope, f)
	return runs, f, err
}

// worstSteps keeps one run of each source: the newest run of the source's most urgent step.
func worstSteps(runs []store.Run) []store.Run {
	type source struct{ repo, name string }
	at := map[source]int{}
	var list []store.Run
	for _, r := range runs {
		i, found := at[source{r.Repo, r.Source}]
		switch {
		case !found:
			at[source{r.Repo, r.Source}] = len(list)
			list = append(list, r)
		case urgency(r) > urgency(list[i]):
			list[i] = r
		}
	}
	return list
}
