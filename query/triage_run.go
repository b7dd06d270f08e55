package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

const maxOthers = 8 // max other runs in the answer

// around holds the newest runs of all steps, except the step that the triage explains.
type around struct {
	others  []OtherRun  // runs that did not end well, followed by runs that do not count because their steps are retired
	noisy   []store.Run // runs that passed and reported errors
	unknown []store.Run // runs without errors and without a known result
	partial string      // sentence about runs that the search left out, see lookedAt; "" for none
	passed  *store.Run  // a later run of another step with the same name that passed, or nil
}

// matters returns the run to explain, and the other runs that people should know about. If the question names the run,
// matters returns no other runs.
func (a *Asker) matters(ctx context.Context, p TriageParams) (store.Run, around, error) {
	if p.Ref != "" {
		r, err := a.runAt(ctx, p.At, p.Ref)
		return r, around{}, err
	}
	all, f, err := a.newest(ctx, p)
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
	trees, err := a.unanswered(ctx, f, all, p.At != (At{}))
	if err != nil {
		return store.Run{}, around{}, err
	}
	for _, o := range trees {
		if o.Counts {
			runs = append(runs, o.Run)
		}
	}
	// MaxFunc returns the first of several equal maxima. This is the newest run.
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
		if near.partial, err = a.lookedAt(ctx, p.At, f, all); err != nil {
			return store.Run{}, around{}, err
		}
		if !f.Since.IsZero() {
			near.partial = notes("runs that began before "+stamp(f.Since)+" do not count", near.partial)
		}
		failed, err := a.failedElsewhere(ctx, p.At, store.RunFilter{Repo: p.Repo, Source: p.Source, Since: f.Since}, all)
		if err != nil {
			return store.Run{}, around{}, err
		}
		for _, o := range trees {
			if !slices.ContainsFunc(failed, isAttempt(o.Run)) {
				out = append(out, leftOut{o.Run, cmp.Or(o.Why, o.elsewhere())})
			}
		}
		for _, o := range failed {
			near.others = append(near.others, OtherRun{RunRef: o.Ref().String(), Status: o.Status(), Errors: o.Errors,
				Branch: branchOf(o)})
		}
	}
	near.others = append(near.others, others(out)...)
	return r, near, nil
}

// loudness returns 1 for a run that passed and reported errors, and 0 for other runs.
func loudness(r store.Run) int {
	if r.Status() == store.StatusOK && r.Errors > 0 {
		return 1
	}
	return 0
}

// newest returns the newest run of each step, and the filter that selects these runs. NotFound: no run matches.
func (a *Asker) newest(ctx context.Context, p TriageParams) ([]store.Run, store.RunFilter, error) {
	f := store.RunFilter{Source: p.Source, Newest: true}
	var err error
	if f.Since, err = since(p.Since); err != nil {
		return nil, f, err
	}
	if err := a.at(ctx, p.At, &f); err != nil {
		return nil, f, err
	}
	if p.Source != "" {
		if err := a.knownSource(ctx, p.Source); err != nil {
			return nil, f, err
		}
	}
	runs, err := a.reader().Runs(ctx, a.Scope, f)
	switch {
	case err != nil:
		return nil, f, err
	case len(runs) == 0 && (p.At != (At{}) || p.Since != ""):
		return nil, f, store.Next(store.Errorf(store.NotFound, "no such runs there"),
			store.NewCall("history", "shows where runs happened"))
	case len(runs) == 0:
		return nil, f, store.Next(store.Errorf(store.NotFound, "no runs are recorded yet"),
			store.NewCall("exec", "records one", "command", "make"))
	}
	return runs, f, nil
}

// urgencyOfRunning is the urgency of a run that has not ended. Only runs that did not end well are more urgent.
const urgencyOfRunning = 1

// urgency returns the urgency of a run for people. A more urgent run has a higher value.
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
