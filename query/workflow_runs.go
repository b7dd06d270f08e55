package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// failedBeside returns the newest failed run of each step that passed later, if the failure may still count. The later
// success does not show that the failure is over, for example because the success belongs to another job (see
// store.Run.Answers). newest holds the newest run of each step. The function readEarlier reads earlier runs. f is the
// filter with which newest and the earlier runs are read.
func (a *Asker) failedBeside(ctx context.Context, readEarlier func() (earlierRuns, error), f store.RunFilter,
	newest []store.Run) ([]unanswered, error) {
	passed := map[store.Step]store.Run{}
	for _, r := range newest {
		if urgency(r) == 0 {
			passed[r.Step()] = r
		}
	}
	if len(passed) == 0 {
		return nil, nil
	}
	p, err := readEarlier()
	if err != nil {
		return nil, err
	}
	var runs []store.Run
	for _, r := range p.all() {
		o, found := passed[r.Step()]
		if !found || !endedBadly(r) && !isCancelledJob(r) || a.answers(p, o, r) {
			continue
		}
		if r.CI != nil && r.Git.Branch != o.Git.Branch { // failedElsewhere reports failures on other branches
			continue
		}
		there := f // a question about a branch looks only at runs of the branch
		there.Newest, there.Since, there.Limit = false, r.StartedAt, maxRecent
		of, err := store.RunsOfStep(ctx, a.reader(), a.Scope, r, there)
		if err != nil {
			return nil, err
		}
		of = slices.DeleteFunc(of, func(o store.Run) bool {
			return o.Step() != r.Step() || r.CI != nil && o.Git.Branch != r.Git.Branch
		})
		of = append(of, p.atPlace(r)...)
		if !slices.ContainsFunc(of, func(o store.Run) bool { return urgency(o) == 0 && a.answers(p, o, r) }) {
			runs = append(runs, r)
		}
	}
	return a.stillCounting(ctx, runs, newest, passed)
}

// answers reports whether the success o shows that the failure r of the same step is over. A service does not know work
// trees, and two machines may have work trees with one path. If the runs happened at one commit in two work trees, and
// one of them had uncommitted changes, they had different files, and the success proves nothing about the other work
// tree.
func (a *Asker) answers(p earlierRuns, o, r store.Run) bool {
	otherFiles := a.Root == "" && o.CI == nil && r.CI == nil && r.Git.Commit != "" && r.Git.Commit == o.Git.Commit &&
		(treeOf(r) != treeOf(o) || r.Hostname != o.Hostname) && !sameFiles(r, o)
	return !otherFiles && p.answersJob(o, r)
}

// despiteJob returns the clause of despite if both runs belong to CI jobs.
func (o unanswered) despiteJob() string {
	ref := o.Passed.Ref()
	switch {
	case o.Passed.IsOvertaken(o.Run):
		return fmt.Sprintf("; %s passed later, but in an older workflow run, at %.9s", ref, Clean(o.Passed.Git.Commit))
	case o.Passed.CI.RunID == o.CI.RunID:
		return fmt.Sprintf("; %s passed in another job of the workflow run", ref)
	case o.Passed.CI.PR != o.CI.PR:
		return fmt.Sprintf("; %s passed for the same commit, but not for the same pull request", ref)
	case o.Passed.RanBeside(o.Run):
		return fmt.Sprintf("; %s passed at the same time, in another workflow run", ref)
	case otherPlace(o.Run, o.Passed):
		return fmt.Sprintf("; %s passed later, but at another place in the job", ref)
	case o.Passed.Git.Commit == o.Git.Commit && o.Passed.CI.EventName != o.CI.EventName:
		return fmt.Sprintf("; %s passed for the same commit, but for another event, %s", ref,
			Clean(o.Passed.CI.EventName))
	}
	return fmt.Sprintf("; %s passed later at %.9s", ref, Clean(o.Passed.Git.Commit))
}
