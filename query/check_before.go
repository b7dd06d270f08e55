package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// failedBefore returns failed runs at earlier commits of a run's branch. Each is the newest run of its
// step. A step is left out if a later commit shows that the step is retired. If the given run has no
// branch, failedBefore returns two kinds of runs without a branch: those that may have happened inside
// the given run's commit (see insideOf), and those whose commits no branch contains any more, for
// example after git commit --amend.
func (a *Asker) failedBefore(ctx context.Context, of store.Run) ([]store.Run, error) {
	all, err := a.Store.Runs(ctx, a.Scope, store.RunFilter{Repo: of.Repo, Branch: of.Git.Branch, Newest: true})
	if err != nil {
		return nil, err
	}
	runs, _, err := a.current(ctx, all)
	if err != nil {
		return nil, err
	}
	inside, onBranch := a.insideOf(ctx, of, runs), a.onBranches(ctx, runs, false)
	var list []store.Run
	for _, r := range runs {
		if r.Git.Commit == of.Git.Commit || urgency(r) <= urgencyOfRunning || !sameProposal(r, of) {
			continue
		}
		if of.Git.Branch == "" {
			if r.Git.Branch != "" || r.Git.Commit == "" || a.Ancestry == nil {
				continue
			}
			where, err := inside(r)
			if err != nil {
				return nil, err
			}
			if where == outside && (r.CI != nil || of.CI != nil || a.Git == nil || onBranch(r)) {
				continue
			}
		}
		list = append(list, r)
	}
	return list, nil
}

// failedInside returns failed runs inside the commit of a run (see insideOf). They may be runs on a branch that was
// merged, or runs from before the directory was a git repository. runs holds runs that the check has read already.
// failedInside does not return these. It leaves out a run if a newer run of its step is inside, too. A run
// counts as well if a shallow clone does not show whether it is inside. For a run in CI, failedInside returns nil,
// because the jobs of the branch run the steps again.
func (a *Asker) failedInside(ctx context.Context, of store.Run, runs []store.Run) ([]store.Run, error) {
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
	known := slices.Concat(runs, newest)
	inside := a.insideOf(ctx, of, slices.Concat(known, failed))
	var list []store.Run
	for _, r := range slices.Concat(newest, failed) {
		if r.CI != nil || !endedBadly(r) || slices.ContainsFunc(runs, isAttempt(r)) ||
			slices.ContainsFunc(list, isAttempt(r)) {
			continue
		}
		where, err := inside(r)
		counts := where != outside
		for i := 0; err == nil && counts && i < len(known); i++ {
			if o := known[i]; o.Step() == r.Step() && o.Attempt != r.Attempt && o.Supersedes(r) {
				var since place
				since, err = inside(o)
				counts = since < where
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

// failedOnBranch returns failed runs of the checked-out branch, but not those that a later success
// inside the checked-out commit answers (see answered). The branch may no longer contain the commits
// of these runs, for example after git commit --amend. head is the checked-out commit. runs holds runs
// that the check has read already. failedOnBranch does not return these.
func (a *Asker) failedOnBranch(ctx context.Context, head store.Run, runs []store.Run) ([]store.Run, error) {
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
	known := slices.Concat(runs, newest)
	inside := a.insideOf(ctx, head, slices.Concat(known, failed))
	var list []store.Run
	for _, r := range besides(runs, failed) {
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

// unclearNote returns a clause for a failed run of which a shallow clone does not show whether it happened inside the
// commit of another run. It returns "" for other runs.
func (a *Asker) unclearNote(ctx context.Context, of, r store.Run) string {
	if a.Ancestry == nil || r.CI != nil {
		return ""
	}
	if where, err := a.insideOf(ctx, of, nil)(r); err != nil || where != unclear {
		return ""
	}
	return fmt.Sprintf("; the clone is shallow, so it is not known whether %.9s contains that commit", of.Git.Commit)
}

// sameProposal reports whether two runs of branches with equal names may belong to one branch.
// Branches with equal names may be in different forks, and a branch may be deleted and made again. So
// two pull requests are two branches. In GitHub Actions, a push and a pull request belong to one
// branch unless the pull request comes from a fork. A run outside of CI may belong to the branch of
// any run.
func sameProposal(a, b store.Run) bool {
	if a.CI == nil || b.CI == nil {
		return true
	}
	pushed := a.CI.PR == 0 || b.CI.PR == 0
	own := isOfGitHub(a) && isOfGitHub(b) && !a.CI.Fork && !b.CI.Fork
	return a.CI.PR == b.CI.PR && a.CI.Fork == b.CI.Fork || pushed && own
}

func isOfGitHub(r store.Run) bool { return r.CI.Provider == "github" }
