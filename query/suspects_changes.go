package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// change is the difference between a commit or the work tree, and an earlier commit. The facts of both are known. If
// the commits in between have no facts, the difference of several commits is split into one change per node.
type change struct {
	commit       string // "" for uncommitted changes and for several commits
	since        string // commit before the first of several commits, "" for one commit
	base         string // commit to which the change is compared
	node         string // node of the changed files, for a change of several commits
	before, head facts.Set
	files        []string               // source files that differ
	of           map[string]alterations // alterations by compared file
}

// at returns the source files of a commit, and whether the files are known. back is the number of first parents to go
// back from the named commit.
func (i *inspector) at(ctx context.Context, name string, back int) (facts.Found, bool) {
	l := i.head.library
	f, err := l.Facts.At(ctx, facts.Query{Repo: l.repo, At: name, Kind: store.FactCode, Back: back})
	return f, err == nil
}

// changes returns the changes between a base commit and the run's commit. A commit has its own change if its facts and
// the facts of its parent are known. Otherwise the difference of several commits is split into one change per node.
// The whole difference is split in the same way if the base commit is not a first-parent ancestor, or is too far away.
// changes returns nil if the facts of the base commit or of the run's commit are unknown. If current is true, it also
// returns the changes of the work tree.
func (i *inspector) changes(ctx context.Context, base string, current bool) []change {
	first, known := i.at(ctx, base, 0)
	if !known {
		return nil
	}
	newer, known := i.at(ctx, i.run.Git.Commit, 0)
	if !known {
		return nil
	}
	var list []change
	if current {
		if tree, known := i.at(ctx, "", 0); known {
			list = i.added(list, change{base: newer.Pin(), before: newer.Set, head: tree.Set})
		}
	}
	own := len(list)
	head := newer
	for back := 1; newer.Pin() != first.Pin() && back <= maxSuspicious; back++ {
		older, known := i.at(ctx, i.run.Git.Commit, back)
		if !known {
			break
		}
		if older.Pin() == newer.Pin() {
			continue
		}
		one := change{commit: newer.Pin(), base: older.Pin(), before: older.Set, head: newer.Set}
		if older.Distance > 0 { // the facts of the commits in between are unknown
			one.commit, one.since = "", older.Pin()
		}
		list = i.added(list, one)
		newer = older
	}
	if newer.Pin() != first.Pin() { // the baseline is not a first-parent ancestor, or too far away
		list = i.added(list[:own], change{since: first.Pin(), base: first.Pin(), before: first.Set, head: head.Set})
	}
	return list
}

// added adds a change to the list if a file differs. It splits a change of several commits into one change per node. In
// this case it leaves out files that no node owns.
func (i *inspector) added(list []change, c change) []change {
	c.files = changedFiles(c.before, c.head)
	switch {
	case len(c.files) == 0:
		return list
	case c.since == "":
		return append(list, c)
	}
	of := map[string][]string{}
	var nodes []string
	for _, f := range c.files {
		n := i.head.Owner(f)
		if n == nil {
			continue
		}
		if of[n.Ref] == nil {
			nodes = append(nodes, n.Ref)
		}
		of[n.Ref] = append(of[n.Ref], f)
	}
	slices.Sort(nodes)
	for _, ref := range nodes {
		one := c
		one.node, one.files = ref, of[ref]
		list = append(list, one)
	}
	return list
}

// changedFiles returns the sorted paths of the files that differ between two sets of files. A file in only one set
// differs.
func changedFiles(before, after facts.Set) []string {
	had := digests(before)
	var list []string
	for _, f := range after.Files() {
		if had[f.Path] != f.Digest {
			list = append(list, f.Path)
		}
		delete(had, f.Path)
	}
	for path := range had {
		list = append(list, path)
	}
	slices.Sort(list)
	return list
}
