package graph

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/store"
)

// These limit the size of a graph.
const (
	maxNodes   = 200_000
	maxEdges   = 1_000_000
	maxText    = 128 << 20 // bytes of all YAML files
	maxName    = 1_000     // bytes
	maxSummary = 4_096     // bytes
)

// Folder is the folder of a graph's YAML files.
const Folder = ".beadloom/_graph/"

// RulesFile is the file with the rules.
const RulesFile = Folder + "rules.yml"

// Load reads the graph of a set, and the rules. If the set declares no nodes, Load derives nodes from
// the sources. Imports between files of different nodes become derived depends_on edges. TooLarge: the files of the
// graph are too large, or there are too many nodes or edges. Load checks only the size before it reads the files.
func Load(ctx context.Context, set facts.Set, x *code.Index) (*Graph, []Rule, error) {
	g := &Graph{}
	l := loader{graph: g, seen: map[string]bool{}}
	var rules []byte
	if n := textOf(set); n > maxText {
		return nil, nil, tooLarge("the files of the graph have %d MB; at most %d are read", n>>20, maxText>>20)
	}
	for _, f := range set.Files() {
		isGraph := isGraphFile(f.Path)
		if !isGraph && !isCodeowners(f.Path) {
			continue
		}
		content, err := set.Read(ctx, f)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", f.Path, err)
		}
		switch {
		case f.Path == RulesFile:
			rules = content
		case isGraph:
			l.file(f.Path, content)
		case l.owners.patterns == nil:
			l.owners = readCodeowners(string(content))
		}
		if len(g.Nodes) > maxNodes || len(l.edges) > maxEdges {
			return nil, nil, tooMany()
		}
	}
	l.declared()
	if len(g.Nodes) == 0 {
		derive(g, x)
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Owners == nil && n.Source != "" {
			n.Owners = l.owners.of(n.Source)
		}
	}
	g.finish()
	g.imports(x)
	if len(g.Nodes) > maxNodes || len(g.Edges) > maxEdges {
		return nil, nil, tooMany()
	}
	list := g.loadRules(rules)
	return g, list, nil
}

// addProblems adds problems of a file, up to a max number of all files.
func (g *Graph) addProblems(list []Problem) {
	const most = 10_000
	g.Problems = append(g.Problems, list[:min(len(list), max(0, most-len(g.Problems)))]...)
}

func tooMany() error {
	return tooLarge("the graph has more than %d nodes or %d edges", maxNodes, maxEdges)
}

func tooLarge(format string, args ...any) error {
	return store.Hint(store.Errorf(store.TooLarge, format, args...), "declare nodes of larger parts in "+Folder)
}

// isGraphFile reports whether a file declares nodes, edges or rules.
func isGraphFile(name string) bool {
	return strings.HasPrefix(name, Folder) && path.Dir(name)+"/" == Folder
}

// textOf returns the size of the files that declare nodes, edges and rules.
func textOf(set facts.Set) (n int64) {
	for _, f := range set.Files() {
		if isGraphFile(f.Path) {
			n += f.Size
		}
	}
	return n
}

// isCodeowners reports whether a file is a CODEOWNERS file at a place where forges look for it.
func isCodeowners(file string) bool {
	switch file {
	case "CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS":
		return true
	}
	return false
}

// loader reads the files of a graph.
type loader struct {
	graph  *Graph
	owners codeowners
	seen   map[string]bool
	edges  []Edge // nodes of these edges are not looked up yet
}

func (l *loader) file(name string, content []byte) {
	d := &document{file: name}
	defer func() { l.graph.addProblems(d.problems) }()
	root, err := d.parse(content)
	if err != nil {
		d.problem(nil, "%s", err)
		return
	}
	d.keys(root, []string{"nodes", "edges"})
	for _, n := range d.items(root, "nodes") {
		l.node(d, n)
	}
	for _, n := range d.items(root, "edges") {
		l.edge(d, n)
	}
}

func (l *loader) edge(d *document, n *yaml.Node) {
	d.keys(n, edgeKeys)
	e := Edge{Src: d.text(n, "src"), Dst: d.text(n, "dst"), Kind: d.text(n, "kind"), File: d.file, Line: n.Line,
		Lifecycle: d.lifecycle(n)}
	switch {
	case e.Src == "" || e.Dst == "" || e.Kind == "":
		d.problem(n, "an edge needs src, dst and kind")
	case max(len(e.Src), len(e.Dst), len(e.Kind)) > maxName:
		d.problem(n, "src, dst and kind have at most %d bytes, so this edge is left out", maxName)
	case !isRef(e.Src) || !isRef(e.Dst):
		d.problem(n, "a node of another repository has to be written as @repo:node, so this edge is left out")
	case len(l.edges) <= maxEdges:
		l.edges = append(l.edges, e)
	}
}

// isRef reports whether a text may name a node. @repo:node is a node of another repository.
func isRef(s string) bool {
	repo, ref, found := strings.Cut(strings.TrimPrefix(s, "@"), ":")
	return s[0] != '@' || found && repo != "" && ref != ""
}

func (l *loader) node(d *document, yml *yaml.Node) {
	n := Node{Ref: d.text(yml, "ref_id"), Kind: d.text(yml, "kind"), Summary: d.text(yml, "summary"),
		Source: d.text(yml, "source"), File: d.file, Line: yml.Line}
	switch {
	case n.Ref == "":
		d.problem(yml, "a node needs a ref_id")
		return
	case l.seen[n.Ref]:
		d.problem(yml, "there is another node %q", n.Ref)
		return
	case len(l.graph.Nodes) > maxNodes:
		return
	case max(len(n.Ref), len(n.Kind), len(n.Source)) > maxName:
		d.problem(yml, "ref_id, kind and source have at most %d bytes, so this node is left out", maxName)
		return
	case n.Source != "" && !isInside(n.Source):
		d.problem(get(yml, "source"), "%q is not a path in the repository, so %s has no source; write one such as src/core/",
			n.Source, n.Ref)
		n.Source = ""
	}
	d.keys(yml, nodeKeys)
	if len(n.Summary) > maxSummary {
		d.problem(yml, "the summary of %s has %d bytes, and only %d are read: write a document", n.Ref, len(n.Summary),
			maxSummary)
		n.Summary = strings.ToValidUTF8(n.Summary[:maxSummary], "")
	}
	n.Lifecycle, n.Tags, n.Owners = d.lifecycle(yml), d.texts(yml, "tags"), d.texts(yml, "owners")
	for _, doc := range d.texts(yml, "docs") {
		if !isInside(strings.TrimPrefix(doc, "/")) {
			d.problem(get(yml, "docs"), "%.200q is not a path in the repository, so it is no document of %s", doc, n.Ref)
			continue
		}
		n.Docs = append(n.Docs, doc)
	}
	l.seen[n.Ref] = true
	l.graph.Nodes = append(l.graph.Nodes, n)
}

// These are the keys of nodes and edges that are read.
var (
	nodeKeys = []string{"ref_id", "kind", "summary", "source", "lifecycle", "tags", "docs", "owners"}
	edgeKeys = []string{"src", "dst", "kind", "lifecycle"}
)

// isInside reports whether a path leads to a place in the repository. Paths are written with slashes.
func isInside(name string) bool {
	clean := path.Clean(name)
	isDrive := len(name) > 1 && name[1] == ':'
	return !path.IsAbs(name) && !isDrive && clean != ".." && !strings.HasPrefix(clean, "../") &&
		!strings.ContainsAny(name, "\\\x00\n")
}

// lifecycle returns the lifecycle of a node or an edge. A missing or invalid lifecycle counts as active.
func (d *document) lifecycle(n *yaml.Node) string {
	value := d.text(n, "lifecycle")
	if value == "" {
		return active
	}
	if !slices.Contains(lifecycles, value) {
		d.problem(get(n, "lifecycle"), "%q is not a lifecycle, so this counts as active; write one of %s", value,
			strings.Join(lifecycles, ", "))
		return active
	}
	return value
}

// declared adds the declared edges between existing nodes.
func (l *loader) declared() {
	type key struct{ src, dst, kind string }
	have := map[key]bool{}
	d := document{}
	defer func() { l.graph.addProblems(d.problems) }()
	for _, e := range l.edges {
		missing := ""
		for _, ref := range []string{e.Src, e.Dst} {
			if !strings.HasPrefix(ref, "@") && !l.seen[ref] {
				missing = ref
			}
		}
		if missing != "" {
			d.file = e.File
			d.problem(&yaml.Node{Line: e.Line}, "an edge names %q, which is not a node", missing)
			continue
		}
		if k := (key{e.Src, e.Dst, e.Kind}); !have[k] {
			have[k] = true
			l.graph.Edges = append(l.graph.Edges, e)
		}
	}
}
