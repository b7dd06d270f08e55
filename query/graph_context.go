package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/docs/lexical"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// GetContextParams select nodes and the amount of context.
type GetContextParams struct {
	Refs        NodeRefs `json:"ref_id" jsonschema:"node or list; @owner/repo:node"`
	Depth       int      `json:"depth,omitempty" jsonschema:"edges away, 0-6" default:"2"`
	MaxNodes    int      `json:"max_nodes,omitempty" jsonschema:"up to 200" default:"20"`
	MaxChunks   int      `json:"max_chunks,omitempty" jsonschema:"of documents, up to 50" default:"10"`
	IfNoneMatch string   `json:"if_none_match,omitempty" jsonschema:"etag you have"`
	DocsAt
}

// GraphContext holds nodes with their surroundings, documents, symbols and problems.
type GraphContext struct {
	Version     int               `json:"version,omitempty" jsonschema:"of this form"`
	Focus       *GraphNode        `json:"focus,omitempty" jsonschema:"first node: ref_id, kind, summary, owners" schema:"open"`
	Graph       *Subgraph         `json:"graph,omitempty" jsonschema:"nodes, edges" schema:"open"`
	Chunks      []TextChunk       `json:"text_chunks,omitzero" jsonschema:"doc_path, section, heading, content, ref" schema:"open"`
	Symbols     []CodeSymbol      `json:"code_symbols,omitzero" jsonschema:"file_path, symbol_name, kind, line_start, line_end" schema:"open"`
	Sync        *SyncStatus       `json:"sync_status,omitempty" jsonschema:"stale_docs, last_reindex" schema:"open"`
	Constraints []GraphRule       `json:"constraints,omitzero" jsonschema:"rules: name, type, description" schema:"open"`
	Findings    []graph.Violation `json:"findings,omitempty" jsonschema:"violations at the nodes, as of lint" schema:"open"`
	Warning     string            `json:"warning,omitempty" jsonschema:"parts that are missing, with the reason" schema:"unlisted"`
	Unchanged
	Resolved
}

// TextChunk is a section of a document about a node.
type TextChunk struct {
	Path    string `json:"doc_path" jsonschema:"document"`
	Section string `json:"section" jsonschema:"spec, invariants, constraints, api, tests or other"`
	Heading string `json:"heading" jsonschema:"heading"`
	Content string `json:"content" jsonschema:"text"`
	Ref     string `json:"ref" jsonschema:"citation for find"`
}

// CodeSymbol is a symbol of a source file.
type CodeSymbol struct {
	File string `json:"file_path" jsonschema:"file"`
	Name string `json:"symbol_name" jsonschema:"name"`
	Kind string `json:"kind" jsonschema:"function, class, …"`
	From int    `json:"line_start" jsonschema:"1-based"`
	To   int    `json:"line_end" jsonschema:"1-based"`
}

// SyncStatus lists the stale documents of nodes.
type SyncStatus struct {
	Stale       []string `json:"stale_docs" jsonschema:"documents"`
	LastReindex string   `json:"last_reindex,omitempty" jsonschema:"UTC"`
}

// GraphRule is a rule of the architecture.
type GraphRule struct {
	Name        string `json:"name" jsonschema:"name"`
	Type        string `json:"type" jsonschema:"deny, require, cycle, forbid_import, forbid, layer or cardinality"`
	Description string `json:"description,omitempty" jsonschema:"reason for the rule"`
}

// These limits bound a context.
const (
	maxGraphChunks  = 50
	maxGraphSymbols = 200
	maxFindings     = 20
)

// GetContext returns nodes with their surroundings, documents and symbols. NotFound: there is no such node. Invalid: no
// node is named, or a parameter is out of bounds.
func (a *Asker) GetContext(ctx context.Context, p GetContextParams) (GraphContext, error) {
	var answer GraphContext
	if len(p.Refs) == 0 {
		return answer, store.Next(store.Errorf(store.Invalid, "which node? ref_id is missing"),
			store.NewCall("list_nodes", "lists the nodes"))
	}
	depth, err := inRange("depth", p.Depth, 2, 0, maxDepth)
	if err != nil {
		return answer, err
	}
	nodes, err := inRange("max_nodes", p.MaxNodes, 20, 1, maxGraphNodes)
	if err != nil {
		return answer, err
	}
	chunks, err := inRange("max_chunks", p.MaxChunks, 10, 1, maxGraphChunks)
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
	if answer.Unchanged, current = unchanged(g.etag("context", refs, depth, nodes, chunks), p.IfNoneMatch); current {
		return answer, nil
	}
	return answer, g.bundle(ctx, &answer, refs, depth, max(nodes, len(refs)), chunks)
}

// bundle adds the surroundings, documents and symbols of nodes to an answer.
func (g *architecture) bundle(ctx context.Context, answer *GraphContext, refs []string, depth, maxNodes,
	maxChunks int) error {
	nodes, edges, err := g.Around(refs, depth, maxNodes)
	if err != nil {
		return err
	}
	focus, around := g.node(nodes[0]), g.subgraph(nodes, edges)
	answer.Version, answer.Focus, answer.Graph, answer.Chunks = 2, &focus, &around, []TextChunk{}
	found, total, err := g.Chunks(ctx, nodes, maxChunks)
	if err != nil {
		return err
	}
	for _, c := range found {
		answer.Chunks = append(answer.Chunks, TextChunk{Clean(c.Path), c.Section, Clean(c.Heading), Clean(c.Content),
			Clean(g.citation(c.Path, c.From, c.To))})
	}
	if total > len(found) {
		g.notes = append(g.notes, fmt.Sprintf("%d of %d sections of documents are left out: max_chunks", total-len(found),
			total))
	}
	answer.Symbols = g.symbols(nodes)
	if answer.Sync, err = g.syncStatus(ctx, nodes); err != nil {
		return err
	}
	answer.Constraints = g.rules()
	answer.Findings = g.findings(nodes)
	answer.Warning, answer.Resolved = g.warning(), g.resolved
	return nil
}

// symbols returns the symbols of nodes, in the order of the nodes.
func (g *architecture) symbols(nodes []graph.Node) []CodeSymbol {
	list := []CodeSymbol{}
	left := 0
	for _, n := range nodes {
		for _, f := range g.Files(n.Ref) {
			keep := min(len(f.Symbols), maxGraphSymbols-len(list))
			for _, s := range f.Symbols[:keep] {
				name := s.Name
				if s.Parent != "" {
					name = s.Parent + "." + name
				}
				list = append(list, CodeSymbol{Clean(f.Path), Clean(name), string(s.Kind), s.Line, s.End})
			}
			left += len(f.Symbols) - keep
		}
	}
	if left > 0 {
		g.notes = append(g.notes, fmt.Sprintf("%d symbols are left out: ask for fewer nodes", left))
	}
	return list
}

// rules returns the rules of the architecture in the form that answers show.
func (g *architecture) rules() []GraphRule {
	list := []GraphRule{}
	for _, r := range g.Rules {
		list = append(list, GraphRule{Clean(r.Name), r.Type, Clean(r.Description)})
	}
	return list
}

// findings returns the violations whose edges begin or end at the given nodes.
func (g *architecture) findings(nodes []graph.Node) []graph.Violation {
	at := map[string]bool{}
	for _, n := range nodes {
		at[n.Ref] = true
	}
	var list []graph.Violation
	for _, v := range g.Violations() {
		if at[v.From] || at[v.To] {
			if len(list) == maxFindings {
				g.notes = append(g.notes, "lint has more findings")
				break
			}
			list = append(list, cleanViolation(v))
		}
	}
	return list
}

// cleanViolation makes the texts of a violation safe to show.
func cleanViolation(v graph.Violation) graph.Violation {
	v.Rule, v.File, v.From, v.To, v.Message = Clean(v.Rule), Clean(v.File), Clean(v.From), Clean(v.To), Clean(v.Message)
	return v
}

// syncStatus returns which documents of the given nodes are stale.
func (g *architecture) syncStatus(ctx context.Context, nodes []graph.Node) (*SyncStatus, error) {
	var refs []string
	for _, n := range nodes {
		refs = append(refs, n.Ref)
	}
	stale, err := g.stale(ctx, refs)
	if err != nil {
		return nil, err
	}
	return &SyncStatus{Stale: stale, LastReindex: g.reindexed()}, nil
}

// reindexed returns when the facts were received, or the present time for facts of this machine.
func (g *architecture) reindexed() string {
	if g.found.Told.IsZero() {
		return stamp(g.asker.now())
	}
	return stamp(g.found.Told)
}

// SearchParams are the words of a search in the graph.
type SearchParams struct {
	Query string `json:"query" jsonschema:"words; all have to be there"`
	Kind  string `json:"kind,omitempty" jsonschema:"of nodes"`
	Limit int    `json:"limit,omitempty" jsonschema:"up to 50" default:"10"`
	DocsAt
}

// GraphMatches holds the nodes that a search found.
type GraphMatches struct {
	Results []GraphMatch `json:"results" jsonschema:"ref_id, kind, summary, snippet, rank" schema:"open"`
	Warning string       `json:"warning,omitempty" jsonschema:"parts that are missing, with the reason" schema:"unlisted"`
	Resolved
}

// GraphMatch is a node that a search found.
type GraphMatch struct {
	Ref     string  `json:"ref_id" jsonschema:"name"`
	Kind    string  `json:"kind" jsonschema:"kind"`
	Summary string  `json:"summary" jsonschema:"summary in a line"`
	Snippet string  `json:"snippet,omitempty" jsonschema:"with the words in <b>"`
	Rank    float64 `json:"rank" jsonschema:"0 to 100"`
}

// maxMatches is the max number of results of a search.
const maxMatches = 50

// SearchGraph returns nodes with given words in their names, summaries, documents or symbols. Search operators have no
// special meaning. Invalid: limit is out of bounds.
func (a *Asker) SearchGraph(ctx context.Context, p SearchParams) (GraphMatches, error) {
	answer := GraphMatches{Results: []GraphMatch{}}
	limit, err := inRange("limit", p.Limit, 10, 1, maxMatches)
	if err != nil {
		return answer, err
	}
	g, err := a.architecture(ctx, p.DocsAt)
	if err != nil {
		return answer, err
	}
	words := strings.TrimLeft(strings.ReplaceAll(p.Query, `"`, " "), "# \t")
	looked := append(strings.Fields(words), lexical.Words(words)...) // also the stems of words
	matches, err := g.Search(ctx, words, p.Kind, limit)
	if err != nil {
		return answer, err
	}
	for _, m := range matches {
		text, err := g.Text(ctx, m.Node)
		if err != nil {
			return answer, err
		}
		answer.Results = append(answer.Results, GraphMatch{Clean(m.Node.Ref), Clean(m.Node.Kind), Clean(m.Node.Summary),
			marked(Clean(text), looked), float64(int(m.Score*10)) / 10})
	}
	if n := g.Unsearched(); n > 0 {
		g.notes = append(g.notes, fmt.Sprintf("the documents of nodes are too many to search: %d are left out", n))
	}
	answer.Warning, answer.Resolved = g.warning(), g.resolved
	return answer, nil
}

// snippetWords is the max number of words of a snippet.
const snippetWords = 32

// marked returns the part of a text around the first matching word. It puts all matching words into <b>.
func marked(text string, looked []string) string {
	words := strings.Fields(text)
	is := func(word string) bool {
		word = strings.ToLower(word)
		return slices.ContainsFunc(looked, func(l string) bool { return strings.Contains(word, strings.ToLower(l)) })
	}
	first := slices.IndexFunc(words, is)
	if first < 0 {
		return ""
	}
	from := max(0, min(first-snippetWords/4, len(words)-snippetWords))
	to := min(from+snippetWords, len(words))
	shown := slices.Clone(words[from:to])
	for i, w := range shown {
		if is(w) {
			shown[i] = "<b>" + w + "</b>"
		}
	}
	snippet := strings.Join(shown, " ")
	if from > 0 {
		snippet = "…" + snippet
	}
	if to < len(words) {
		snippet += "…"
	}
	return clip(snippet, 600)
}
