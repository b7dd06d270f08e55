package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// failedBefore returns the steps of a run's branch that failed at an earlier commit and are still run, as far as later
// commits show: the newest run of each. Without a branch the commits that its commit contains are its branch.
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

// detachedFrom reports whether a run happened without a branch, too, at a commit that the commit of a run contains.
func (a *Asker) detachedFrom(ctx context.Context, of, r store.Run) bool {
	if r.Git.Branch != "" || r.Git.Commit == "" || a.Ancestry == nil {
		return false
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
