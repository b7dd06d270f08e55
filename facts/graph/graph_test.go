package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/store"
)

// tree is a set in memory, with texts by path.
type tree map[string]string

// newTree parses files from a text: "-- path", followed by the text of the file.
func newTree(text string) tree {
	t := tree{}
	for part := range strings.SplitSeq("\n"+text, "\n-- ") {
		path, content, _ := strings.Cut(part, "\n")
		t[path] = content + "\n"
	}
	delete(t, "")
	return t
}

func (t tree) Files() []facts.File {
	var list []facts.File
	for path, text := range t {
		list = append(list, facts.File{Path: path, Digest: facts.Digest([]byte(text))})
	}
	slices.SortFunc(list, func(a, b facts.File) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

func (t tree) Digest() string { return facts.Digest(fmt.Append(nil, t.Files())) }

func (t tree) Read(_ context.Context, f facts.File) ([]byte, error) { return []byte(t[f.Path]), nil }

// load reads the graph of a tree, with its index and rules.
func load(t testing.TB, text string) (*Graph, *code.Index, []Rule) {
	t.Helper()
	set := newTree(text)
	x, err := code.Build(t.Context(), set, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, rules, err := Load(t.Context(), set, x)
	if err != nil {
		t.Fatal(err)
	}
	return g, x, rules
}

// shown returns nodes and edges as lines.
func shown(nodes []Node, edges []Edge) string {
	var b strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&b, "%s %s %s %s %v %v\n", n.Ref, n.Kind, n.Source, n.Lifecycle, n.Tags, n.Owners)
	}
	for _, e := range edges {
		fmt.Fprintf(&b, "%s %s %s", e.Src, e.Kind, e.Dst)
		if e.Derived && e.Line > 0 {
			fmt.Fprintf(&b, " at %s:%d", e.File, e.Line)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func problems(g *Graph) string {
	var b strings.Builder
	for _, p := range g.Problems {
		fmt.Fprintf(&b, "%s:%d: %s\n", p.File, p.Line, p.Message)
	}
	return b.String()
}

func same(t *testing.T, want, got string) {
	t.Helper()
	if diff := godiff.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
		t.Error(diff)
	}
}

func TestFoldersAreNodesUntilSomeAreDeclared(t *testing.T) {
	g, x, _ := load(t, `
-- go.mod
module m
-- .github/CODEOWNERS
*        @all # everything
/lib/    @lib @two
*.md     @docs
-- cmd/tool/main.go
package main
import "m/lib/deep"
-- lib/a.go
package lib
-- lib/deep/b.go
package deep
import (
	"m/lib"
	"fmt"
)
-- lib/testdata/c.go
package c
`)
	if !g.Derived {
		t.Error("the graph is not derived")
	}
	same(t, `
cmd/tool service cmd/tool/ active [] [@all]
lib domain lib/ active [] [@lib @two]
lib/deep feature lib/deep/ active [] [@lib @two]
lib/deep part_of lib
cmd/tool depends_on lib/deep at cmd/tool/main.go:2
lib/deep depends_on lib at lib/deep/b.go:3
`, shown(g.Nodes, g.Edges))

	again := newTree("-- .beadloom/_graph/graph.yml\n" + g.YAML())
	declared, _, err := Load(t.Context(), again, x)
	if err != nil {
		t.Fatal(err)
	}
	if declared.Derived || problems(declared) != "" {
		t.Errorf("what is written down is not read: derived %v, problems %s", declared.Derived, problems(declared))
	}
	for i := range declared.Nodes {
		declared.Nodes[i].Owners = g.Nodes[i].Owners // the tree has no CODEOWNERS
	}
	same(t, shown(g.Nodes, g.Edges), shown(declared.Nodes, declared.Edges))
}

func TestDeclaredGraph(t *testing.T) {
	g, _, _ := load(t, `
-- CODEOWNERS
/src/api/ @api
-- .beadloom/_graph/a.yml
nodes:
  - ref_id: api
    kind: service
    summary: "The API: everything"
    source: src/api/
    tags: [layer-top, public]
    docs: [docs/api.md]
  - {ref_id: core, kind: domain, source: src/core, lifecycle: deprecated, owners: ["@core"]}
  - ref_id: one
    kind: page
    source: src/core/one.py
  - kind: domain
  - ref_id: api
    kind: domain
  - ref_id: odd
    lifecycle: gone
edges:
  - {src: api, dst: "@billing:invoice", kind: uses}
  - src: one
    dst: core
    kind: part_of
  - src: one
    dst: nobody
    kind: part_of
  - src: one
-- .beadloom/_graph/b.yml
nodes: wrong
-- .beadloom/_graph/c.yml
nodes: [
-- .beadloom/_graph/d.yml
x: &x [1]
nodes: *x
-- src/api/a.py
import core.one
import core.two
from core import three
-- src/core/__init__.py
-- src/core/one.py
-- src/core/two.py
-- src/core/three.py
# beadloom:feature=api
`)
	same(t, `
api service src/api/ active [layer-top public] [@api]
core domain src/core deprecated [] [@core]
odd   active [] []
one page src/core/one.py active [] []
api uses @billing:invoice
one part_of core
api depends_on one at src/api/a.py:1
api depends_on core at src/api/a.py:2
`, shown(g.Nodes, g.Edges))
	same(t, `
.beadloom/_graph/a.yml:12: a node needs a ref_id
.beadloom/_graph/a.yml:13: there is another node "api"
.beadloom/_graph/a.yml:16: "gone" is not a lifecycle, so this counts as active; write one of active, planned, `+
		`deprecated, dead, external
.beadloom/_graph/a.yml:25: an edge needs src, dst and kind
.beadloom/_graph/b.yml:1: nodes has to be a list
.beadloom/_graph/c.yml:1: this is not valid YAML: line 1: did not find expected node content
.beadloom/_graph/d.yml:2: this is not valid YAML: line 2: aliases are not read: write the value there
.beadloom/_graph/a.yml:22: an edge names "nobody", which is not a node
`, problems(g))
}

// A value of a wrong type, a path outside of the repository, an unknown key and a repeated key are mistakes. Each error
// has the line of the mistake.
func TestMistakesInNodes(t *testing.T) {
	t.Parallel()
	g, _, _ := load(t, `
-- .beadloom/_graph/a.yml
nodes:
  - {ref_id: a, source: ../../etc/}
  - {ref_id: b, source: /etc/}
  - {ref_id: c, source: "C:/src"}
  - {ref_id: d, source: [src/, lib/]}
  - {ref_id: e, source: src//core/./, docs: [docs/e.md, ../e.md, {x: y}], tags: {x: y}}
  - ref_id: f
    soruce: lib/
    kind: domain
    kind: entity
    summary: [x]
edges:
  - {src: e, dst: "@", kind: uses}
  - {src: "@billing", dst: e, kind: uses}
  - {src: e, dst: "@billing:b", kind: uses}
edges:
  - {src: e, dst: f, kind: uses}
-- src/core/a.py
-- src/x.py
import core.a
`)
	same(t, `
a   active [] []
b   active [] []
c   active [] []
d   active [] []
e  src//core/./ active [] []
f domain  active [] []
e uses @billing:b
`, shown(g.Nodes, g.Edges))
	same(t, `
.beadloom/_graph/a.yml:16: edges is there twice, and only the first is read
.beadloom/_graph/a.yml:2: "../../etc/" is not a path in the repository, so a has no source; write one such as src/core/
.beadloom/_graph/a.yml:3: "/etc/" is not a path in the repository, so b has no source; write one such as src/core/
.beadloom/_graph/a.yml:4: "C:/src" is not a path in the repository, so c has no source; write one such as src/core/
.beadloom/_graph/a.yml:5: source has to be a text
.beadloom/_graph/a.yml:6: tags has to be a list of texts
.beadloom/_graph/a.yml:6: docs has to be a list of texts
.beadloom/_graph/a.yml:6: "../e.md" is not a path in the repository, so it is no document of e
.beadloom/_graph/a.yml:11: summary has to be a text
.beadloom/_graph/a.yml:8: soruce is not read; did you mean source?
.beadloom/_graph/a.yml:10: kind is there twice, and only the first is read
.beadloom/_graph/a.yml:13: a node of another repository has to be written as @repo:node, so this edge is left out
.beadloom/_graph/a.yml:14: a node of another repository has to be written as @repo:node, so this edge is left out
`, problems(g))
	if n := g.owner("src/core/a.py"); n < 0 || g.Nodes[n].Ref != "e" {
		t.Errorf("src/core/a.py belongs to node %d", n)
	}
}

func TestLongTextsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", maxSummary)
	g, _, _ := load(t, "\n-- .beadloom/_graph/a.yml\nnodes:\n  - {ref_id: a, summary: \""+long+"\"}\n  - {ref_id: "+long+
		"}\n  - {ref_id: b, kind: "+long+"}\nedges:\n  - {src: a, dst: a, kind: "+long+"}\n")
	if len(g.Nodes) != 1 || len(g.Nodes[0].Summary) != maxSummary || len(g.Edges) != 0 || len(g.Problems) != 4 {
		t.Errorf("%d nodes, %d edges, %s", len(g.Nodes), len(g.Edges), problems(g))
	}
}

// star has a node with edges of several kinds. The order of the edges differs from the order of their priorities.
const star = `
-- .beadloom/_graph/a.yml
nodes: [{ref_id: a}, {ref_id: b}, {ref_id: c}, {ref_id: d}, {ref_id: e}, {ref_id: f}]
edges:
  - {src: a, dst: b, kind: touches_code}
  - {src: a, dst: c, kind: depends_on}
  - {src: d, dst: a, kind: uses}
  - {src: a, dst: e, kind: part_of}
  - {src: e, dst: f, kind: own_kind}
`

func TestNodesAroundOthers(t *testing.T) {
	g, _, _ := load(t, star)
	for _, c := range []struct {
		refs       string
		depth, max int
		want       string
	}{
		{"a", 0, 20, "a|"},
		{"a", 1, 20, "a e d c b|a-e d-a a-c a-b"},
		{"a", 2, 20, "a e d c b f|a-e d-a a-c a-b e-f"},
		{"a", 2, 3, "a e d|a-e d-a a-c e-f"},
		{"f b", 1, 20, "f b e a|e-f a-b"},
		{"b a", 1, 2, "b a|a-b a-e"},
	} {
		nodes, edges, err := g.Around(strings.Fields(c.refs), c.depth, c.max)
		if err != nil {
			t.Fatal(err)
		}
		var names, lines []string
		for _, n := range nodes {
			names = append(names, n.Ref)
		}
		for _, e := range edges {
			lines = append(lines, e.Src+"-"+e.Dst)
		}
		if got := strings.Join(names, " ") + "|" + strings.Join(lines, " "); got != c.want {
			t.Errorf("around %s, depth %d, max %d: %s, want %s", c.refs, c.depth, c.max, got, c.want)
		}
	}
	if _, _, err := g.Around([]string{"ab"}, 1, 1); store.CodeOf(err) != store.NotFound {
		t.Errorf("error %v", err)
	}
}

func TestNamesLikeAMissingOne(t *testing.T) {
	g := &Graph{}
	for _, ref := range []string{"context-oracle", "context", "billing", "billin", "x-unrelated-name"} {
		g.Nodes = append(g.Nodes, Node{Ref: ref})
	}
	g.finish()
	for ref, want := range map[string]string{"contxt": "context", "CONTEXT-o": "context context-oracle",
		"biling":         "billing billin",
		"zzzzzzzzzzzzzz": ""} {
		if got := strings.Join(g.like(ref), " "); got != want {
			t.Errorf("like %s: %q, want %q", ref, got, want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a/**", "a/b/c", true}, {"a/*", "a/b/c", true}, {"a/**", "a", false}, {"*.ts", "a/b.ts", true}, {"a?c", "abc", true},
		{"a?c", "ac", false}, {"[a-c]x", "bx", true}, {"[!a-c]x", "bx", false}, {"[!a-c]x", "dx", true}, {"[]]", "]", true},
		{"[", "[", true}, {"", "", true}, {"", "a", false}, {"**", "", true}, {"*a*b*", "xaybz", true}, {"*a*b", "xaybz",
			false},
		{strings.Repeat("a*", 50) + "b", strings.Repeat("a", 5000), false},
	} {
		if got := glob(c.pattern, c.text); got != c.want {
			t.Errorf("glob(%.40q, %.40q) = %v", c.pattern, c.text, got)
		}
	}
}

func TestCodeowners(t *testing.T) {
	c := readCodeowners("* @all\n# no\n*.go @go\n/docs/ @docs\nbuild/ @build\nsrc/**/api @api\n/src/x @x\n/none\n")
	for path, want := range map[string]string{"a/b.go": "@go", "docs/": "@docs", "docs/a.md": "@docs",
		"x/build/y": "@build",
		"build":     "@all", "src/a/b/api/c.txt": "@api", "src/api": "@api", "src/x/y": "@x", "other": "@all", "none/a": ""} {
		if got := strings.Join(c.of(path), " "); got != want {
			t.Errorf("owners of %s: %q, want %q", path, got, want)
		}
	}
}

// Names that change the direction of text, or begin a new line, are not suggested in errors.
func TestOnlyPlainNamesAreSuggested(t *testing.T) {
	t.Parallel()
	g, _, _ := load(t, `
-- .beadloom/_graph/a.yml
nodes: [{ref_id: "api\u202ebad", kind: domain}, {ref_id: "api\nStatus: OK", kind: domain},
  {ref_id: api-core, kind: domain}]
`)
	if got := g.like("api"); !slices.Equal(got, []string{"api-core"}) {
		t.Errorf("%q", got)
	}
}
