package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// withoutAnswered removes failed runs that are over at head's commit (see over.isOver), although the newest run of
// their step happened outside of the history of that commit. It keeps the newest of the other failed runs of each step.
// A success on another branch with uncommitted changes does not count.
func (a *Asker) withoutAnswered(ctx context.Context, head store.Run, failed []store.Run) ([]store.Run, error) {
	successes, err := a.successesAfter(ctx, failed)
	if err != nil {
		return nil, err
	}
	among := append(successes[:len(successes):len(successes)], failed...)
	v := a.newOver(head.Git.Commit, a.insideHead(ctx, head, among), failed, successes)
	var list []store.Run
	open := map[store.Step]store.Run{} // the newest failed run that is not over
	for _, r := range failed {
		if o, found := open[r.Step()]; found && !r.Supersedes(o) {
			continue // the result has o in any case
		}
		is, err := v.isOver(ctx, r, successes)
		if err != nil {
			return nil, err
		}
		if !is {
			open[r.Step()], list = r, append(list, r)
		}
	}
	return newestOfSteps(list), nil
}

// successesAfter returns successes of the steps of failed runs. It leaves out successes that began before all failed
// runs of their step. Of several successes at one commit, the newest is enough.
func (a *Asker) successesAfter(ctx context.Context, failed []store.Run) ([]store.Run, error) {
	var list []store.Run
	for _, r := range newestOfSteps(failed) {
		there, err := store.RunsOfStep(ctx, a.reader(), a.Scope, r, store.RunFilter{Status: store.StatusOK,
			After: firstSerial(failed, r.Step()), EachCommit: true, Limit: maxOfStep})
		if err != nil {
			return nil, err
		}
		for _, o := range there {
			if o.Step() == r.Step() && (!o.Git.Dirty || o.Git.Branch == r.Git.Branch) {
				list = append(list, o)
			}
		}
	}
	return list, nil
}

// firstSerial returns the lowest serial of the failed runs of a step. Successes with a lower serial are older. It
// returns 0 if one of the failed runs is late, because such a run may have begun before runs with a lower serial.
func firstSerial(failed []store.Run, step store.Step) int {
	first := 0
	for _, r := range failed {
		if r.Step() != step {
			continue
		}
		if r.Late() || r.OpenedAt.IsZero() {
			return 0
		}
		if first == 0 || r.Serial < first {
			first = r.Serial
		}
	}
	return first
}
