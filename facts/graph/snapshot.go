package graph

import (
	"path"
	"slices"
	"strings"
	locks "sync"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/facts/docs/lexical"
)

// Snapshot is a graph with its rules, the index of its sources, and the documents of the same commit. It is safe for
// concurrent use.
type Snapshot struct {
	*Graph
	Rules []Rule
	Index *code.Index
	Docs  facts.Set  // nil for none
	Named *Documents // the documents that nodes name, nil for none

	owners *owners
	owned  [][]int32 // positions of source files by node
	docs   map[string]facts.File
	about  map[string]int // nodes by declared document

	linting    locks.Once
	violations []Violation
	reading    locks.Mutex
	words      *lexical.Index // search index of the nodes, nil until the first search
	unsearched int            // number of documents that the search index lacks
}

// NewSnapshot returns the snapshot of a graph.
func NewSnapshot(g *Graph, rules []Rule, x *code.Index, docs facts.Set, named *Documents) *Snapshot {
	s := &Snapshot{Graph: g, Rules: rules, Index: x, Docs: docs, Named: named, owners: newOwners(g, x),
		owned: make([][]int32, len(g.Nodes)), docs: map[string]facts.File{}, about: map[string]int{}}
	for i, f := range x.Files() {
		if n := s.owners.files[f.Path]; n >= 0 {
			s.owned[n] = append(s.owned[n], int32(i))
		}
	}
	for i, n := range g.Nodes {
		for _, name := range n.Docs {
			name = path.Clean(strings.TrimPrefix(name, "/"))
			if _, taken := s.about[name]; !taken {
				s.about[name] = i
			}
		}
	}
	if docs != nil {
		for _, f := range docs.Files() {
			s.docs[f.Path] = f
		}
	}
	return s
}

// Find returns the node with a name. If there is none, the error is NotFound and suggests similar names.
func (s *Snapshot) Find(ref string) (*Node, error) {
	if n := s.node(ref); n != nil {
		return n, nil
	}
	return nil, s.missing(ref)
}

// Owner returns the node that a file belongs to, or nil if there is none. A document belongs to the node that declares
// it. Another file belongs to the node that would own a source file at its path.
func (s *Snapshot) Owner(file string) *Node {
	n, known := s.about[file]
	if !known {
		n, known = s.owners.files[file]
	}
	if !known {
		n = s.owner(file)
	}
	if n < 0 {
		return nil
	}
	return &s.Nodes[n]
}

// Files returns the source files of a node, sorted by path.
func (s *Snapshot) Files(ref string) []*code.File {
	i := s.position(ref)
	if i < 0 {
		return nil
	}
	files := s.Index.Files()
	list := make([]*code.File, len(s.owned[i]))
	for k, at := range s.owned[i] {
		list[k] = &files[at]
	}
	return list
}

// Out returns the edges that begin at a node.
func (s *Snapshot) Out(ref string) []Edge { return s.edgesOf(s.out, ref) }

// In returns the edges that end at a node.
func (s *Snapshot) In(ref string) []Edge { return s.edgesOf(s.in, ref) }

func (s *Snapshot) edgesOf(lists [][]int, ref string) []Edge {
	i := s.position(ref)
	if i < 0 {
		return nil
	}
	list := make([]Edge, len(lists[i]))
	for k, e := range lists[i] {
		list[k] = s.Edges[e]
	}
	return list
}

// Violations returns the violations of the rules.
func (s *Snapshot) Violations() []Violation {
	s.linting.Do(func() { s.violations = Lint(s.Graph, s.Index, s.Rules, s.Named) })
	return s.violations
}

// Documents returns the documents that a node declares. Without declared documents, it returns the README files
// beside the sources of the node. Missing documents are left out.
func (s *Snapshot) Documents(n *Node) []facts.File {
	var list []facts.File
	add := func(name string) {
		if f, ok := s.docs[path.Clean(name)]; ok && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	for _, name := range n.Docs {
		add(strings.TrimPrefix(name, "/"))
	}
	if len(n.Docs) > 0 || n.Source == "" {
		return list
	}
	dir := sourceKey(n.Source)
	for _, name := range []string{"README.md", "README.rst", "README.adoc", "README.txt", "README"} {
		add(path.Join(dir, name))
	}
	return list
}

// Has reports whether a path is a source file, a document, or a folder with sources.
func (s *Snapshot) Has(file string) bool {
	_, isDoc := s.docs[file]
	return isDoc || s.Index.File(file) != nil || len(s.owners.inDir[strings.Trim(file, "/")]) > 0
}

// InFolder returns the source files directly in a folder.
func (s *Snapshot) InFolder(dir string) []string {
	if dir == "." {
		dir = ""
	}
	return s.owners.inDir[dir]
}
