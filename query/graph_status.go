package query

import (
	"context"
	"math"
)

// GetStatusParams name the repository and the commit of the graph.
type GetStatusParams struct{ DocsAt }

// GraphStatus holds the numbers of a graph's parts.
type GraphStatus struct {
	Nodes       int     `json:"nodes_count" jsonschema:"nodes"`
	Edges       int     `json:"edges_count" jsonschema:"edges"`
	Docs        int     `json:"docs_count" jsonschema:"documents of nodes"`
	Chunks      int     `json:"chunks_count" jsonschema:"sections of them"`
	Symbols     int     `json:"symbols_count" jsonschema:"symbols of source files"`
	Stale       int     `json:"stale_count" jsonschema:"stale documents"`
	DocCoverage int     `json:"doc_coverage" jsonschema:"nodes with a document"`
	CoveragePct float64 `json:"doc_coverage_pct" jsonschema:"of all nodes"`
	Rules       int     `json:"rules_count" jsonschema:"rules"`
	LastReindex string  `json:"last_reindex" jsonschema:"UTC"`
	Version     string  `json:"beadloom_version" jsonschema:"of these answers"`
	Warning     string  `json:"warning,omitempty" jsonschema:"parts that are missing, with the reason" schema:"unlisted"`
	Resolved
}

// graphVersion is the version of the answers about graphs.
const graphVersion = "2"

// GetGraphStatus counts the parts of the graph, such as nodes, edges and documents.
func (a *Asker) GetGraphStatus(ctx context.Context, p GetStatusParams) (GraphStatus, error) {
	g, err := a.architecture(ctx, p.DocsAt)
	if err != nil {
		return GraphStatus{}, err
	}
	s := GraphStatus{Nodes: len(g.Nodes), Edges: len(g.Edges), Rules: len(g.Rules), LastReindex: g.reindexed(),
		Version: graphVersion, CoveragePct: 100}
	for _, f := range g.Index.Files() {
		s.Symbols += len(f.Symbols)
	}
	seen := map[string]bool{}
	for i := range g.Nodes {
		documents := g.Documents(&g.Nodes[i])
		if len(documents) > 0 {
			s.DocCoverage++
		}
		for _, d := range documents {
			seen[d.Path] = true
		}
	}
	s.Docs = len(seen)
	if s.Nodes > 0 {
		s.CoveragePct = math.Round(float64(s.DocCoverage)/float64(s.Nodes)*1000) / 10
	}
	if _, s.Chunks, err = g.Chunks(ctx, g.Nodes, 0); err != nil {
		return s, err
	}
	stale, err := g.stale(ctx, nil)
	s.Stale = len(stale)
	s.Warning, s.Resolved = g.warning(), g.resolved
	return s, err
}
