package graph

import (
	"fmt"
	"slices"

	"github.com/blq-ci/blq/facts/code"
)

// forbid finds forbidden edges between nodes.
func (l *linter) forbid() {
	from, to := l.matched(l.rule.from), l.matched(l.rule.to)
	for i, e := range l.graph.Edges {
		src, dst := l.graph.ends[i][0], l.graph.ends[i][1]
		if src >= 0 && dst >= 0 && from[src] && to[dst] &&
			(l.rule.edges == nil || slices.Contains(l.rule.edges, e.Kind)) {
			l.atEdge(i, fmt.Sprintf("%s %s %s, which is forbidden", e.Src, e.Kind, e.Dst))
		}
	}
	l.atImports()
}

// layers finds edges that lead to a higher layer, or that skip a layer if the rule forbids this. Only active nodes and
// edges count.
func (l *linter) layers() {
	level := make([]int, len(l.graph.Nodes))
	for n := range level {
		node := &l.graph.Nodes[n]
		level[n] = slices.IndexFunc(l.rule.layers, func(y layer) bool { return slices.Contains(node.Tags, y.tag) })
		if node.Lifecycle != active {
			level[n] = -1
		}
	}
	for i, e := range l.graph.Edges {
		src, dst := l.graph.ends[i][0], l.graph.ends[i][1]
		if src < 0 || dst < 0 || e.Lifecycle != active || !slices.Contains(l.rule.edges, e.Kind) {
			continue
		}
		if level[src] < 0 || level[dst] < 0 {
			continue
		}
		up, down := l.rule.layers[level[src]].name, l.rule.layers[level[dst]].name
		switch {
		case level[src] > level[dst]:
			l.atEdge(i, fmt.Sprintf("%s of layer %s %s %s of layer %s above it", e.Src, up, e.Kind, e.Dst, down))
		case !l.rule.allowSkip && level[dst]-level[src] > 1:
			l.atEdge(i, fmt.Sprintf("%s of layer %s %s %s of layer %s, and skips a layer", e.Src, up, e.Kind, e.Dst,
				down))
		}
	}
	l.atImports()
}

// atEdge adds a violation at a declared edge. For an edge that comes from imports, atEdge only notes the violation.
// atImports adds it later, once for each import.
func (l *linter) atEdge(i int, what string) {
	e := &l.graph.Edges[i]
	if !e.Derived || e.File == "" {
		l.add(e.File, e.Line, e.Src, e.Dst, "%s%s", what, l.because())
		return
	}
	if l.made == nil {
		l.made = map[[2]int]string{}
	}
	l.made[[2]int{int(l.graph.ends[i][0]), int(l.graph.ends[i][1])}] = what
}

// atImports adds the violations that atEdge noted: one violation for each import between the two nodes. So a further
// import between these nodes is a new violation.
func (l *linter) atImports() {
	if len(l.made) == 0 {
		return
	}
	l.between(func(src, dst int) bool {
		return l.made[[2]int{src, dst}] != ""
	}, func(f *code.File, i *code.Import, src, dst int) {
		l.add(f.Path, i.Line, l.graph.Nodes[src].Ref, l.graph.Nodes[dst].Ref, "%s (imports %s)%s",
			l.made[[2]int{src, dst}], i.Path, l.because())
	})
	l.made = nil
}

// between calls found for each import from one node to another node, if want returns true for the two nodes.
func (l *linter) between(want func(src, dst int) bool, found func(f *code.File, i *code.Import, src, dst int)) {
	files := l.index.Files()
	for at := range files {
		f := &files[at]
		src := l.owners.files[f.Path]
		if src < 0 {
			continue
		}
		for at := range f.Imports {
			i := &f.Imports[at]
			var reported []int
			for _, t := range i.Targets {
				for _, dst := range l.owners.of(t) {
					if dst == src || slices.Contains(reported, dst) || !want(src, dst) {
						continue
					}
					reported = append(reported, dst)
					found(f, i, src, dst)
				}
			}
		}
	}
}
