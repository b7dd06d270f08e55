package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// over decides which failed runs are over. It looks up facts about many commits at once, and each fact only once.
type over struct {
	*Asker
	inside    func(store.Run) (place, error) // whether a run is in the history of the checked-out commit
	failed    []string                       // commits of the failed runs
	successes []store.Run

	// contained has the failed commits that the commit of a success contains, by the commit of the success.
	contained map[string]map[string]bool
	// within has functions that say whether a success is in the history of a failed run, by the commit of that run.
	within map[string]func(store.Run) (place, error)
}

// newOver returns an over for the failed runs in a list, and for successes. The commits of other runs are looked up one
// by one. The function inside says whether a run is in the history of the checked-out commit.
func (a *Asker) newOver(inside func(store.Run) (place, error), among, successes []store.Run) *over {
	var failed []store.Run
	for _, r := range among {
		if endedBadly(r) {
			failed = append(failed, r)
		}
	}
	return &over{Asker: a, inside: inside, failed: commitsOf(failed), successes: successes,
		contained: map[string]map[string]bool{}, within: map[string]func(store.Run) (place, error){}}
}

// isOver reports whether the failed run r no longer counts, because its step passed later in one of the given runs. The
// comment of failedAtHead says which successes count. If the function inside returns unclear for r, a success for which
// it returns unclear counts, too.
func (v *over) isOver(ctx context.Context, r store.Run, runs []store.Run) (bool, error) {
	needed, err := v.inside(r)
	if err != nil {
		return false, err
	}
	if needed == outside { // an earlier commit of the branch that was rewritten
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
		if before, err := v.isOlder(ctx, o, r); err != nil || before != within {
			return err == nil, err
		}
	}
	return false, nil
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
