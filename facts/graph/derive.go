package graph

import (
	"path"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/code"
)

// derive makes a node of each folder with sources, except for folders with test data. The repository's top and each
// folder with a program are services. Other folders directly below the top are domains, and deeper folders are
// features. The parent of a node is the nearest node in a folder above it, but never the node of the top.
func derive(g *Graph, x *code.Index) {
	g.Derived = true
	services := map[string]bool{}
	var folders []string
	for _, f := range x.Files() {
		dir := f.Path[:max(0, strings.LastIndexByte(f.Path, '/'))]
		if isFixture(dir) {
			continue
		}
		if _, known := services[dir]; !known {
			folders = append(folders, dir)
			services[dir] = false
		}
		if isProgram(f) {
			services[dir] = true
		}
	}
	slices.Sort(folders)
	for _, dir := range folders {
		n := Node{Ref: dir, Kind: "feature", Source: dir + "/", Lifecycle: active, Summary: "sources in " + dir}
		switch {
		case dir == "":
			n.Ref, n.Source, n.Summary = "root", "./", "sources at the top"
			if _, taken := services["root"]; taken {
				n.Ref = "./"
			}
		case services[dir]:
			n.Kind = "service"
		case !strings.Contains(dir, "/"):
			n.Kind = "domain"
		}
		if dir == "" {
			n.Kind = "service"
		}
		g.Nodes = append(g.Nodes, n)
		for up := dir; up != ""; {
			up = up[:max(0, strings.LastIndexByte(up, '/'))]
			if _, known := services[up]; known && up != "" {
				g.Edges = append(g.Edges, Edge{Src: dir, Dst: up, Kind: "part_of", Lifecycle: active, Derived: true})
				break
			}
		}
	}
}

// isFixture reports whether a directory holds test data.
func isFixture(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		switch part {
		case "testdata", "fixtures", "__fixtures__", "__snapshots__", "__mocks__":
			return true
		}
	}
	return false
}

// isProgram reports whether a file contains the entry point of a program.
func isProgram(f code.File) bool {
	base := path.Base(f.Path)
	switch f.Language {
	case code.Go:
		return f.Package == "main"
	case code.Python:
		return base == "__main__.py" || base == "manage.py"
	case code.Rust:
		return base == "main.rs"
	case code.C, code.CPlus, code.Java, code.Kotlin, code.CSharp, code.Swift:
		return strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), "main") || base == "Program.cs"
	}
	return false
}

// imports adds a depends_on edge for imports between two nodes, unless such an edge is declared.
func (g *Graph) imports(x *code.Index) {
	type pair struct{ src, dst int }
	have := map[pair]bool{}
	for _, e := range g.Edges {
		src, known := g.index[e.Src]
		dst, alsoKnown := g.index[e.Dst]
		if known && alsoKnown && e.Kind == "depends_on" {
			have[pair{src, dst}] = true
		}
	}
	o := newOwners(g, x)
	for _, f := range x.Files() {
		src := o.files[f.Path]
		if src < 0 {
			continue
		}
		for _, i := range f.Imports {
			for _, t := range i.Targets {
				for _, dst := range o.of(t) {
					if p := (pair{src, dst}); src != dst && !have[p] && len(g.Edges) <= maxEdges {
						have[p] = true
						g.Edges = append(g.Edges, Edge{Src: g.Nodes[src].Ref, Dst: g.Nodes[dst].Ref, Kind: "depends_on",
							Lifecycle: active, File: f.Path, Line: i.Line, Derived: true})
					}
				}
			}
		}
	}
	g.link()
}
