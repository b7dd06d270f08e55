package graph

// Reached is a node that was reached over edges.
type Reached struct {
	Node
	EdgeKind string // kind of the last edge on the way
	Steps    int    // edges on the way
}

// Upstream returns the nodes that a node depends on. It follows at most depth edges and returns at most max nodes.
// Each node comes after the node that leads to it.
func (g *Graph) Upstream(ref string, depth, max int) []Reached {
	return g.reach(ref, depth, max, g.out, 1)
}

// Downstream returns the nodes that depend on a node, with the limits and the order of Upstream.
func (g *Graph) Downstream(ref string, depth, max int) []Reached {
	return g.reach(ref, depth, max, g.in, 0)
}

// reach follows edges in one direction, nearest nodes first. In the result, each node comes after the node that leads
// to it.
func (g *Graph) reach(ref string, depth, max int, lists [][]int, end int) []Reached {
	start := g.position(ref)
	if start < 0 {
		return nil
	}
	type step struct {
		node  int
		kind  string
		steps int
	}
	found := []step{{node: start}}
	below := map[int][]int{} // positions in found, by the position of the preceding node
	seen := map[int]bool{start: true}
	for at := 0; at < len(found) && found[at].steps < depth; at++ {
		for _, e := range lists[found[at].node] {
			next := int(g.ends[e][end])
			if next < 0 || seen[next] {
				continue
			}
			if len(found) > max {
				break
			}
			seen[next] = true
			below[at] = append(below[at], len(found))
			found = append(found, step{next, g.Edges[e].Kind, found[at].steps + 1})
		}
	}
	list := make([]Reached, 0, len(found)-1)
	var visit func(at int)
	visit = func(at int) {
		for _, i := range below[at] {
			f := found[i]
			list = append(list, Reached{g.Nodes[f.node], f.kind, f.steps})
			visit(i)
		}
	}
	visit(0)
	return list
}
