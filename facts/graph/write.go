package graph

import (
	"strconv"
	"strings"
)

// YAML returns the graph in its declared form, for editing. Edges that come from imports are left out, because Load
// derives them for declared nodes, too.
func (g *Graph) YAML() string {
	var b strings.Builder
	b.WriteString("# The architecture, as folders and imports show it. Edit it: docs/graph.md.\nnodes:\n")
	for _, n := range g.Nodes {
		b.WriteString("  - ref_id: " + strconv.Quote(n.Ref) + "\n    kind: " + n.Kind + "\n    summary: " +
			strconv.Quote(n.Summary) + "\n    source: " + strconv.Quote(n.Source) + "\n")
	}
	edges := false
	for _, e := range g.Edges {
		if e.Kind == "depends_on" {
			continue
		}
		if !edges {
			b.WriteString("edges:\n")
			edges = true
		}
		b.WriteString("  - src: " + strconv.Quote(e.Src) + "\n    dst: " + strconv.Quote(e.Dst) + "\n    kind: " + e.Kind)
		b.WriteString("\n")
	}
	return b.String()
}
