package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/store"
)

func newGraph(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "graph",
		Short: "Show the architecture: nodes, and what depends on what",
		Long: `The architecture is a graph of nodes, which own files, and edges between them. It is
read from .beadloom/_graph/*.yml. Without such files the folders with sources are
nodes, and their imports edges; blq graph init writes that down for editing.`,
		Args: noSuchCommand,
		RunE: help,
	}
	c.AddCommand(newGraphShow(a), newGraphInit(a))
	return c
}

func newGraphShow(a *app) *cobra.Command {
	var f factsFlags
	depth, limit := 2, 20
	c := &cobra.Command{
		Use:   "show [NODE]...",
		Short: "Show nodes and their edges, of the work tree or of a commit",
		Example: `  blq graph show                  # all nodes
  blq graph show store --depth 1  # a node and those next to it
  blq graph show --at v1.2 --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			g, err := a.graph(c.Context(), f)
			if err != nil {
				return err
			}
			return a.showGraph(g, args, depth, limit)
		},
	}
	f.add(c)
	countFlag(c, &depth, "depth", "", 0, "edges from the nodes that are named")
	countFlag(c, &limit, "limit", "", 1, "nodes around those that are named")
	jsonFlags[graphAnswer](c, a, "print JSON")
	return c
}

// loaded is a graph with what it was made of.
type loaded struct {
	*graph.Graph
	rules     []graph.Rule
	index     *code.Index
	documents *graph.Documents
	from      *worktree.Source
}

// graph reads the graph of the current directory.
func (a *app) graph(ctx context.Context, f factsFlags) (loaded, error) {
	from, w, err := a.factsSource(ctx, f)
	if err != nil {
		return loaded{}, err
	}
	sources, err := from.At(ctx, facts.Query{At: f.at, Kind: store.FactCode})
	if err != nil {
		return loaded{}, err
	}
	declared, err := from.At(ctx, facts.Query{At: f.at, Kind: store.FactGraph})
	if err != nil {
		return loaded{}, err
	}
	cache := ""
	if w != nil && !w.ReadOnly() {
		cache = filepath.Join(filepath.Dir(w.FactsCache()), "code")
	}
	index, err := cachedIndex(ctx, cache, sources)
	if err != nil {
		return loaded{}, err
	}
	g, rules, err := graph.Load(ctx, declared, index)
	if err != nil {
		return loaded{}, err
	}
	about, err := from.At(ctx, facts.Query{At: f.at, Kind: store.FactDocs})
	if err != nil {
		return loaded{}, err
	}
	documents, err := graph.ReadDocuments(ctx, g, about)
	return loaded{g, rules, index, documents, from}, err
}

// cachedIndex returns the index of source files. A file remembers the last one, "" for none; it may be lost.
func cachedIndex(ctx context.Context, name string, set facts.Set) (*code.Index, error) {
	var before *code.Index
	if text, err := os.ReadFile(name); err == nil {
		before, _ = code.Open(text)
	}
	index, err := code.Build(ctx, set, before)
	if err != nil || name == "" || before != nil && before.Set() == index.Set() {
		return index, err
	}
	if os.MkdirAll(filepath.Dir(name), 0o755) != nil {
		return index, nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".tmp-")
	if err != nil {
		return index, nil //nolint:nilerr // the next command reads the files again
	}
	_, err = f.Write(index.Bytes())
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), name) != nil {
		os.Remove(f.Name())
	}
	return index, nil
}

// graphAnswer is the answer of graph show.
type graphAnswer struct {
	Derived  bool            `json:"derived,omitempty"` // from folders, because nothing is declared
	Nodes    []nodeAnswer    `json:"nodes"`
	Edges    []edgeAnswer    `json:"edges"`
	Problems []graph.Problem `json:"problems,omitempty"` // of the YAML
}

type nodeAnswer struct {
	Ref       string   `json:"ref_id"`
	Kind      string   `json:"kind"`
	Summary   string   `json:"summary,omitempty"`
	Source    string   `json:"source,omitempty"`
	Lifecycle string   `json:"lifecycle,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Docs      []string `json:"docs,omitempty"`
	Owners    []string `json:"owners,omitempty"`
}

type edgeAnswer struct {
	Src  string `json:"src"`
	Dst  string `json:"dst"`
	Kind string `json:"kind"`
}

func (a *app) showGraph(g loaded, refs []string, depth, limit int) error {
	nodes, edges := g.Nodes, g.Edges
	if len(refs) > 0 {
		var err error
		if nodes, edges, err = g.Around(refs, depth, max(limit, len(refs))); err != nil {
			return err
		}
	}
	answer := graphAnswer{Derived: g.Derived, Nodes: []nodeAnswer{}, Edges: []edgeAnswer{}, Problems: g.Problems}
	for _, n := range nodes {
		answer.Nodes = append(answer.Nodes, nodeAnswer{n.Ref, n.Kind, n.Summary, n.Source, n.Lifecycle, n.Tags, n.Docs,
			n.Owners})
	}
	for _, e := range edges {
		answer.Edges = append(answer.Edges, edgeAnswer{e.Src, e.Dst, e.Kind})
	}
	if a.form.json {
		return a.json(answer)
	}
	a.graphProblems(g.Problems)
	for _, n := range answer.Nodes {
		line := fmt.Sprintf("%s  %s", n.Kind, firstLine(n.Ref, reportWidth))
		if n.Source != "" && strings.Trim(n.Source, "/") != n.Ref {
			line += "  " + firstLine(n.Source, reportWidth)
		}
		if len(n.Owners) > 0 {
			line += "  " + firstLine(strings.Join(n.Owners, " "), reportWidth)
		}
		fmt.Fprintln(a.stdout, line)
		for _, e := range answer.Edges {
			if e.Src == n.Ref {
				fmt.Fprintf(a.stdout, "  %s %s\n", firstLine(e.Kind, reportWidth), firstLine(e.Dst, reportWidth))
			}
		}
	}
	return nil
}

// graphProblems prints what is wrong in the YAML.
func (a *app) graphProblems(list []graph.Problem) {
	for _, p := range list {
		fmt.Fprintf(a.stderr, "%s:%d: %s\n", firstLine(p.File, reportWidth), p.Line, firstLine(p.Message, reportWidth))
	}
}

func newGraphInit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write down the architecture that folders and imports show, for editing",
		Example: `  blq graph init
  $EDITOR .beadloom/_graph/graph.yml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			g, err := a.graph(c.Context(), factsFlags{})
			if err != nil {
				return err
			}
			return a.graphInit(g)
		},
	}
}

func (a *app) graphInit(g loaded) error {
	if !g.Derived {
		return store.Hint(store.Errorf(store.Conflict, "%s has nodes already", graph.Folder), "edit its files")
	}
	if len(g.Nodes) == 0 {
		return store.Errorf(store.NotFound, "there are no source files in a language that blq reads")
	}
	name := filepath.Join(a.root(), filepath.FromSlash(graph.Folder), "graph.yml")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write the graph: %w", err)
	}
	_, err = f.WriteString(g.YAML())
	if err := errorsOf(err, f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "wrote %s to %s\n", count(len(g.Nodes), "node"), name)
	return nil
}

// errorsOf returns the first error of some.
func errorsOf(list ...error) error {
	i := slices.IndexFunc(list, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return list[i]
}
