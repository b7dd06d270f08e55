package graph

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkCycles looks for cycles in 50,000 nodes with 400,000 edges that have none.
func BenchmarkCycles(b *testing.B) {
	g := &Graph{}
	for i := range 50_000 {
		g.Nodes = append(g.Nodes, Node{Ref: fmt.Sprintf("n%05d", i), Kind: "domain", Lifecycle: active})
	}
	for i := range 50_000 {
		for k := 1; k <= 8; k++ {
			if to := i + k*k*31; to < len(g.Nodes) {
				g.Edges = append(g.Edges, Edge{Src: g.Nodes[i].Ref, Dst: g.Nodes[to].Ref, Kind: "uses", Lifecycle: active})
			}
		}
	}
	g.finish()
	_, x, _ := load(b, "-- a.go\npackage a\n")
	rules := []Rule{{Name: "c", Severity: "error", Type: "cycle", edges: []string{"uses"}, maxDepth: 10}}
	b.ReportMetric(float64(len(g.Edges)), "edges")
	for b.Loop() {
		if list := Lint(g, x, rules); len(list) > 0 {
			b.Fatal(list)
		}
	}
}

// benchmarked returns the files of a graph with 1,000 nodes, 5,000 files, 200,000 imports and 100,000 symbols, and
// seven rules.
func benchmarked(b *testing.B) string {
	b.Helper()
	var t strings.Builder
	t.WriteString("-- go.mod\nmodule m\n-- .beadloom/_graph/a.yml\nnodes:\n")
	for n := range 1000 {
		fmt.Fprintf(&t, "- {ref_id: n%03d, kind: domain, source: p%03d/, tags: [t%d]}\n", n, n, n%3)
	}
	t.WriteString(`-- .beadloom/_graph/rules.yml
version: 3
rules:
- {name: a, deny: {from: {ref_id: n001}, to: {kind: domain}}}
- {name: b, require: {for: {kind: domain}, has_edge_to: {}, edge_kind: depends_on}}
- {name: c, forbid_cycles: {edge_kind: depends_on}}
- {name: d, forbid_import: {from: "p0*/**", to: "m/p00*x"}}
- {name: e, forbid: {from: {tag: t1}, to: {ref_id: n002}}}
- {name: f, layers: [{name: a, tag: t9}, {name: b, tag: t8}], enforce: top-down}
- {name: g, check: {for: {kind: domain}, max_symbols: 10000, max_files: 100}}
`)
	for f := range 5000 {
		fmt.Fprintf(&t, "-- p%03d/f%d.go\npackage p\nimport (\n", f/5, f%5)
		for i := 1; i <= 40; i++ {
			fmt.Fprintf(&t, "\"m/p%03d\"\n", (f/5+i*7)%1000)
		}
		t.WriteString(")\n")
		for s := range 20 {
			fmt.Fprintf(&t, "func F%d() {}\n", s)
		}
	}
	return t.String()
}

func BenchmarkLint(b *testing.B) {
	g, x, rules := load(b, benchmarked(b))
	b.ReportMetric(float64(len(g.Edges)), "edges")
	for b.Loop() {
		Lint(g, x, rules)
	}
}

func BenchmarkAround(b *testing.B) {
	g, _, _ := load(b, benchmarked(b))
	for b.Loop() {
		if _, _, err := g.Around([]string{"n500"}, 2, 20); err != nil {
			b.Fatal(err)
		}
	}
}
