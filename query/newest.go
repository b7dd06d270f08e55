package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// Newest returns the newest run of each step, newest first. It returns all steps, because a step that passed proves
// nothing about other steps. If there are no runs, Newest returns an empty list and no error.
func (a *Asker) Newest(ctx context.Context, at At) ([]store.Run, error) {
	return a.newestSince(ctx, at, "")
}

// newestSince does the same as Newest, but only for runs that started at the given time or later.
func (a *Asker) newestSince(ctx context.Context, at At, text string) ([]store.Run, error) {
	from, err := since(text)
	if err != nil {
		return nil, err
	}
	if err := a.sweep(ctx); err != nil {
		return nil, err
	}
	f := store.RunFilter{Newest: true, Since: from}
	if err := a.at(ctx, at, &f); err != nil {
		return nil, err
	}
	return a.Store.Runs(ctx, a.Scope, f)
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
