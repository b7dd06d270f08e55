package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

const maxOthers = 8 // other runs that are named

// around holds the newest runs of steps beside the run that triage looks into.
type around struct {
	others  []OtherRun  // those that are not OK; last those that do not count any more
	noisy   []store.Run // those that passed and reported errors
	unknown []store.Run // those without errors whose end is not known
	passed  *store.Run  // a later run of another step with the same name that passed, nil for none
}

// matters returns the run to look into, and what is around it.
func (a *Asker) matters(ctx context.Context, p TriageParams) (store.Run, around, error) {
	if p.Ref != "" {
		r, err := a.runAt(ctx, p.At, p.Ref)
		return r, around{}, err
	}
	all, err := a.newest(ctx, p)
	if err != nil {
		return store.Run{}, around{}, err
	}
	runs, out, err := a.current(ctx, all)
	if err != nil {
		return store.Run{}, around{}, err
	}
	if len(runs) == 0 {
		runs, out = all, nil
	}
	// MaxFunc returns the first, which is the newest
	r := slices.MaxFunc(runs, func(x, y store.Run) int {
		return cmp.Or(urgency(x)-urgency(y), loudness(x)-loudness(y))
	})
	var near around
	for _, o := range runs {
		switch {
		case o.Status() != store.StatusOK && o.Attempt != r.Attempt:
			near.others = append(near.others, OtherRun{RunRef: o.Ref().String(), Status: o.Status(), Errors: o.Errors})
		case o.Status() == store.StatusOK && o.Errors > 0:
			near.noisy = append(near.noisy, o)
		case o.Status() == store.StatusOK && o.ExitCode == nil:
			near.unknown = append(near.unknown, o)
		}
		if near.passed == nil && o.Repo == r.Repo && o.Source == r.Source && o.Follows(r) &&
			o.Status() == store.StatusOK {
			near.passed = &o
		}
	}
	if r.Status() == store.StatusOK {
		elsewhere, err := a.failedElsewhere(ctx, p, all)
		if err != nil {
			return store.Run{}, around{}, err
		}
		near.others = append(near.others, elsewhere...)
	}
	for _, o := range out {
		near.others = append(near.others,
			OtherRun{RunRef: o.Ref().String(), Status: o.Status(), Errors: o.Errors, LeftOut: o.Why})
	}
	return r, near, nil
}

// loudness is 1 for a run that passed and reported errors.
func loudness(r store.Run) int {
	if r.Status() == store.StatusOK && r.Errors > 0 {
		return 1
	}
	return 0
}

// maxElsewhere bounds how many failed runs are looked at for whether their branch still fails.
const maxElsewhere = 20

// failedElsewhere returns failed runs that are the newest of their step on their branch, while the newest run of the
// step passed on another branch. Where a branch, commit or pull request was asked for, there are none.
func (a *Asker) failedElsewhere(ctx context.Context, p TriageParams, newest []store.Run) ([]OtherRun, error) {
	if p.Branch != "" || p.Commit != "" || p.PR != 0 {
		return nil, nil
	}
	from, err := since(p.Since)
	if err != nil {
		return nil, err
	}
	at := map[store.Step]store.Run{}
	for _, r := range newest {
		at[r.Step()] = r
	}
	failed, err := a.Store.Runs(ctx, a.Scope, store.RunFilter{
		Repo: p.Repo, Source: p.Source, Since: from, Status: store.StatusFail, Limit: maxElsewhere,
	})
	var list []OtherRun
	for _, r := range failed {
		newer, known := at[r.Step()]
		if r.Git.Branch == "" || !known || newer.Git.Branch == r.Git.Branch || newer.Attempt == r.Attempt {
			continue
		}
		there, err := store.RunsOfStep(ctx, a.Store, a.Scope, r, store.RunFilter{Branch: r.Git.Branch, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(there) == 1 && there[0].Attempt == r.Attempt && a.hasBranch(ctx, r) {
			list = append(list, OtherRun{RunRef: r.Ref().String(), Status: r.Status(), Errors: r.Errors,
				Branch: Clean(r.Git.Branch)})
		}
	}
	return list, err
}

// hasBranch reports whether the branch of a run exists, as far as that is known.
func (a *Asker) hasBranch(ctx context.Context, r store.Run) bool {
	if a.Ancestry == nil || a.Git == nil { // a service does not have the repository
		return true
	}
	_, err := a.Ancestry.Ancestors(ctx, r.Repo, r.Git.Branch, r.Git.Branch, 1)
	return store.CodeOf(err) != store.NotFound
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
