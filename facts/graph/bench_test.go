package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
)

// BenchmarkCycles looks for cycles in a graph that has none. The graph has 50,000 nodes and almost 400,000 edges.
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
		if list := Lint(g, x, rules, nil); len(list) > 0 {
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
		Lint(g, x, rules, nil)
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

// BenchmarkSync compares 500 documents with 20,000 symbols in 2,000 files. All files have changed.
func BenchmarkSync(b *testing.B) {
	var t strings.Builder
	t.WriteString("-- .beadloom/_graph/a.yml\nnodes:\n")
	for n := range 500 {
		fmt.Fprintf(&t, "- {ref_id: n%03d, kind: domain, source: p%03d/, docs: [docs/d%03d.md]}\n", n, n, n)
	}
	for n := range 500 {
		fmt.Fprintf(&t, "-- docs/d%03d.md\n# About\n%s\n", n, strings.Repeat("F1 and F2 are functions of f0.\n", 50))
	}
	files := func(begin string) tree {
		var b strings.Builder
		for f := range 2000 {
			fmt.Fprintf(&b, "-- p%03d/f%d.go\npackage p\n", f/4, f%4)
			for s := range 10 {
				fmt.Fprintf(&b, "func %s%d() {}\n", begin, s)
			}
		}
		return newTree(t.String() + b.String())
	}
	now, before := files("F"), files("G")
	x, err := code.Build(b.Context(), now, nil)
	if err != nil {
		b.Fatal(err)
	}
	g, _, err := Load(b.Context(), now, x)
	if err != nil {
		b.Fatal(err)
	}
	past, set := facts.Since(now, now, before, before), listedTree{now, now.Files()}
	for b.Loop() {
		docs, err := ReadDocuments(b.Context(), g, set)
		if err != nil {
			b.Fatal(err)
		}
		list, err := Sync{Graph: g, Index: x, Documents: docs, Past: past}.Check(b.Context())
		if err != nil || len(list.Pairs) != 2000 || list.Pairs[0].Reason != symbolsChanged {
			b.Fatal(len(list.Pairs), list.Pairs[0], err)
		}
	}
}

// listedTree is a tree with known digests, as in a store.
type listedTree struct {
	tree
	files []facts.File
}

func (t listedTree) Files() []facts.File { return t.files }
