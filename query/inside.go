package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// place says where a run happened, seen from a commit.
type place int

// These are the values of place.
const (
	outside place = iota // at another commit that is no ancestor
	unclear              // at a commit that a shallow clone does not know, or whose descendants it does not know
	within               // at the commit, at an ancestor, or without a commit
)

// insideOf returns a function that reports whether a run happened inside the commit of the given run. A run is
// inside if its own commit is an ancestor of that commit, or if it has no commit. A run at an unknown commit is not
// inside, unless the clone is shallow. It looks up the commits of all runs in the parameter among at once, and each
// commit only once.
func (a *Asker) insideOf(ctx context.Context, of store.Run, among []store.Run) func(store.Run) (place, error) {
	known := map[string]place{"": within, of.Git.Commit: within}
	return func(r store.Run) (place, error) {
		if _, ok := known[r.Git.Commit]; !ok && len(among) > 1 && a.Git != nil {
			if err := a.placeAll(ctx, of, among, known); err != nil {
				return outside, err
			}
			among = nil
		}
		if p, ok := known[r.Git.Commit]; ok {
			return p, nil
		}
		base, err := a.Ancestry.Ancestors(ctx, r.Repo, of.Git.Commit, r.Git.Commit, 1)
		p := outside
		switch {
		case errors.Is(err, store.ErrShallow):
			p = unclear
		case err != nil && store.CodeOf(err) != store.NotFound:
			return outside, fmt.Errorf("history of %.9s: %w", of.Git.Commit, err)
		case err == nil && len(base) > 0 && base[0] == r.Git.Commit:
			p = within
		}
		known[r.Git.Commit] = p
		return p, nil
	}
}

// placeAll looks up the places of several runs, as seen from the commit of one run. It adds these places to the map
// known, by commit.
func (a *Asker) placeAll(ctx context.Context, of store.Run, runs []store.Run, known map[string]place) error {
	commits, err := a.Git.Inside(ctx, a.Root, of.Git.Commit, commitsOf(runs))
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

// onBranches returns a function that reports whether any branch contains the commit of a run. If blq cannot know, that
// function returns unknown. It looks up the commits of all runs in the parameter among at once.
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
