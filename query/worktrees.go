package query

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"

	"github.com/blq-ci/blq/store"
)

// treeOfStep is a step in one work tree. The directory identifies the work tree. The name of the machine does not: a
// container has another name each time it starts, and a laptop in another network.
type treeOfStep struct {
	store.Step
	root string
}

// unanswered is a failed run whose step passed later, but whose failure may still count. The success does not prove
// that the failure is over, for example because the success happened in another work tree or at another commit.
type unanswered struct {
	store.Run
	Passed store.Run // the later run
	Counts bool      // the failure counts
	// Why says why the failure does not count, if its step is retired. Otherwise Why is "".
	Why string
}

// unanswered returns failed runs whose steps passed later. The later success does not show that the failure is over.
// newest holds the newest run of each step. f selects runs. The parameter somewhere says whether the question names a
// branch, commit or pull request.
func (a *Asker) unanswered(ctx context.Context, f store.RunFilter, newest []store.Run, somewhere bool) (
	[]unanswered, error) {
	readEarlier := sync.OnceValues(func() (earlierRuns, error) { return a.earlierRuns(ctx, f) })
	list, err := a.failedInTrees(ctx, readEarlier, newest)
	if err != nil {
		return nil, err
	}
	more, err := a.failedBeside(ctx, readEarlier, f, newest)
	if err != nil {
		return nil, err
	}
	if !somewhere {
		here, err := a.failedAtHead(ctx, readEarlier, newest)
		if err != nil {
			return nil, err
		}
		more = append(more, here...)
	}
	for _, o := range more {
		if i := slices.IndexFunc(list, func(l unanswered) bool { return l.Attempt == o.Attempt }); i >= 0 {
			list[i].Counts = list[i].Counts || o.Counts
		} else {
			list = append(list, o)
		}
	}
	return list, nil
}

// counting returns the failed runs of unanswered that count. The argument at has the branch, commit or pull request
// that the question names. The argument newest has the newest run of each step. f selects runs.
func (a *Asker) counting(ctx context.Context, f store.RunFilter, newest []store.Run, at At) ([]store.Run, error) {
	list, err := a.unanswered(ctx, f, newest, at != (At{}))
	return countingRuns(list), err
}

// countingRuns returns the runs of the list whose failures count.
func countingRuns(list []unanswered) (runs []store.Run) {
	for _, o := range list {
		if o.Counts {
			runs = append(runs, o.Run)
		}
	}
	return runs
}

// retiredRuns returns the runs of the list whose steps are retired.
func retiredRuns(list []unanswered) (runs []leftOut) {
	for _, o := range list {
		if !o.Counts && o.Why != "" {
			runs = append(runs, leftOut{o.Run, o.Why})
		}
	}
	return runs
}

// failedInTrees returns failed runs of steps that passed later in another work tree, newest first. newest holds the
// newest run of each step. The function readEarlier reads the earlier runs. A failure that is over is left out. In the
// following rules, "here" means the work tree in which the question is asked.
//
//   - A failure here is over when its step passes here, or when the history here contains the commit of the later
//     success. The history proves nothing if the success had uncommitted changes, or if both runs happened at one
//     commit: files that git does not track may differ.
//   - A failure in another work tree is over, unless both runs happened at one commit and one of them had uncommitted
//     changes. Such a failure is in the list, but does not count if the success happened here.
//
// Failures in work trees that no longer exist are left out. Runs of CI are left out, because jobs check out commits.
func (a *Asker) failedInTrees(ctx context.Context, readEarlier func() (earlierRuns, error), newest []store.Run) (
	[]unanswered, error) {
	if a.Root == "" {
		return nil, nil // a service does not know work trees
	}
	passed := map[store.Step]store.Run{}
	for _, r := range newest {
		if r.CI == nil && r.Git.Root != "" && urgency(r) == 0 {
			passed[r.Step()] = r
		}
	}
	if len(passed) == 0 {
		return nil, nil
	}
	last, err := a.newestOfTrees(ctx, readEarlier, passed)
	if err != nil {
		return nil, err
	}
	var list []unanswered
	for in, r := range last {
		o, found := passed[in.Step]
		if !found || !endedBadly(r) || treeOf(o) == in || isGone(r) {
			continue
		}
		asked := a.isAskedIn(r)
		if !asked && (r.Git.Commit != o.Git.Commit || sameFiles(r, o)) {
			continue
		}
		if asked && isCommitted(o) && o.Git.Commit != r.Git.Commit {
			if here, err := a.isHere(ctx, o); err != nil {
				return nil, err
			} else if here {
				continue
			}
		}
		list = append(list, unanswered{Run: r, Passed: o, Counts: asked || !a.isAskedIn(o)})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].StartedAt.After(list[j].StartedAt) })
	return list, nil
}

// newestOfTrees returns the newest run of each step in each work tree. A run that is not recent is found only if
// its step is in the map steps.
func (a *Asker) newestOfTrees(ctx context.Context, readEarlier func() (earlierRuns, error),
	steps map[store.Step]store.Run) (map[treeOfStep]store.Run, error) {
	p, err := readEarlier()
	if err != nil {
		return nil, err
	}
	last := map[treeOfStep]store.Run{}
	keep := func(runs []store.Run) {
		for _, r := range runs {
			if o, found := last[treeOf(r)]; r.CI == nil && r.Git.Root != "" && (!found || r.Supersedes(o)) {
				last[treeOf(r)] = r
			}
		}
	}
	keep(p.recent)
	read := map[store.Step]bool{}
	for _, r := range p.failed {
		if _, found := last[treeOf(r)]; found || r.Git.Root == "" {
			continue
		}
		if _, wanted := steps[r.Step()]; !wanted {
			continue
		}
		if read[r.Step()] {
			keep([]store.Run{r})
			continue
		}
		read[r.Step()] = true
		of, err := store.RunsOfStep(ctx, a.reader(), a.Scope, r, store.RunFilter{Limit: maxRecent})
		if err != nil {
			return nil, err
		}
		keep(append(of, r))
	}
	return last, nil
}

// earlierRuns holds two lists: recent runs, and failed runs that may be older. A run may be in both lists.
type earlierRuns struct{ recent, failed []store.Run }

// earlierRuns reads the recent runs and the failed runs that a filter selects.
func (a *Asker) earlierRuns(ctx context.Context, f store.RunFilter) (p earlierRuns, err error) {
	f.Newest, f.Limit = false, maxRecent
	if p.recent, err = a.reader().Runs(ctx, a.Scope, f); err != nil || len(p.recent) < maxRecent {
		return p, err
	}
	p.failed, err = a.failures(ctx, f)
	return p, err
}

// all returns each run once.
func (p earlierRuns) all() []store.Run {
	list := slices.Clone(p.recent)
	known := make(map[string]bool, len(list))
	for _, r := range list {
		known[r.Attempt] = true
	}
	for _, r := range p.failed {
		if !known[r.Attempt] {
			list = append(list, r)
		}
	}
	return list
}

// elsewhere returns a clause that says where the run failed.
func (o unanswered) elsewhere() string {
	return fmt.Sprintf("it happened in another work tree, %s", Clean(o.Git.Root))
}

// despite returns a clause about the later run that passed. The clause says why this success does not show that the
// failure is over.
func (o unanswered) despite() string {
	ref, root := o.Passed.Ref(), Clean(o.Passed.Git.Root)
	switch {
	case o.Passed.Overlaps(o.Run):
		return fmt.Sprintf("; %s passed, but it began before this run had ended", ref)
	case o.Passed.CI != nil && o.CI != nil:
		return o.despiteJob()
	case treeOf(o.Run) == treeOf(o.Passed) && o.Git.Commit == o.Passed.Git.Commit && o.Passed.Git.Dirty:
		return fmt.Sprintf("; %s passed later, with uncommitted changes that are gone", ref)
	case treeOf(o.Run) == treeOf(o.Passed):
		return fmt.Sprintf("; %s passed later at another commit, %.9s", ref, Clean(o.Passed.Git.Commit))
	case sameFiles(o.Run, o.Passed):
		return fmt.Sprintf("; %s passed later in another work tree, %s, at the same commit", ref, root)
	}
	return fmt.Sprintf("; %s passed later in another work tree, %s, with other files", ref, root)
}

// treeOf returns the step and the work tree of a run.
func treeOf(r store.Run) treeOfStep { return treeOfStep{r.Step(), r.Git.Root} }

// sameFiles reports whether two runs had the same files of one commit.
func sameFiles(r, o store.Run) bool {
	return r.Git.Commit == o.Git.Commit && isCommitted(r) && isCommitted(o)
}

// isCommitted reports whether the files of a run were the files of its commit.
func isCommitted(r store.Run) bool { return r.Git.Commit != "" && !r.Git.Dirty }

// isAskedIn reports whether a question is asked in the work tree of a run.
func (a *Asker) isAskedIn(r store.Run) bool {
	asked, err := os.Stat(workTree(a.Root))
	if err != nil {
		return false
	}
	of, err := os.Stat(r.Git.Root)
	return err == nil && os.SameFile(asked, of)
}

// workTree returns the directory of the work tree that contains the directory of a project.
func workTree(project string) string {
	for dir := project; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		} else if dir == filepath.Dir(dir) {
			return project
		}
	}
}

// isHere reports whether the history of the work tree in which the question is asked contains the commit of a run.
func (a *Asker) isHere(ctx context.Context, r store.Run) (bool, error) {
	if a.Ancestry == nil {
		return false, nil
	}
	base, err := a.Ancestry.Ancestors(ctx, r.Repo, "HEAD", r.Git.Commit, 1)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return false, fmt.Errorf("history of the work tree: %w", err)
	}
	return err == nil && len(base) > 0 && base[0] == r.Git.Commit, nil
}

// isGone reports whether the work tree of a run does not exist any more.
func isGone(r store.Run) bool {
	info, err := os.Stat(r.Git.Root)
	return err != nil || !info.IsDir()
}
