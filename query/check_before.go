package query

import (
	"context"
	"fmt"
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

// isAttempt returns a function that reports whether a run is the given one.
func isAttempt(r store.Run) func(store.Run) bool {
	return func(o store.Run) bool { return o.Attempt == r.Attempt }
}

// insideOf returns a function that reports whether a run happened at a commit that the commit of the given run
// contains, or before there was a commit. Each commit is looked up once. A commit that is not known is not contained.
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

// sameProposal reports whether two runs of one branch are of the same pull request, or of none. Forks have branches of
// the same names.
func sameProposal(a, b store.Run) bool {
	if a.CI == nil || b.CI == nil {
		return true
	}
	return a.CI.PR == b.CI.PR && a.CI.Fork == b.CI.Fork
}
