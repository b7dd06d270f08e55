//go:build !job

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
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
	c.AddCommand(newGraphShow(a), newGraphSearch(a), newGraphInit(a))
	return c
}

func newGraphShow(a *app) *cobra.Command {
	p := query.GetGraphParams{Depth: 2}
	c := &cobra.Command{
		Use:   "show [NODE]...",
		Short: "Show nodes and their edges, of the work tree or of a commit",
		Example: `  blq graph show                  # all nodes
  blq graph show store --depth 1  # a node and those next to it
  blq graph show --at v1.2 --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			p.Refs = args
			by, err := a.askedAbout(c.Context(), questions.GetGraph.Row)
			if err != nil {
				return err
			}
			return judge(c, a, by, questions.GetGraph, p, a.showGraph, nil)
		},
	}
	atFlag(c, &p.At)
	countFlag(c, &p.Depth, "depth", "", 0, "edges from the nodes that are named, up to 6")
	countFlag(c, &p.MaxNodes, "limit", "", 1, "nodes around those that are named, up to 200")
	c.Flags().StringVar(&p.IfNoneMatch, "if-none-match", "", "say only whether this is the current `ETAG`")
	a.whereFlags(c)
	jsonFlags(c, a, query.GraphAnswer{}, "print JSON")
	return c
}

func newGraphSearch(a *app) *cobra.Command {
	p := query.SearchParams{Limit: 10}
	c := &cobra.Command{
		Use:   "search WORD...",
		Short: questions.SearchGraph.About,
		Example: `  blq graph search payment retry
  blq graph search token --kind domain --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.Query = strings.Join(args, " ")
			by, err := a.askedAbout(c.Context(), questions.SearchGraph.Row)
			if err != nil {
				return err
			}
			return judge(c, a, by, questions.SearchGraph, p, a.graphMatches, nil)
		},
	}
	atFlag(c, &p.At)
	c.Flags().StringVar(&p.Kind, "kind", "", "only nodes of this `KIND`")
	countFlag(c, &p.Limit, "limit", "", 1, "nodes, up to 50")
	a.whereFlags(c)
	jsonFlags(c, a, query.GraphMatches{}, "print JSON")
	return c
}

// graphMatches prints the nodes that a search found.
func (a *app) graphMatches(m query.GraphMatches) error {
	for _, r := range m.Results {
		fmt.Fprintf(a.stdout, "%s  %s  %s\n    %s\n", a.style.paint(cyan, firstLine(r.Ref, reportWidth)), r.Kind,
			firstLine(r.Summary, reportWidth), firstLine(r.Snippet, 2*reportWidth))
	}
	if len(m.Results) == 0 {
		fmt.Fprintln(a.stderr, "blq: nothing is found; all words have to be there")
	}
	return nil
}

func (a *app) showGraph(answer query.GraphAnswer) error {
	a.graphProblems(answer.Problems)
	from := map[string][]query.GraphEdge{}
	for _, e := range answer.Edges {
		from[e.Src] = append(from[e.Src], e)
	}
	for _, n := range answer.Nodes {
		line := fmt.Sprintf("%s  %s", n.Kind, firstLine(n.Ref, reportWidth))
		if n.Source != "" && strings.Trim(n.Source, "/") != n.Ref {
			line += "  " + firstLine(n.Source, reportWidth)
		}
		if len(n.Owners) > 0 {
			line += "  " + firstLine(strings.Join(n.Owners, " "), reportWidth)
		}
		fmt.Fprintln(a.stdout, line)
		for _, e := range from[n.Ref] {
			fmt.Fprintf(a.stdout, "  %s %s\n", firstLine(e.Kind, reportWidth), firstLine(e.Dst, reportWidth))
		}
	}
	if len(answer.Nodes) == 0 {
		fmt.Fprintln(a.stderr, "no nodes: there are neither declared nodes nor folders with sources")
	}
	return nil
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
	top, err := os.OpenRoot(a.root()) // refuses links that lead out of the repository
	if err != nil {
		return fmt.Errorf("write the graph: %w", err)
	}
	defer func() { _ = top.Close() }() // the directory is only read, so Close cannot lose data
	name := filepath.Join(filepath.FromSlash(graph.Folder), "graph.yml")
	if err := top.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write the graph: %w", err)
	}
	f, err := top.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write the graph: %w", err)
	}
	_, err = f.WriteString(g.YAML())
	if err := errorsOf(err, f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "wrote %s to %s\n", count(len(g.Nodes), "node"), filepath.Join(a.root(), name))
	return nil
}

// errorsOf returns the first error that is not nil.
func errorsOf(list ...error) error {
	i := slices.IndexFunc(list, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return list[i]
}
