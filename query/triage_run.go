package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

const maxOthers = 8 // other runs that are named

// matters returns the run to look into, and the others that are not OK; last those that do not count any more.
func (a *Asker) matters(ctx context.Context, p TriageParams) (store.Run, []OtherRun, error) {
	if p.Ref != "" {
		r, err := a.runAt(ctx, p.At, p.Ref)
		return r, nil, err
	}
	all, err := a.newest(ctx, p)
	if err != nil {
		return store.Run{}, nil, err
	}
	runs, out, err := a.current(ctx, all)
	if err != nil {
		return store.Run{}, nil, err
	}
	if len(runs) == 0 {
		runs, out = all, nil
	}
	// MaxFunc returns the first, which is the newest
	r := slices.MaxFunc(runs, func(x, y store.Run) int { return urgency(x) - urgency(y) })
	var others []OtherRun
	for _, o := range runs {
		if o.Attempt != r.Attempt && o.Status() != store.StatusOK {
			others = append(others, OtherRun{RunRef: o.Ref().String(), Status: o.Status(), Errors: o.Errors})
		}
	}
	for _, o := range out {
		others = append(others, OtherRun{o.Ref().String(), o.Status(), o.Errors, o.Why})
	}
	return r, others, nil
}

// newest returns the newest run of each step: at least one. NotFound: there is none.
func (a *Asker) newest(ctx context.Context, p TriageParams) ([]store.Run, error) {
	from, err := since(p.Since)
	if err != nil {
		return nil, err
	}
	f := store.RunFilter{Source: p.Source, Newest: true, Since: from}
	if err := a.at(ctx, p.At, &f); err != nil {
		return nil, err
	}
	if p.Source != "" {
		if err := a.knownSource(ctx, p.Source); err != nil {
			return nil, err
		}
	}
	runs, err := a.Store.Runs(ctx, a.Scope, f)
	switch {
	case err != nil:
		return nil, err
	case len(runs) == 0 && (p.At != (At{}) || p.Since != ""):
		return nil, store.Next(store.Errorf(store.NotFound, "no such runs there"),
			store.NewCall("history", "shows where runs happened"))
	case len(runs) == 0:
		return nil, store.Next(store.Errorf(store.NotFound, "no runs are recorded yet"),
			store.NewCall("exec", "records one", "command", "make"))
	}
	return runs, nil
}

// urgencyOfRunning is the urgency of a run without an outcome. Runs above it have not gone well.
const urgencyOfRunning = 1

// urgency orders runs by how urgently somebody should look into them.
func urgency(r store.Run) int {
	switch r.Status() {
	case store.StatusFail, store.StatusTimeout:
		return 3
	case store.StatusCancelled, store.StatusOrphaned:
		return 2
	case store.StatusRunning:
		return urgencyOfRunning
	}
	return 0
}
