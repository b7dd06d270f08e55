package query

import (
	"context"
	"math"
	"strings"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// WhyParams name the node, file or event of the question.
type WhyParams struct {
	Ref string `json:"ref_id" jsonschema:"node, file, run or event, such as core, src/a.go, build:5:1"`
	DocsAt
}

// Why lists the nodes that a node depends on, and the nodes that depend on it.
type Why struct {
	Ref        string        `json:"ref_id" jsonschema:"node"`
	Node       GraphNode     `json:"node" jsonschema:"ref_id, kind, summary, owners" schema:"open"`
	File       string        `json:"file,omitempty" jsonschema:"that was asked about"`
	Event      string        `json:"event,omitempty" jsonschema:"that was asked about"`
	Upstream   []ReachedNode `json:"upstream" jsonschema:"what it depends on: ref_id, kind, summary, edge_kind" schema:"open"`
	Downstream []ReachedNode `json:"downstream" jsonschema:"what depends on it, likewise" schema:"open"`
	Impact     ImpactSummary `json:"impact_summary" jsonschema:"downstream_direct, downstream_transitive, doc_coverage, stale_count" schema:"open"`
	Suspects   []Suspect     `json:"suspects,omitempty" jsonschema:"of the event: what changed and may be the cause" schema:"open"`
	Recent     []Commit      `json:"recent_commits,omitempty" jsonschema:"hash, author, message" schema:"open"`
	Warning    string        `json:"warning,omitempty" jsonschema:"parts that are missing, with the reason" schema:"unlisted"`
	Resolved
}

// ReachedNode is a node that the edges from another node reach.
type ReachedNode struct {
	Ref      string `json:"ref_id" jsonschema:"name"`
	Kind     string `json:"kind" jsonschema:"kind"`
	Summary  string `json:"summary" jsonschema:"summary in a line"`
	EdgeKind string `json:"edge_kind" jsonschema:"of the edge to it"`
}

// ImpactSummary holds numbers about the nodes that depend on a node.
type ImpactSummary struct {
	Direct     int     `json:"downstream_direct" jsonschema:"nodes one edge away"`
	Transitive int     `json:"downstream_transitive" jsonschema:"nodes farther away"`
	Coverage   float64 `json:"doc_coverage" jsonschema:"percent of them with a document"`
	Stale      int     `json:"stale_count" jsonschema:"stale documents of them"`
	Consumers  int     `json:"consumers,omitempty" jsonschema:"repositories that import its contracts"`
	Hidden     int     `json:"hidden_consumers,omitempty" jsonschema:"those that you may not see"`
}

// These limits bound the walks of why, in each direction.
const (
	whyDepth = 3
	whyNodes = 50
)

// Why returns the nodes that a node depends on, and the nodes that depend on it. The question names the node, a file of
// the node, an event in such a file, or a run. A run stands for its first error with a file. If the node of an event is
// unknown, the answer has the event, and only the suspects that can be found without the node. NotFound: there is no
// such node, event or run, and no node owns such a file.
func (a *Asker) Why(ctx context.Context, p WhyParams) (Why, error) {
	w := Why{Upstream: []ReachedNode{}, Downstream: []ReachedNode{}}
	name := strings.TrimSpace(p.Ref)
	if name == "" {
		return w, store.Next(store.Errorf(store.Invalid, "why needs ref_id: a node, a file, a run or an event"),
			store.NewCall("list_nodes", "lists the nodes"))
	}
	at, refs, err := a.within(p.DocsAt, []string{name})
	if err != nil {
		return w, err
	}
	g, err := a.architecture(ctx, at)
	if err != nil {
		return w, a.withoutGraph(ctx, at, refs[0], &w, err)
	}
	n, err := g.Find(refs[0])
	if err != nil {
		if g, n, err = a.owning(ctx, g, at, refs[0], &w, err); err != nil || n == nil {
			return w, err
		}
	}
	w.Ref, w.Node = Clean(n.Ref), g.node(*n)
	for _, r := range g.Upstream(n.Ref, whyDepth, whyNodes) {
		w.Upstream = append(w.Upstream, newReachedNode(r))
	}
	if err := g.impact(ctx, n, &w); err != nil {
		return w, err
	}
	return w, a.consumers(ctx, at, g, n, &w)
}

func newReachedNode(r graph.Reached) ReachedNode {
	return ReachedNode{Clean(r.Ref), Clean(r.Kind), Clean(r.Summary), Clean(r.EdgeKind)}
}

// impact adds the nodes that depend on a node.
func (g *architecture) impact(ctx context.Context, n *graph.Node, w *Why) error {
	covered := 0
	var refs []string
	for _, r := range g.Downstream(n.Ref, whyDepth, whyNodes) {
		w.Downstream = append(w.Downstream, newReachedNode(r))
		refs = append(refs, r.Ref)
		if r.Steps == 1 {
			w.Impact.Direct++
		} else {
			w.Impact.Transitive++
		}
		if len(g.Documents(&r.Node)) > 0 {
			covered++
		}
	}
	w.Impact.Coverage = 100
	if len(refs) > 0 {
		w.Impact.Coverage = math.Round(float64(covered)/float64(len(refs))*1000) / 10
		stale, err := g.stale(ctx, refs)
		if err != nil {
			return err
		}
		w.Impact.Stale = len(stale)
	}
	w.Warning, w.Resolved = g.warning(), g.resolved
	return nil
}

// owning returns the node that owns a file or the file of an event (see ofRef). It also returns the graph that contains
// the node. The node is nil if the node of an event is unknown. If name is neither a file of a node nor an event or a
// run, owning returns the error in the parameter none.
func (a *Asker) owning(ctx context.Context, g *architecture, at DocsAt, name string, w *Why, none error) (
	*architecture, *graph.Node, error) {
	file := strings.TrimPrefix(name, "./")
	if n := g.Owner(file); n != nil && (g.Has(file) || strings.ContainsRune(file, '/') && !strings.Contains(file, ":")) {
		w.File = Clean(file)
		return g, n, nil
	}
	if a.Store == nil {
		return g, nil, none
	}
	return a.ofRef(ctx, g, at, name, w, none)
}
