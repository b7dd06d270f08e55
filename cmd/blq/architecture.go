package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/facts/worktree"
	arch "github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// loaded is a graph and the source files from which blq made the graph.
type loaded struct {
	*graph.Graph
	rules     []graph.Rule
	index     *code.Index
	documents *graph.Documents
	from      *worktree.Source
	state     string // identifies the content from which the graph was made
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
	about, err := from.At(ctx, facts.Query{At: f.at, Kind: store.FactDocs})
	if err != nil {
		return loaded{}, err
	}
	s, err := arch.New(0, nil).Graph(ctx, cache, "",
		arch.Facts{Declared: declared, Sources: sources, Docs: about})
	if err != nil {
		return loaded{}, err
	}
	state := strings.Join([]string{declared.Digest(), sources.Digest(), about.Digest(), sources.Commit}, " ")
	return loaded{s.Graph, s.Rules, s.Index, s.Named, from, state}, nil
}

// graphProblems prints the problems in the YAML files.
func (a *app) graphProblems(list []graph.Problem) {
	for _, p := range list {
		fmt.Fprintf(a.stderr, "%s:%d: %s\n", firstLine(p.File, reportWidth), p.Line, firstLine(p.Message, reportWidth))
	}
}

// eventGraph prints the nodes of the architecture to which an error belongs.
func (a *app) eventGraph(g *query.EventGraph) {
	if g == nil {
		return
	}
	a.section("architecture")
	a.fields([][2]string{{"node", g.Node.Ref}, {"owners", strings.Join(g.Node.Owners, " ")},
		{"changed upstream", strings.Join(g.Changed, " ")}, {"documents", strings.Join(g.Docs, " ")}})
	a.suspects(g.Suspects)
}

// nodes prints the nodes of the architecture to which new errors belong.
func (a *app) nodes(list []query.ErrorNode) {
	if len(list) == 0 {
		return
	}
	a.section("architecture")
	for _, n := range list {
		text := n.Ref + "  " + n.Node
		if len(n.Owners) > 0 {
			text += "  " + strings.Join(n.Owners, " ")
		}
		if len(n.Changed) > 0 {
			text += "; changed upstream: " + strings.Join(n.Changed, " ")
		}
		fmt.Fprintln(a.stdout, firstLine(text, reportWidth))
	}
}

// suspects prints changes that may have caused errors.
func (a *app) suspects(list []query.Suspect) {
	if len(list) == 0 {
		return
	}
	a.section("may be the cause")
	for _, s := range list {
		name := s.Kind
		switch s.Kind {
		case query.SuspectCommit:
			name = s.Commit[:min(len(s.Commit), 12)]
		case query.SuspectNode:
			name = "node " + firstLine(s.Node, reportWidth)
		}
		fmt.Fprintf(a.stdout, "%s  %s  %s\n", a.style.paint(cyan, name), s.Message,
			a.style.paint(dim, firstLine(s.Why, reportWidth)))
	}
}
