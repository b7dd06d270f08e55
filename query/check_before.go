package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// failedBefore returns the newest run of each step that failed at an earlier commit of a run's branch and is still run,
// as far as later commits show. For a run without a branch, the commits that its commit contains count as its branch.
func (a *Asker) failedBefore(ctx context.Context, of store.Run) ([]store.Run, error) {
	all, err := a.Store.Runs(ctx, a.Scope, store.RunFilter{Repo: of.Repo, Branch: of.Git.Branch, Newest: true})
	if err != nil {
		return nil, err
	}
	runs, _, err := a.current(ctx, all)
	return slices.DeleteFunc(runs, func(r store.Run) bool {
		return r.Git.Commit == of.Git.Commit || urgency(r) <= urgencyOfRunning || !sameProposal(r, of) ||
			of.Git.Branch == "" && !a.detachedFrom(ctx, of, r)
	}), err
}

// detachedFrom reports whether r has no branch either, and its commit is contained in the commit of the run.
func (a *Asker) detachedFrom(ctx context.Context, of, r store.Run) bool {
	if r.Git.Branch != "" || r.Git.Commit == "" || a.Ancestry == nil {
		return false
	}
	return a.isInside(ctx, of, r)
}

// failedInside returns runs outside of CI that failed on other branches, or before there was a repository, at commits
// that the commit of a run contains, such as those of a branch that was merged. here are the runs that count anyway.
// A step that has passed since inside of that commit is left out. In CI, the jobs of the branch run the steps again.
func (a *Asker) failedInside(ctx context.Context, of store.Run, here []store.Run) ([]store.Run, error) {
	if of.CI != nil || a.Ancestry == nil {
		return nil, nil
	}
	newest, err := a.Store.Runs(ctx, a.Scope, store.RunFilter{Repo: of.Repo, Newest: true})
	if err != nil {
		return nil, err
	}
	failed, err := a.Store.Runs(ctx, a.Scope, store.RunFilter{Repo: of.Repo, Status: store.StatusFail,
		Limit: maxElsewhere})
	if err != nil {
		return nil, err
	}
	known := append(slices.Clone(here), newest...)
	var list []store.Run
	for _, r := range append(newest, failed...) {
		if r.CI != nil || !endedBadly(r) || !a.isInside(ctx, of, r) {
			continue
		}
		if !slices.ContainsFunc(known, func(o store.Run) bool {
			return o.Step() == r.Step() && (o.Attempt == r.Attempt && slices.ContainsFunc(here, isAttempt(r)) ||
				o.Attempt != r.Attempt && o.Supersedes(r) && a.isInside(ctx, of, o))
		}) && !slices.ContainsFunc(list, isAttempt(r)) {
			list = append(list, r)
		}
	}
	counting, _, err := a.current(ctx, append(list, newest...))
	return slices.DeleteFunc(list, func(r store.Run) bool { return !slices.ContainsFunc(counting, isAttempt(r)) }), err
}

// isAttempt returns whether a run is the given one.
func isAttempt(r store.Run) func(store.Run) bool {
	return func(o store.Run) bool { return o.Attempt == r.Attempt }
}

// isInside reports whether a run happened at a commit that the commit of another contains, or before there was one.
func (a *Asker) isInside(ctx context.Context, of, r store.Run) bool {
	if r.Git.Commit == "" || r.Git.Commit == of.Git.Commit {
		return true
	}
	base, err := a.Ancestry.Ancestors(ctx, r.Repo, of.Git.Commit, r.Git.Commit, 1)
	return err == nil && len(base) > 0 && base[0] == r.Git.Commit
}

// sameProposal reports whether two runs of one branch are of the same pull request, or of none. Forks have branches of
// the same names.
func sameProposal(a, b store.Run) bool {
	if a.CI == nil || b.CI == nil {
		return true
	}
	return a.CI.PR == b.CI.PR && a.CI.Fork == b.CI.Fork
}
