// Package graph describes the architecture of a repository. It has nodes that own files, edges between nodes, and
// rules for nodes and edges. A graph is read from YAML, or derived from the folders and imports of the sources. The
// package may import facts, facts/code, facts/docs/lexical, facts/docs/markup, internal/nearest, internal/yamlfile and
// store.
package graph

import (
	"path"
	"sort"
	"strings"
)

// Node is a part of the architecture.
type Node struct {
	Ref       string
	Kind      string // domain, feature, service, entity, adr, or another word
	Summary   string
	Source    string // a file, or a directory with a slash at the end; "" for none
	Lifecycle string // active, planned, deprecated, dead or external
	Tags      []string
	Docs      []string // paths of documents about the node
	Owners    []string
	File      string // the declaring YAML file, "" for a derived node
	Line      int
}

// Edge is a relation between two nodes.
type Edge struct {
	Src, Dst  string // nodes; @repo:ref is a node of another repository
	Kind      string // part_of, depends_on, uses, implements, touches_entity, touches_code, or another word
	Lifecycle string
	File      string // the declaring YAML file, or the file of the first import for a derived edge
	Line      int
	Derived   bool // derived from imports or folders
}

// active is the lifecycle of nodes and edges that count in cycles and layers.
const active = "active"

// lifecycles are the valid lifecycles.
var lifecycles = []string{active, "planned", "deprecated", "dead", "external"}

// Problem is a mistake in a YAML file. The rest of the file is still read.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// Graph is the architecture at a commit. A Graph does not change after it was made.
type Graph struct {
	Nodes    []Node // sorted by Ref
	Edges    []Edge // first declared edges in the order of the files, then derived edges
	Derived  bool   // no node is declared, so the nodes are the folders with sources
	Problems []Problem

	index   map[string]int // positions of nodes by name
	sources map[string]int // positions of nodes by source, without the slash at the end
	out, in [][]int        // positions of edges by node
	ends    [][2]int32     // positions of the two nodes of each edge, -1 for nodes of other repositories
}

// finish sorts the nodes and makes the maps.
func (g *Graph) finish() {
	sort.SliceStable(g.Nodes, func(i, j int) bool { return g.Nodes[i].Ref < g.Nodes[j].Ref })
	g.index, g.sources = make(map[string]int, len(g.Nodes)), make(map[string]int, len(g.Nodes))
	for i, n := range g.Nodes {
		g.index[n.Ref] = i
		source := sourceKey(n.Source)
		if _, taken := g.sources[source]; n.Source != "" && !taken {
			g.sources[source] = i
		}
	}
	g.link()
}

// link makes the lists of edges by node.
func (g *Graph) link() {
	g.out, g.in = make([][]int, len(g.Nodes)), make([][]int, len(g.Nodes))
	g.ends = make([][2]int32, len(g.Edges))
	for i := range g.Edges {
		src, dst := g.position(g.Edges[i].Src), g.position(g.Edges[i].Dst)
		g.ends[i] = [2]int32{int32(src), int32(dst)}
		if src >= 0 {
			g.out[src] = append(g.out[src], i)
		}
		if dst >= 0 {
			g.in[dst] = append(g.in[dst], i)
		}
	}
}

// position returns the position of a node, or -1 if there is none.
func (g *Graph) position(ref string) int {
	if i, ok := g.index[ref]; ok {
		return i
	}
	return -1
}

// sourceKey returns a source in the form of file paths: without ./ and slashes at the ends.
func sourceKey(source string) string {
	return strings.TrimPrefix(path.Clean("/"+source), "/")
}

// node returns the node with a name, or nil if there is none.
func (g *Graph) node(ref string) *Node {
	if i, ok := g.index[ref]; ok {
		return &g.Nodes[i]
	}
	return nil
}

// owner returns the position of the node with the deepest source that contains a path, or -1 if there is none.
func (g *Graph) owner(path string) int {
	for path = strings.Trim(path, "/"); ; {
		if i, ok := g.sources[path]; ok {
			return i
		}
		if path == "" {
			return -1
		}
		path = path[:max(0, strings.LastIndexByte(path, '/'))]
	}
}
