package query

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/blq-ci/blq/store"
)

// These limits bound the search for failed runs of other branches. maxRecent is the max number of newest runs to
// read. maxFailed is the max number of newest failed runs to read. maxOfStep is the max number of runs of one step to
// read, and fewOfStep the number that is usually enough. maxElsewhere is the max number of runs in the answer.
const (
	maxRecent    = 200
	maxFailed    = 200
	maxOfStep    = 1000
	fewOfStep    = 20
	maxElsewhere = 20
)

// failures returns the newest failed runs that a filter selects. If it returns maxFailed runs, there may be more.
func (a *Asker) failures(ctx context.Context, f store.RunFilter) ([]store.Run, error) {
	f.Newest, f.Failed, f.Limit = false, true, maxFailed
	return a.reader().Runs(ctx, a.Scope, f)
}

// stepOnBranch is a step on one branch.
type stepOnBranch struct {
	store.Step
	branch string
}

// failedElsewhere returns failed runs on other branches, newest first, at most one for each step on a branch. A run is
// left out if a later success shows that the failure is over, on its branch or on another one that was merged into it
// (see withoutMerged), or if the branch no longer exists. The step must also have a newer run on another branch. newest
// holds the newest run of each step. CI jobs without a branch, such as jobs that build a tag, are treated as jobs of
// one branch. f selects runs by repository, name and time. If the question names a branch, commit or pull request, the
// list is empty.
func (a *Asker) failedElsewhere(ctx context.Context, at At, f store.RunFilter, newest []store.Run) (
	[]store.Run, error) {
	if at.Branch != "" || at.Commit != "" || at.PR != 0 {
		return nil, nil
	}
	steps := map[store.Step]store.Run{}
	for _, r := range newest {
		steps[r.Step()] = r
	}
	f.Limit = maxRecent
	recent, err := a.reader().Runs(ctx, a.Scope, f)
	if err != nil {
		return nil, err
	}
	runs := map[stepOnBranch][]store.Run{}
	for _, r := range recent {
		on := stepOnBranch{r.Step(), r.Git.Branch}
		runs[on] = append(runs[on], r)
	}
	var older []store.Run
	if len(recent) == maxRecent {
		if older, err = a.failures(ctx, f); err != nil {
			return nil, err
		}
	}
	concerns := func(r store.Run) bool { // whether another branch has a newer run of the step
		newer, known := steps[r.Step()]
		return known && (r.Git.Branch != "" || r.CI != nil) && newer.Git.Branch != r.Git.Branch
	}
	older = slices.DeleteFunc(older, func(r store.Run) bool { return !concerns(r) })
	if err := a.addOlder(ctx, runs, older, f); err != nil {
		return nil, err
	}
	var last, open []store.Run
	for _, list := range runs {
		last, open = append(last, newestOfSteps(list)[0]), append(open, failing(list))
	}
	var list []store.Run
	hasBranch := a.branchCheck(ctx, last, open)
	for _, r := range open {
		if concerns(r) && endedBadly(r) && hasBranch(r) {
			list = append(list, r)
		}
	}
	if list, err = a.withoutMerged(ctx, list); err != nil {
		return nil, err
	}
	sort.Slice(list, func(i, j int) bool { return list[i].StartedAt.After(list[j].StartedAt) })
	return list[:min(len(list), maxElsewhere)], nil
}

// addOlder adds failed runs to the runs of their steps, with the later runs that decide whether the failures are over.
// If the newest run of a step on a branch failed, or shows that a failure is over, it adds only that run. f selects
// runs.
func (a *Asker) addOlder(ctx context.Context, runs map[stepOnBranch][]store.Run, failed []store.Run,
	f store.RunFilter) error {
	f.Newest, f.Failed, f.Limit = true, false, 0
	branches := map[string][]string{} // by repository
	for _, r := range failed {
		if len(runs[stepOnBranch{r.Step(), r.Git.Branch}]) == 0 && !slices.Contains(branches[r.Repo], r.Git.Branch) {
			branches[r.Repo] = append(branches[r.Repo], r.Git.Branch)
		}
	}
	newest := map[stepOnBranch]store.Run{}
	for f.Repo, f.Branches = range branches {
		list, err := a.reader().Runs(ctx, a.Scope, f)
		if err != nil {
			return err
		}
		for _, o := range list {
			newest[stepOnBranch{o.Step(), o.Git.Branch}] = o
		}
	}
	for _, r := range failed {
		on := stepOnBranch{r.Step(), r.Git.Branch}
		if o, found := newest[on]; found && len(runs[on]) == 0 {
			runs[on] = []store.Run{o}
		}
		there := runs[on]
		if len(there) > 0 && endedBadly(newestOfSteps(there)[0]) || answersAny(there, r) ||
			slices.ContainsFunc(there, isAttempt(r)) {
			continue
		}
		var err error
		if runs[on], err = a.sinceOnBranch(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// endedBadly reports whether a run failed, timed out or was lost. It returns false for a cancelled run, because people
// often cancel a run to start a newer one.
func endedBadly(r store.Run) bool {
	switch r.Status() {
	case store.StatusFail, store.StatusTimeout, store.StatusOrphaned:
		return true
	}
	return false
}

// isCancelledJob reports whether a run belongs to a CI job and was cancelled. Such a run may have been replaced by
// a later attempt or workflow run. Other jobs of the same attempt do not replace it.
func isCancelledJob(r store.Run) bool { return r.CI != nil && r.Status() == store.StatusCancelled }

// Beside returns the newest failed runs of the other steps in the repository and branch of r, newest first. It also
// returns failed runs that still count although their steps passed later. It leaves out retired steps, which later
// commits no longer run. If r is a CI job without a branch, Beside looks at the runs without a branch. If r is another
// run without a branch, for example with a detached HEAD, it looks at all branches.
func (a *Asker) Beside(ctx context.Context, r store.Run) ([]store.Run, error) {
	f := store.RunFilter{Repo: r.Repo, Branch: r.Git.Branch, NoBranch: r.Git.Branch == "" && r.CI != nil, Newest: true}
	all, err := a.reader().Runs(ctx, a.Scope, f)
	if err != nil {
		return nil, err
	}
	in, _, err := a.current(ctx, all)
	if err != nil {
		return nil, err
	}
	in = slices.DeleteFunc(in, func(o store.Run) bool {
		return o.Attempt == r.Attempt || o.Step() == r.Step() || !endedBadly(o)
	})
	counting, err := a.counting(ctx, f, all, At{})
	return append(in, besides(in, counting)...), err
}

// branchOf returns the branch of a run for people.
func branchOf(r store.Run) string {
	if r.Git.Branch == "" && r.CI != nil {
		return "(no branch)"
	}
	return Clean(r.Git.Branch)
}

// failing returns the run that decides the state of a step on a branch. This is the newest run if it failed.
// Otherwise it is the newest failure that is not over, or else the newest run. All given runs must be runs of the
// step.
func failing(runs []store.Run) store.Run {
	newest := newestOfSteps(runs)[0]
	if endedBadly(newest) {
		return newest
	}
	open := slices.DeleteFunc(slices.Clone(runs), func(r store.Run) bool {
		return !endedBadly(r) || answersAny(runs, r)
	})
	if len(open) > 0 {
		return newestOfSteps(open)[0]
	}
	return newest
}

// answersAny reports whether the failure r is over: one of the given runs is a later success that proves it. All given
// runs must be runs of one step.
func answersAny(runs []store.Run, r store.Run) bool {
	return slices.ContainsFunc(runs, func(o store.Run) bool { return urgency(o) == 0 && o.Answers(r) })
}

// sinceOnBranch returns r and later runs of its step on its branch.
func (a *Asker) sinceOnBranch(ctx context.Context, r store.Run) ([]store.Run, error) {
	there, err := store.RunsOfStep(ctx, a.reader(), a.Scope, r, store.RunFilter{Branch: r.Git.Branch,
		NoBranch: r.Git.Branch == "", Since: r.StartedAt, Limit: maxOfStep})
	there = slices.DeleteFunc(there, func(o store.Run) bool { return o.Step() != r.Step() || o.Attempt == r.Attempt })
	return append(there, r), err
}

// branchCheck returns a function that reports whether the branch of a run still exists. The function treats a missing
// branch as renamed if another branch contains the run's commit, and no newer run of the step is at a descendant of
// that commit. It also returns true if blq cannot find out. heads holds the newest run of each step on each branch.
// among holds all runs that will be checked.
func (a *Asker) branchCheck(ctx context.Context, heads, among []store.Run) func(store.Run) bool {
	if a.Ancestry == nil || a.Git == nil { // a service does not have the repository
		return func(store.Run) bool { return true }
	}
	onBranch := a.onBranches(ctx, among, true)
	branches := sync.OnceValue(func() map[string]bool { return a.branches(ctx, heads[0].Repo) })
	return func(r store.Run) bool {
		if r.Git.Branch == "" || branches() == nil || branches()[r.Git.Branch] {
			return true
		}
		if a.root(r) == "" || !onBranch(r) {
			return false
		}
		for _, o := range heads {
			if o.Step() != r.Step() || !o.Supersedes(r) || o.Git.Commit == "" {
				continue
			}
			is, known := a.alreadyInside(o.Git.Commit, r.Git.Commit)
			if !known {
				base, err := a.Ancestry.Ancestors(ctx, r.Repo, o.Git.Commit, r.Git.Commit, 1)
				is = err == nil && len(base) > 0 && base[0] == r.Git.Commit
			}
			if is {
				return false
			}
		}
		return true
	}
}

// branches returns the names of all branches. It returns nil if blq cannot find them out, for example outside of
// git, or if none of them is known to be the default branch.
func (a *Asker) branches(ctx context.Context, repo string) map[string]bool {
	names, err := a.Git.Branches(ctx, a.Root)
	if err != nil {
		return nil
	}
	if slices.ContainsFunc(store.DefaultBranches, func(name string) bool { return names[name] }) {
		return names // so there is a default branch, whichever it is
	}
	if known, err := a.Ancestry.DefaultBranch(ctx, repo); err != nil || known == "" {
		return nil
	}
	return names
}
