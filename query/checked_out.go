package query

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/blq-ci/blq/store"
)

// failedAtHead returns failed runs that still count at the checked-out commit, although their steps passed later at
// another commit or with uncommitted changes. The newest runs come first. newest holds the newest run of each step. The
// function readEarlier reads the earlier runs.
//
// A failure counts only if it is in the history of the checked-out commit (see insideHead), or if a shallow clone
// hides whether it is. It is over if its step passed later in that history. A success at an ancestor of the failure's
// commit proves nothing, because it is about older code. Neither does a success on another branch, or a success with
// uncommitted changes that are gone. If the step failed with the very files of the checked-out commit, only a success
// with these files shows that the failure is over, for example after git revert. Runs of CI are left out, because they
// are about the commits that the jobs check out.
func (a *Asker) failedAtHead(ctx context.Context, readEarlier func() (earlierRuns, error), newest []store.Run) (
	[]unanswered, error) {
	if a.Root == "" || a.Ancestry == nil {
		return nil, nil
	}
	head, err := a.head(ctx, newest)
	if err != nil || head.Git.Commit == "" {
		return nil, err
	}
	passed := map[store.Step]store.Run{}
	for _, r := range newest {
		// After a success at the checked-out commit itself, all earlier failures of the step are over, unless the
		// success had uncommitted changes.
		if r.CI == nil && r.Git.Commit != "" && (r.Git.Commit != head.Git.Commit || r.Git.Dirty) && urgency(r) == 0 {
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
	all := p.all()
	inside, isClean := a.insideHead(ctx, head, all), a.cleanAt(ctx, head)
	successes := map[store.Step][]store.Run{}
	var known []store.Run
	for step, o := range passed {
		successes[step], known = []store.Run{o}, append(known, o)
	}
	for _, o := range p.recent {
		if urgency(o) == 0 && successes[o.Step()] != nil {
			successes[o.Step()], known = append(successes[o.Step()], o), append(known, o)
		}
	}
	v := a.newOver(head.Git.Commit, inside, all, known)
	for _, r := range all {
		if r.CI != nil || r.Git.Commit == "" || !endedBadly(r) || !isCommitted(r) && !a.isAskedIn(r) {
			continue
		}
		o, found := passed[r.Step()]
		if !found {
			continue
		}
		where, err := inside(r)
		if err != nil {
			return nil, err
		}
		later := successes[r.Step()]
		switch {
		case where == outside:
			continue
		case where == identical && isClean():
			later = slices.DeleteFunc(slices.Clone(later), func(o store.Run) bool { return o.Git.Dirty })
		case o.Git.Commit == head.Git.Commit:
			continue
		}
		is, err := v.isOver(ctx, r, later)
		if err != nil {
			return nil, err
		}
		if !is {
			runs = append(runs, r)
		}
	}
	return a.stillCounting(ctx, runs, newest, passed)
}

// cleanAt returns a function that reports whether the tracked files of the work tree are the same as in the checked-out
// commit. The function returns false if git fails.
func (a *Asker) cleanAt(ctx context.Context, head store.Run) func() bool {
	return sync.OnceValue(func() bool {
		if a.Git == nil {
			return false
		}
		changed, err := a.Git.ChangedFiles(ctx, a.Root, head.Git.Commit)
		return err == nil && len(changed) == 0
	})
}

// insideHead returns a function that says whether a run is in the history of head, the checked-out commit. It returns
// identical for a run without uncommitted changes at a commit with the same files as head. With such changes, the run
// counts as within. git commit --amend, a rebase and git revert make commits with the files of others. The function
// looks up the commits of all runs in the list among at once.
func (a *Asker) insideHead(ctx context.Context, head store.Run, among []store.Run) func(store.Run) (place, error) {
	inside := a.insideOf(ctx, head, among)
	var same map[string]bool
	return func(r store.Run) (place, error) {
		where, err := inside(r)
		if err != nil || r.Git.Commit == "" || a.Git == nil && r.Git.Commit != head.Git.Commit {
			return where, err
		}
		if same == nil && r.Git.Commit != head.Git.Commit {
			if same, err = a.Git.SameFiles(ctx, a.Root, head.Git.Commit, commitsOf(among)); err != nil {
				return where, fmt.Errorf("files of %.9s: %w", head.Git.Commit, err)
			}
		}
		switch {
		case r.Git.Commit != head.Git.Commit && !same[r.Git.Commit]:
			return where, nil
		case isCommitted(r):
			return identical, nil
		}
		return within, nil
	}
}

// stillCounting returns the newest failed run of each step. If the step is retired, the result says that the run
// does not count. passed has the later success of each step.
func (a *Asker) stillCounting(ctx context.Context, failed, newest []store.Run, passed map[store.Step]store.Run) (
	[]unanswered, error) {
	if len(failed) == 0 {
		return nil, nil
	}
	_, out, err := a.current(ctx, slices.Concat(failed, newest))
	if err != nil {
		return nil, err
	}
	var list []unanswered
	for _, r := range newestOfSteps(failed) {
		o := unanswered{Run: r, Passed: passed[r.Step()], Counts: true}
		if i := slices.IndexFunc(out, func(l leftOut) bool { return l.Attempt == r.Attempt }); i >= 0 {
			o.Counts, o.Why = false, out[i].Why
		}
		list = append(list, o)
	}
	return list, nil
}

// head returns a run with only two fields: the checked-out commit and the checked-out branch. Both are "" outside of
// git, and if runs is empty.
func (a *Asker) head(ctx context.Context, runs []store.Run) (store.Run, error) {
	if len(runs) == 0 {
		return store.Run{}, nil
	}
	base, err := a.Ancestry.Ancestors(ctx, runs[0].Repo, "HEAD", "HEAD", 1)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return store.Run{}, fmt.Errorf("the checked-out commit: %w", err)
	}
	var r store.Run
	if err == nil && len(base) > 0 {
		r.Git.Commit = base[0]
	}
	if a.Git != nil && a.Root != "" {
		r.Git.Branch = a.Git.Branch(a.Root)
	}
	return r, nil
}

// newestOfSteps returns the newest run of each step, newest first.
func newestOfSteps(runs []store.Run) []store.Run {
	last := map[store.Step]store.Run{}
	for _, r := range runs {
		if o, found := last[r.Step()]; !found || r.Supersedes(o) {
			last[r.Step()] = r
		}
	}
	var list []store.Run
	for _, r := range last {
		list = append(list, r)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].StartedAt.After(list[j].StartedAt) })
	return list
}
