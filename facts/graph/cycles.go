package graph

import (
	"slices"
	"sort"
	"strings"
)

// These limit the search for cycles.
const (
	maxCycles     = 100
	maxCycleSteps = 2_000_000
)

// paths lists the edges of a rule by node. The edges of node n are edges[start[n]:start[n+1]]. The nodes to which
// these edges lead are at the same positions in nodes.
type paths struct{ start, edges, nodes []int32 }

func (p *paths) of(n int32) (edges, nodes []int32) {
	return p.edges[p.start[n]:p.start[n+1]], p.nodes[p.start[n]:p.start[n+1]]
}

// cycles finds cycles of active nodes and edges. For each edge inside a strongly connected component, it finds the
// shortest cycle through the edge. Short cycles are reported first.
func (l *linter) cycles() {
	p := l.paths()
	part := components(p)
	size := make([]int32, len(part))
	for _, c := range part {
		size[c]++
	}
	found := map[string]bool{}
	var list [][]int32
	steps := 0
	for n := range int32(len(part)) {
		_, next := p.of(n)
		for _, m := range next {
			if part[n] != part[m] || size[part[n]] == 1 && n != m || steps > maxCycleSteps || len(list) >= maxCycles*10 {
				continue
			}
			path, work := l.shortest(p, part, m, n)
			if steps += work; path == nil {
				continue
			}
			path = l.smallestFirst(path)
			if key := l.names(path); !found[key] {
				found[key] = true
				list = append(list, path)
			}
		}
	}
	sort.SliceStable(list, func(i, k int) bool { return len(list[i]) < len(list[k]) })
	for _, path := range list[:min(len(list), maxCycles)] {
		l.cycle(p, path)
	}
	l.more += max(0, len(list)-maxCycles)
}

// paths returns the edges that the rule follows.
func (l *linter) paths() *paths {
	g := l.graph
	n := len(g.Nodes)
	p := &paths{start: make([]int32, n+1)}
	counts := make([]bool, len(g.Edges))
	for i := range g.Edges {
		e, src, dst := &g.Edges[i], g.ends[i][0], g.ends[i][1]
		if src >= 0 && dst >= 0 && e.Lifecycle == active && slices.Contains(l.rule.edges, e.Kind) &&
			g.Nodes[src].Lifecycle == active && g.Nodes[dst].Lifecycle == active {
			counts[i] = true
			p.start[src+1]++
		}
	}
	for i := range n {
		p.start[i+1] += p.start[i]
	}
	p.edges, p.nodes = make([]int32, p.start[n]), make([]int32, p.start[n])
	at := slices.Clone(p.start)
	for i := range g.Edges {
		if counts[i] {
			src := g.ends[i][0]
			p.edges[at[src]], p.nodes[at[src]] = int32(i), g.ends[i][1]
			at[src]++
		}
	}
	l.reached, l.before, l.away = make([]int32, n), make([]int32, n), make([]int32, n)
	l.round = 0
	return p
}

// shortest returns the nodes of the shortest path inside a component, or nil if the path is longer than the rule
// allows. work is the number of edges that were looked at.
func (l *linter) shortest(p *paths, part []int32, from, to int32) (path []int32, work int) {
	l.round++
	queue := []int32{from}
	l.reached[from], l.before[from], l.away[from] = l.round, -1, 1
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		if int(l.away[n]) > l.rule.maxDepth {
			return nil, work
		}
		if n == to {
			for ; n >= 0; n = l.before[n] {
				path = append(path, n)
			}
			slices.Reverse(path)
			return path, work
		}
		_, next := p.of(n)
		for _, m := range next {
			work++
			if part[m] == part[from] && l.reached[m] != l.round {
				l.reached[m], l.before[m], l.away[m] = l.round, n, l.away[n]+1
				queue = append(queue, m)
			}
		}
	}
	return nil, work
}

// smallestFirst rotates a cycle so that it begins with the node whose name sorts first.
func (l *linter) smallestFirst(path []int32) []int32 {
	first := 0
	for i, n := range path { // nodes are sorted by name, so positions compare like names
		if n < path[first] {
			first = i
		}
	}
	return slices.Concat(path[first:], path[:first])
}

// names returns the names of nodes, with arrows between the names.
func (l *linter) names(path []int32) string {
	var b strings.Builder
	for i, n := range path {
		if i > 0 {
			b.WriteString(" → ")
		}
		b.WriteString(l.graph.Nodes[n].Ref)
	}
	return b.String()
}

// cycle adds a violation for a cycle, located at its first edge.
func (l *linter) cycle(p *paths, path []int32) {
	second := path[1%len(path)]
	edges, nodes := p.of(path[0])
	e := &l.graph.Edges[edges[slices.Index(nodes, second)]]
	l.add(e.File, e.Line, e.Src, e.Dst, "circular dependency: %s%s", l.names(append(slices.Clip(path), path[0])),
		l.because())
	if n := len(l.list); n > 0 && l.more == 0 {
		l.list[n-1].cycle = l.edges(p, path)
	}
}

// edges returns the edges of a cycle.
func (l *linter) edges(p *paths, path []int32) []Edge {
	list := make([]Edge, len(path))
	for i, n := range path {
		edges, nodes := p.of(n)
		list[i] = l.graph.Edges[edges[slices.Index(nodes, path[(i+1)%len(path)])]]
	}
	return list
}

// components returns the number of each node's strongly connected component. It uses Tarjan's algorithm without
// recursion.
func components(p *paths) []int32 {
	const unseen = -1
	n := len(p.start) - 1
	order, low, part := make([]int32, n), make([]int32, n), make([]int32, n)
	at := slices.Clone(p.start) // the next edge to look at, by node
	for i := range n {
		order[i], part[i] = unseen, unseen
	}
	var stack, calls []int32
	clock, parts := int32(0), int32(0)
	for root := range int32(n) {
		if order[root] != unseen {
			continue
		}
		calls = append(calls, root)
		for len(calls) > 0 {
			v := calls[len(calls)-1]
			if order[v] == unseen {
				order[v], low[v] = clock, clock
				clock++
				stack = append(stack, v)
			}
			if at[v] < p.start[v+1] {
				w := p.nodes[at[v]]
				at[v]++
				if order[w] == unseen {
					calls = append(calls, w)
				} else if part[w] == unseen {
					low[v] = min(low[v], order[w])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1]
				low[up] = min(low[up], low[v])
			}
			if low[v] == order[v] {
				stack = closePart(stack, part, v, parts)
				parts++
			}
		}
	}
	return part
}

// closePart pops nodes from a stack, down to the given node, and records the number of their component.
func closePart(stack, part []int32, last, number int32) []int32 {
	for {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		part[w] = number
		if w == last {
			return stack
		}
	}
}
