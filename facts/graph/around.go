package graph

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/blq-ci/blq/store"
)

// priorities is the order in which edges are followed. Edges of other kinds come last.
var priorities = map[string]int{
	"part_of": 1, "touches_entity": 2, "uses": 3, "implements": 3, "depends_on": 4, "touches_code": 5,
}

func priority(kind string) int {
	if p, ok := priorities[kind]; ok {
		return p
	}
	return 99
}

// Around returns the nodes at most depth edges away from the given nodes, nearest first, and the edges on the way. It
// returns at most max nodes, so an edge may lead to a node that is left out. Edges are followed in both directions, by
// the priority of their kinds. The error is NotFound if a given node does not exist.
func (g *Graph) Around(refs []string, depth, max int) ([]Node, []Edge, error) {
	w := walk{graph: g, visited: map[int]bool{}, seen: map[int]bool{}, max: max}
	for _, ref := range refs {
		i, ok := g.index[ref]
		if !ok {
			return nil, nil, g.missing(ref)
		}
		w.visit(i)
	}
	ends := len(w.nodes)
	for from := 0; depth > 0 && from < ends; depth-- {
		for ; from < ends; from++ {
			w.expand(w.nodes[from])
		}
		ends = len(w.nodes)
	}
	nodes := make([]Node, len(w.nodes))
	for i, n := range w.nodes {
		nodes[i] = g.Nodes[n]
	}
	edges := make([]Edge, len(w.edges))
	for i, e := range w.edges {
		edges[i] = g.Edges[e]
	}
	return nodes, edges, nil
}

// walk collects nodes by following edges.
type walk struct {
	graph   *Graph
	max     int
	nodes   []int
	edges   []int
	visited map[int]bool
	seen    map[int]bool // edges that were followed
}

// visit adds a node. It reports whether there is room for the node.
func (w *walk) visit(n int) bool {
	if w.visited[n] {
		return true
	}
	if len(w.nodes) >= w.max {
		return false
	}
	w.visited[n] = true
	w.nodes = append(w.nodes, n)
	return true
}

// expand follows the edges of a node.
func (w *walk) expand(n int) {
	g := w.graph
	edges := slices.Concat(g.out[n], g.in[n])
	sort.SliceStable(edges, func(i, k int) bool {
		return priority(g.Edges[edges[i]].Kind) < priority(g.Edges[edges[k]].Kind)
	})
	for _, e := range edges {
		if !w.seen[e] {
			w.seen[e] = true
			w.edges = append(w.edges, e)
		}
		next, ok := g.index[g.Edges[e].Dst]
		if next == n || !ok {
			if next, ok = g.index[g.Edges[e].Src]; !ok {
				continue
			}
		}
		if !w.visit(next) {
			return
		}
	}
}

// missing returns the error for a node that does not exist. The error suggests similar names, if there are any.
func (g *Graph) missing(ref string) error {
	err := store.Errorf(store.NotFound, "there is no node %.200q", ref)
	if like := g.like(ref); len(like) > 0 {
		return store.Hint(err, "there is %s", strings.Join(like, ", "))
	}
	return store.Hint(err, "list the nodes: blq graph show")
}

// like returns at most five names that are similar to the given name. Names that begin with the given name, or that the
// given name begins with, come first. Then come names with few differences. Names with unprintable characters are left
// out, because they cannot be shown safely.
func (g *Graph) like(ref string) []string {
	const most, maxLength, maxCompared = 5, 100, 20_000
	if len(ref) > maxLength || ref == "" {
		return nil
	}
	type near struct {
		ref  string
		away int
	}
	var list []near
	lower := strings.ToLower(ref)
	for _, n := range g.Nodes[:min(len(g.Nodes), maxCompared)] {
		l := strings.ToLower(n.Ref)
		switch {
		case strings.ContainsFunc(n.Ref, func(r rune) bool { return !unicode.IsPrint(r) }):
		case strings.HasPrefix(l, lower) || l != "" && strings.HasPrefix(lower, l):
			list = append(list, near{n.Ref, -1})
		case len(l) <= maxLength:
			if d := distance(ref, n.Ref); d <= max(len(ref)/2, 3) {
				list = append(list, near{n.Ref, d})
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].away < list[j].away })
	var names []string
	for _, n := range list[:min(len(list), most)] {
		names = append(names, n.ref)
	}
	return names
}

// distance returns the min number of bytes to insert, remove or replace to turn one text into the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for k := range len(b) {
			cost := last
			if a[i] != b[k] {
				cost = 1 + min(last, row[k], row[k+1])
			}
			last, row[k+1] = row[k+1], cost
		}
	}
	return row[len(b)]
}
