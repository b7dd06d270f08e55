package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// withoutMerged removes failed runs of the checked-out branch that are over because a success on another branch was
// merged: the checked-out commit contains the commit of a later success, which contains that of the failure. Runs of CI
// stay, because the jobs of their branch run again.
func (a *Asker) withoutMerged(ctx context.Context, failed []store.Run) ([]store.Run, error) {
	if a.Root == "" || a.Ancestry == nil {
		return failed, nil
	}
	head, err := a.head(ctx, failed)
	if err != nil || head.Git.Commit == "" || head.Git.Branch == "" {
		return failed, err
	}
	var here, list []store.Run
	for _, r := range failed {
		if r.CI == nil && r.Git.Commit != "" && r.Git.Branch == head.Git.Branch {
			here = append(here, r)
		} else {
			list = append(list, r)
		}
	}
	if len(here) > 0 {
		here, err = a.withoutAnswered(ctx, head, here)
	}
	return append(list, here...), err
}
