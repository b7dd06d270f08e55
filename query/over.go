package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// over decides which failed runs are over. It looks up facts about many commits at once, and each fact only once.
type over struct {
	*Asker
	head      string                         // the checked-out commit
	inside    func(store.Run) (place, error) // whether a run is in the history of the checked-out commit
	failed    []string                       // commits of the failed runs
	successes []store.Run

	// contained has the failed commits that the commit of a success contains, by the commit of the success.
	contained map[string]map[string]bool
	// within has functions that say whether a success is in the history of a failed run, by the commit of that run.
	within map[string]func(store.Run) (place, error)
}

// newOver returns an over for the failed runs in a list, and for successes. The commits of other runs are looked up one
// by one. head is the checked-out commit. The function inside says whether a run is in the history of that commit.
func (a *Asker) newOver(head string, inside func(store.Run) (place, error), among, successes []store.Run) *over {
	var failed []store.Run
	for _, r := range among {
		if endedBadly(r) {
			failed = append(failed, r)
		}
	}
	return &over{Asker: a, head: head, inside: inside, failed: commitsOf(failed), successes: successes,
		contained: map[string]map[string]bool{}, within: map[string]func(store.Run) (place, error){}}
}

// isOver reports whether the failed run r no longer counts, because its step passed later in one of the given runs. The
// comment of failedAtHead says which successes count. If the function inside returns unclear for r, a success for which
// it returns unclear counts, too. If the commit of r is not in the history of the checked-out commit, for example after
// a rebase, a success at an earlier commit than the checked-out one must be of the branch of r.
func (v *over) isOver(ctx context.Context, r store.Run, runs []store.Run) (bool, error) {
	needed, err := v.inside(r)
	if err != nil {
		return false, err
	}
	rewritten := needed == outside // an earlier commit of the branch that was rewritten
	if rewritten {
		needed = within
	}
	step, tried := r.Step(), false
	for _, o := range runs {
		if urgency(o) != 0 || o.Step() != step || !o.Supersedes(r) {
			continue
		}
		if o.Git.Commit == "" || o.Git.Commit == r.Git.Commit {
			return true, nil
		}
		where, err := v.inside(o)
		if err != nil {
			return false, err
		}
		if where == identical {
			return true, nil
		}
		if where < needed {
			continue
		}
		// One lookup for the newest success usually tells about all failures.
		if !tried && v.contains(ctx, o.Git.Commit, r.Git.Commit) {
			return true, nil
		}
		tried = true
		switch before, err := v.isOlder(ctx, o, r); {
		case err != nil:
			return false, err
		case before == within:
		case before == unclear, rewritten && o.Git.Branch == r.Git.Branch:
			return true, nil
		case o.Git.Commit == v.head || !rewritten && v.hasFailed(ctx, o, r):
			return true, nil
		}
	}
	return false, nil
}

// hasFailed reports whether the commit of the success o contains the commit of the failed run r. It returns true if a
// shallow clone hides that. Two branches that were merged do not contain each other's commits.
func (v *over) hasFailed(ctx context.Context, o, r store.Run) bool {
	where, err := v.insideOf(ctx, o, nil)(r)
	return err == nil && where != outside
}

// contains reports whether a commit of a success is known to contain another commit, that of a failed run. In this case
// the failed run does not contain the success.
func (v *over) contains(ctx context.Context, success, failed string) bool {
	if v.Git == nil || len(v.failed) < 2 {
		return false
	}
	known, asked := v.contained[success]
	if !asked {
		known, _ = v.Git.Inside(ctx, v.Root, success, v.failed) // after an error, isOlder asks again
		v.contained[success] = known
	}
	return known[failed]
}

// isOlder says whether the success o is in the history of the failed run r.
func (v *over) isOlder(ctx context.Context, o, r store.Run) (place, error) {
	look, known := v.within[r.Git.Commit]
	if !known {
		look = v.insideOf(ctx, r, v.successes)
		v.within[r.Git.Commit] = look
	}
	return look(o)
}
