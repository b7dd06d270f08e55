package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// place says whether a run is in the history of a commit. The history of a commit is the commit and its ancestors.
type place int

// These are the values of place.
const (
	outside   place = iota // the run is not in the history
	unclear                // unknown, because the clone is shallow
	within                 // the run is in the history, or has no commit
	identical              // the run had the files of the checked-out commit; see insideHead
)

// insideOf returns a function that says whether a run is in the history of head's commit. The function returns within
// for a run without a commit. For a run at an unknown commit, it returns unclear in a shallow clone, and outside in any
// other clone. It looks up the commits of all runs in the list among at once, and each commit only once.
func (a *Asker) insideOf(ctx context.Context, head store.Run, among []store.Run) func(store.Run) (place, error) {
	known := map[string]place{"": within, head.Git.Commit: within}
	return func(r store.Run) (place, error) {
		if _, ok := known[r.Git.Commit]; !ok && len(among) > 1 && a.Git != nil {
			if err := a.placeAll(ctx, head, among, known); err != nil {
				return outside, err
			}
			among = nil
		}
		if p, ok := known[r.Git.Commit]; ok {
			return p, nil
		}
		base, err := a.Ancestry.Ancestors(ctx, r.Repo, head.Git.Commit, r.Git.Commit, 1)
		p := outside
		switch {
		case errors.Is(err, store.ErrShallow):
			p = unclear
		case err != nil && store.CodeOf(err) != store.NotFound:
			return outside, fmt.Errorf("history of %.9s: %w", head.Git.Commit, err)
		case err == nil && len(base) > 0 && base[0] == r.Git.Commit:
			p = within
		}
		known[r.Git.Commit] = p
		return p, nil
	}
}

// placeAll looks up which runs are in the history of head's commit. It adds the results to the map known, by commit.
func (a *Asker) placeAll(ctx context.Context, head store.Run, runs []store.Run, known map[string]place) error {
	commits, err := a.Git.Inside(ctx, a.Root, head.Git.Commit, commitsOf(runs))
	for c, is := range commits {
		if _, ok := known[c]; ok {
			continue
		}
		known[c] = outside
		if is {
			known[c] = within
		}
	}
	return err
}

// onBranches returns a function that reports whether the commit of a run is on any branch. If blq cannot find out,
// the function returns the value unknown. It looks up the commits of all runs in the list among at once.
func (a *Asker) onBranches(ctx context.Context, among []store.Run, unknown bool) func(store.Run) bool {
	known := map[string]map[string]bool{} // by root of the work tree, then by commit
	look := func(root string, runs []store.Run) (ok bool) {
		list := commitsOf(runs)
		is, err := a.Git.OnBranches(ctx, root, list)
		if err != nil {
			return false
		}
		if known[root] == nil {
			known[root] = map[string]bool{}
		}
		for _, c := range list {
			known[root][c] = is[c]
		}
		return true
	}
	return func(r store.Run) bool {
		root := a.root(r)
		if root == "" {
			return unknown
		}
		if known[root] == nil {
			there := slices.DeleteFunc(slices.Clone(among), func(o store.Run) bool { return a.root(o) != root })
			if !look(root, append(there, r)) {
				return unknown
			}
		}
		if _, asked := known[root][r.Git.Commit]; !asked && r.Git.Commit != "" && !look(root, []store.Run{r}) {
			return unknown
		}
		return known[root][r.Git.Commit]
	}
}

// commitsOf returns the commits of runs, each once.
func commitsOf(runs []store.Run) []string {
	var commits []string
	for _, r := range runs {
		if r.Git.Commit != "" {
			commits = append(commits, r.Git.Commit)
		}
	}
	slices.Sort(commits)
	return slices.Compact(commits)
}
