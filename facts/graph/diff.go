package graph

import (
	"slices"
	"sort"
)

// Change is a node that differs between two graphs.
type Change struct{ Old, New Node }

// Diff lists the differences between an earlier and a later graph. All lists are sorted.
type Diff struct {
	Added, Removed           []Node
	Changed                  []Change
	AddedEdges, RemovedEdges []Edge
}

// Compare returns the differences between an earlier and a later graph. A node differs if its kind, summary, source,
// tags or lifecycle differs.
func Compare(before, after *Graph) Diff {
	var d Diff
	for _, n := range after.Nodes {
		old := before.node(n.Ref)
		switch {
		case old == nil:
			d.Added = append(d.Added, n)
		case !alike(*old, n):
			d.Changed = append(d.Changed, Change{*old, n})
		}
	}
	for _, n := range before.Nodes {
		if after.node(n.Ref) == nil {
			d.Removed = append(d.Removed, n)
		}
	}
	d.AddedEdges, d.RemovedEdges = without(after.Edges, before.Edges), without(before.Edges, after.Edges)
	return d
}

func alike(a, b Node) bool {
	sorted := func(tags []string) []string { return slices.Sorted(slices.Values(tags)) }
	return a.Kind == b.Kind && a.Summary == b.Summary && a.Source == b.Source && a.Lifecycle == b.Lifecycle &&
		slices.Equal(sorted(a.Tags), sorted(b.Tags))
}

// without returns the edges that are only in the first of two lists. The result is sorted.
func without(list, other []Edge) []Edge {
	type key struct{ src, dst, kind string }
	have := make(map[key]bool, len(other))
	for _, e := range other {
		have[key{e.Src, e.Dst, e.Kind}] = true
	}
	var rest []Edge
	for _, e := range list {
		if !have[key{e.Src, e.Dst, e.Kind}] {
			rest = append(rest, e)
		}
	}
	sort.Slice(rest, func(i, j int) bool {
		a, b := rest[i], rest[j]
		if a.Src != b.Src {
			return a.Src < b.Src
		}
		if a.Dst != b.Dst {
			return a.Dst < b.Dst
		}
		return a.Kind < b.Kind
	})
	return rest
}
