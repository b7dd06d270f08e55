package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// failedBefore returns failed runs at earlier commits of a run's branch. Each is the newest run of its step. A step is
// left out if a later commit shows that the step is retired. For a run without a branch, failedBefore reads the
// ancestors of the run's commit.
func (a *Asker) failedBefore(ctx context.Context, of store.Run) ([]store.Run, error) {
	all, err := a.Store.Runs(ctx, a.Scope, store.RunFilter{Repo: of.Repo, Branch: of.Git.Branch, Newest: true})
	if err != nil {
		return nil, err
	}
	runs, _, err := a.current(ctx, all)
	if err != nil {
		return nil, err
	}
	inside := a.insideOf(ctx, of)
	var list []store.Run
	for _, r := range runs {
		if r.Git.Commit == of.Git.Commit || urgency(r) <= urgencyOfRunning || !sameProposal(r, of) {
			continue
		}
		if of.Git.Branch == "" {
			if r.Git.Branch != "" || r.Git.Commit == "" || a.Ancestry == nil {
				continue
			}
			if contained, err := inside(r); err != nil {
				return nil, err
			} else if !contained {
				continue
			}
		}
		list = append(list, r)
	}
	return list, nil
}

// failedInside returns failed runs inside the commit of a run (see insideOf). They may be runs on a branch that was
// merged, or runs from before the directory was a git repository. The check reads the runs of the parameter here
// anyway, so failedInside does not return them. It leaves out a run if a newer run of its step is inside, too. For a
// run in CI, failedInside returns nil, because the jobs of the branch run the steps again.
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
	known, inside := slices.Concat(here, newest), a.insideOf(ctx, of)
	var list []store.Run
	for _, r := range slices.Concat(newest, failed) {
		if r.CI != nil || !endedBadly(r) || slices.ContainsFunc(here, isAttempt(r)) ||
			slices.ContainsFunc(list, isAttempt(r)) {
			continue
		}
		counts, err := inside(r)
		for i := 0; err == nil && counts && i < len(known); i++ {
			if o := known[i]; o.Step() == r.Step() && o.Attempt != r.Attempt && o.Supersedes(r) {
				var since bool
				since, err = inside(o)
				counts = !since
			}
		}
		if err != nil {
			return nil, err
		}
		if counts {
			list = append(list, r)
		}
	}
	counting, _, err := a.current(ctx, slices.Concat(list, newest))
	return slices.DeleteFunc(list, func(r store.Run) bool { return !slices.ContainsFunc(counting, isAttempt(r)) }), err
}

// failedOnBranch returns failed runs of the checked-out branch that no success inside the checked-out commit answers.
// Their commits may be gone from the branch, for example after git commit --amend. head is the checked-out commit. The
// check reads the runs of the parameter here anyway, so failedOnBranch does not return them.
func (a *Asker) failedOnBranch(ctx context.Context, head store.Run, here []store.Run) ([]store.Run, error) {
	if head.Git.Branch == "" {
		return nil, nil
	}
	failed, err := a.failedBefore(ctx, head)
	if err != nil || len(failed) == 0 {
		return nil, err
	}
	newest, err := a.Store.Runs(ctx, a.Scope, store.RunFilter{Repo: head.Repo, Newest: true})
	if err != nil {
		return nil, err
	}
	known, inside := slices.Concat(here, newest), a.insideOf(ctx, head)
	var list []store.Run
	for _, r := range besides(here, failed) {
		if r.CI != nil {
			continue
		}
		answered, err := a.answered(ctx, r, known, inside)
		if err != nil {
			return nil, err
		}
		if !answered {
			list = append(list, r)
		}
	}
	return list, nil
}

// isAttempt returns a function that reports whether its argument is the same run as r.
func isAttempt(r store.Run) func(store.Run) bool {
	return func(o store.Run) bool { return o.Attempt == r.Attempt }
}

// insideOf returns a function that reports whether a run happened inside the commit of the given run. A run is inside
// if its own commit is an ancestor of that commit, or if it has no commit. A run at an unknown commit is not inside.
// The function looks up each commit only once.
func (a *Asker) insideOf(ctx context.Context, of store.Run) func(store.Run) (bool, error) {
	known := map[string]bool{"": true, of.Git.Commit: true}
	return func(r store.Run) (bool, error) {
		if inside, ok := known[r.Git.Commit]; ok {
			return inside, nil
		}
		base, err := a.Ancestry.Ancestors(ctx, r.Repo, of.Git.Commit, r.Git.Commit, 1)
		if err != nil && store.CodeOf(err) != store.NotFound {
			return false, fmt.Errorf("history of %.9s: %w", of.Git.Commit, err)
		}
		known[r.Git.Commit] = err == nil && len(base) > 0 && base[0] == r.Git.Commit
		return known[r.Git.Commit], nil
	}
}

// sameProposal reports whether two runs of one branch may belong to the same pull request, or both to no pull request.
// Branches with equal names may be in different forks. A run outside of CI fits every run.
func sameProposal(a, b store.Run) bool {
	if a.CI == nil || b.CI == nil {
		return true
	}
	return a.CI.PR == b.CI.PR && a.CI.Fork == b.CI.Fork
}
