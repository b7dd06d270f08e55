package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// failedBefore returns failed runs at other commits of a run's branch. It returns at most one run of each step: the
// newest. It leaves out retired steps, which later commits no longer run. For a run without a branch, it returns other
// runs without a branch. Their commits must be in the history of the given run's commit (see insideOf), or on no
// branch any more, for example after git commit --amend.
func (a *Asker) failedBefore(ctx context.Context, of store.Run) ([]store.Run, error) {
	all, err := a.reader().Runs(ctx, a.Scope, store.RunFilter{Repo: of.Repo, Branch: of.Git.Branch, Newest: true})
	if err != nil {
		return nil, err
	}
	if all, err = a.ofProposal(ctx, of, all); err != nil {
		return nil, err
	}
	runs, _, err := a.current(ctx, all)
	if err != nil {
		return nil, err
	}
	inside, onBranch := a.insideOf(ctx, of, runs), a.onBranches(ctx, runs, false)
	var list []store.Run
	for _, r := range runs {
		if r.Git.Commit == of.Git.Commit || urgency(r) <= urgencyOfRunning {
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

// ofProposal returns the newest run of each step that may belong to the same pull request as the given run. newest
// holds the newest run of each step on the branch. Such a run may belong to another pull request with the same branch
// name.
func (a *Asker) ofProposal(ctx context.Context, of store.Run, newest []store.Run) ([]store.Run, error) {
	var list []store.Run
	for _, r := range newest {
		if sameProposal(r, of) {
			list = append(list, r)
			continue
		}
		o, found, err := a.newestOfProposal(ctx, of, r)
		if err != nil {
			return nil, err
		}
		if found {
			list = append(list, o)
		}
	}
	return list, nil
}

// newestOfProposal returns the newest run of the step of r that is on the branch of the run "of" and may belong to the
// same pull request. It reads many runs only if it finds no such run among the newest ones. The order of late runs is
// known only after reading them all.
func (a *Asker) newestOfProposal(ctx context.Context, of, r store.Run) (newest store.Run, found bool, err error) {
	for _, limit := range []int{fewOfStep, maxOfStep} {
		onBranch := store.RunFilter{Branch: of.Git.Branch, Limit: limit}
		there, err := store.RunsOfStep(ctx, a.reader(), a.Scope, r, onBranch)
		if err != nil {
			return store.Run{}, false, err
		}
		all := len(there) < limit
		there = slices.DeleteFunc(there, func(o store.Run) bool { return o.Step() != r.Step() || !sameProposal(o, of) })
		if len(there) > 0 {
			newest, found = newestOfSteps(there)[0], true
		}
		if all || found && !newest.Late() {
			break
		}
	}
	return newest, found, nil
}

// failedInHistory returns failed runs in the history of a run's commit (see insideOf), such as runs on a branch that
// was merged. It also returns failed runs at a commit with the same files, if they are the newest runs of their steps.
// It leaves out the runs in the list checked, runs whose step has a newer run in the history, and runs of retired
// steps. In a shallow clone, it also returns runs that may be in the history. Runs of CI do not count. If the
// given run is a run of CI, the result is nil, because the jobs of its branch run the steps again.
func (a *Asker) failedInHistory(ctx context.Context, of store.Run, checked []store.Run) ([]store.Run, error) {
	if of.CI != nil || a.Ancestry == nil {
		return nil, nil
	}
	newest, err := a.reader().Runs(ctx, a.Scope, store.RunFilter{Repo: of.Repo, Newest: true})
	if err != nil {
		return nil, err
	}
	failed, err := a.failures(ctx, store.RunFilter{Repo: of.Repo})
	if err != nil {
		return nil, err
	}
	known := slices.Concat(checked, newest)
	inside := a.insideOf(ctx, of, slices.Concat(known, failed))
	ofHead := a.insideHead(ctx, of, newest)
	var list []store.Run
	for i, r := range slices.Concat(newest, failed) {
		if r.CI != nil || !endedBadly(r) || slices.ContainsFunc(checked, isAttempt(r)) ||
			slices.ContainsFunc(list, isAttempt(r)) {
			continue
		}
		where, err := inside(r)
		if err == nil && i < len(newest) && where == outside {
			where, err = ofHead(r) // if the step passed later, failedAtHead finds the failure
			where = min(where, within)
		}
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
	if list, err = a.withoutAnswered(ctx, of, list); err != nil {
		return nil, err
	}
	counting, _, err := a.current(ctx, slices.Concat(list, newest))
	return slices.DeleteFunc(list, func(r store.Run) bool { return !slices.ContainsFunc(counting, isAttempt(r)) }), err
}

// failedOnBranch returns failed runs of the checked-out branch. The branch may no longer contain the commits of
// these runs, for example after git commit --amend. failedOnBranch leaves out runs of CI, runs in the list checked, and
// failures that are over (see over.isOver). head is the checked-out commit.
func (a *Asker) failedOnBranch(ctx context.Context, head store.Run, checked []store.Run) ([]store.Run, error) {
	if head.Git.Branch == "" {
		return nil, nil
	}
	failed, err := a.failedBefore(ctx, head)
	if err != nil || len(failed) == 0 {
		return nil, err
	}
	failed = slices.DeleteFunc(besides(checked, failed), func(r store.Run) bool { return r.CI != nil })
	return a.withoutAnswered(ctx, head, failed)
}

// isAttempt returns a function that reports whether its argument is the same run as r.
func isAttempt(r store.Run) func(store.Run) bool {
	return func(o store.Run) bool { return o.Attempt == r.Attempt }
}

// unclearNote returns a clause for a note about the run r. The clause says that the clone is shallow, so that blq does
// not know whether r is in the history of head's commit. If blq knows this, or if r is a run of CI, the clause is "".
func (a *Asker) unclearNote(ctx context.Context, head, r store.Run) string {
	if a.Ancestry == nil || r.CI != nil {
		return ""
	}
	if where, err := a.insideOf(ctx, head, nil)(r); err != nil || where != unclear {
		return ""
	}
	return fmt.Sprintf("; the clone is shallow, so it is not known whether %.9s contains that commit", head.Git.Commit)
}

// sameProposal reports whether two runs on branches with equal names may belong to one branch. Two such branches
// may be in different forks, or one was deleted before the other was made. So runs of two pull requests never belong
// to one branch. In GitHub Actions, a push and a pull request belong to one branch unless the pull request comes from
// a fork. A run outside of CI may belong to any of the branches.
func sameProposal(a, b store.Run) bool {
	if a.CI == nil || b.CI == nil {
		return true
	}
	pushed := a.CI.PR == 0 || b.CI.PR == 0
	own := isOfGitHub(a) && isOfGitHub(b) && !a.CI.Fork && !b.CI.Fork
	return a.CI.PR == b.CI.PR && a.CI.Fork == b.CI.Fork || pushed && own
}

func isOfGitHub(r store.Run) bool { return r.CI.Provider == "github" }
