package query

import (
	"context"

	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// GetGraphParams select a part of the graph.
type GetGraphParams struct {
	Refs        NodeRefs `json:"ref_id,omitempty" jsonschema:"node or list; default: all"`
	Depth       int      `json:"depth,omitempty" jsonschema:"edges away, 0-6" default:"2"`
	MaxNodes    int      `json:"max_nodes,omitempty" jsonschema:"around ref_id, up to 200; default 200"`
	IfNoneMatch string   `json:"if_none_match,omitempty" jsonschema:"etag you have"`
	DocsAt
}

// GraphAnswer is a graph, or a part of it.
type GraphAnswer struct {
	Subgraph
	Derived  bool            `json:"derived,omitempty" jsonschema:"nodes are folders, because none are declared"`
	Problems []graph.Problem `json:"problems,omitempty" jsonschema:"mistakes in the YAML: file, line, message" schema:"open"`
	Warning  string          `json:"warning,omitempty" jsonschema:"parts that are missing, with the reason" schema:"unlisted"`
	Unchanged
	Resolved
}

// maxDepth and maxGraphNodes bound walks through the graph.
const (
	maxDepth      = 6
	maxGraphNodes = 200
)

// GetGraph returns the nodes and edges around the named nodes. If no node is named, it returns all nodes and edges.
// NotFound: there is no such node. Invalid: depth or max_nodes is out of bounds, or the named nodes are in several
// repositories.
func (a *Asker) GetGraph(ctx context.Context, p GetGraphParams) (GraphAnswer, error) {
	answer := GraphAnswer{Subgraph: Subgraph{Nodes: []GraphNode{}, Edges: []GraphEdge{}}}
	depth, err := inRange("depth", p.Depth, 2, 0, maxDepth)
	if err != nil {
		return answer, err
	}
	n, err := inRange("max_nodes", p.MaxNodes, maxGraphNodes, 1, maxGraphNodes)
	if err != nil {
		return answer, err
	}
	at, refs, err := a.within(p.DocsAt, p.Refs)
	if err != nil {
		return answer, err
	}
	g, err := a.architecture(ctx, at)
	if err != nil {
		return answer, err
	}
	var current bool
	if answer.Unchanged, current = unchanged(g.etag("graph", refs, depth, n), p.IfNoneMatch); current {
		answer.Nodes, answer.Edges = nil, nil
		return answer, nil
	}
	nodes, edges := g.Nodes, g.Edges
	if len(refs) > 0 {
		if nodes, edges, err = g.Around(refs, depth, max(n, len(refs))); err != nil {
			return answer, err
		}
	}
	answer.Subgraph = g.subgraph(nodes, edges)
	answer.Derived, answer.Resolved, answer.Warning = g.Derived, g.resolved, g.warning()
	answer.Problems = g.problems()
	return answer, nil
}

// ListNodesParams select nodes.
type ListNodesParams struct {
	Kind string `json:"kind,omitempty" jsonschema:"domain, feature, service, entity, adr or another"`
	DocsAt
}

// NodeList holds the nodes of a graph.
type NodeList struct {
	Nodes   []ListedNode `json:"nodes" jsonschema:"ref_id, kind, summary, findings" schema:"open"`
	Warning string       `json:"warning,omitempty" jsonschema:"parts that are missing, with the reason" schema:"unlisted"`
	Resolved
}

// ListedNode is a node in a list.
type ListedNode struct {
	Ref      string `json:"ref_id" jsonschema:"name"`
	Kind     string `json:"kind" jsonschema:"kind"`
	Summary  string `json:"summary" jsonschema:"summary in a line"`
	Findings int    `json:"findings,omitempty" jsonschema:"violations of rules"`
}

// ListNodes lists the nodes of the graph.
func (a *Asker) ListNodes(ctx context.Context, p ListNodesParams) (NodeList, error) {
	list := NodeList{Nodes: []ListedNode{}}
	g, err := a.architecture(ctx, p.DocsAt)
	if err != nil {
		return list, err
	}
	findings := map[string]int{}
	for _, v := range g.Violations() {
		findings[v.From]++
	}
	for _, n := range g.Nodes {
		if p.Kind == "" || n.Kind == p.Kind {
			list.Nodes = append(list.Nodes, ListedNode{Clean(n.Ref), Clean(n.Kind), Clean(n.Summary), findings[n.Ref]})
		}
	}
	list.Warning, list.Resolved = g.warning(), g.resolved
	return list, nil
}

// within returns the repository of the named nodes, and the nodes' names in that repository. @repo:ref names a node of
// another repository. Invalid: the nodes are in several repositories. NotFound: there is no such repository, or the
// caller may not see the repository.
func (a *Asker) within(at DocsAt, refs []string) (DocsAt, []string, error) {
	var repo string
	var names []string
	for i, ref := range refs {
		other, name := splitNode(ref)
		if i > 0 && other != repo {
			return at, nil, store.Errorf(store.Invalid, "%.100q and %.100q are nodes of two repositories", refs[0], ref)
		}
		repo, names = other, append(names, name)
	}
	if repo == "" {
		return at, names, nil
	}
	full, err := a.neighbour(at, repo)
	if err != nil {
		return at, nil, err
	}
	return DocsAt{Repo: full, At: at.At}, names, nil
}
