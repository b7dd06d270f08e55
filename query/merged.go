package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// withoutMerged removes failed runs that are over because a success on another branch was merged: the newest commit of
// the failed run's branch contains the commit of a later success, which contains that of the failure. It asks git only
// about the checked-out branch and default branches. Runs of CI stay, because the jobs of their branch run again. recent
// holds runs that may be such successes. A success with uncommitted changes does not count. Neither does a success in
// another work tree than that of a failure with uncommitted changes.
func (a *Asker) withoutMerged(ctx context.Context, failed, recent []store.Run) []store.Run {
	if a.Root == "" || a.Ancestry == nil || a.Git == nil {
		return failed
	}
	known := map[string]*over{} // by branch
	return slices.DeleteFunc(failed, func(r store.Run) bool {
		if r.CI != nil || r.Git.Commit == "" || r.Git.Branch == "" ||
			r.Git.Branch != a.Git.Branch(a.Root) && !slices.Contains(store.DefaultBranches, r.Git.Branch) {
			return false
		}
		passed := slices.DeleteFunc(slices.Clone(recent), func(o store.Run) bool {
			return o.CI != nil || !isCommitted(o) || urgency(o) != 0 || o.Step() != r.Step() || !o.Answers(r) ||
				r.Git.Dirty && treeOf(o) != treeOf(r)
		})
		if len(passed) == 0 {
			return false
		}
		v := known[r.Git.Branch]
		if v == nil {
			tip, err := a.Ancestry.Ancestors(ctx, r.Repo, "refs/heads/"+r.Git.Branch, r.Git.Branch, 1)
			if err != nil || len(tip) == 0 {
				return false
			}
			head := store.Run{Git: store.Git{Branch: r.Git.Branch, Commit: tip[0]}}
			v = a.newOver(head, a.insideHead(ctx, head, recent), failed, recent)
			known[r.Git.Branch] = v
		}
		is, err := v.isOver(ctx, r, passed)
		return err == nil && is
	})
}
