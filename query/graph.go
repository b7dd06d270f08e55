package query

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/store"
)

// Graphs builds graphs from the facts of commits.
type Graphs interface {
	// Graph returns the graph of a repository. It is built from the declared nodes, the source files and the documents.
	// Each of the three sets may be nil. Repositories do not share graphs.
	Graph(ctx context.Context, repo string, declared, sources, documents facts.Set) (*graph.Snapshot, error)
}

// GraphNode is a node of the architecture.
type GraphNode struct {
	Ref       string   `json:"ref_id" jsonschema:"name"`
	Kind      string   `json:"kind" jsonschema:"domain, feature, service, entity, adr or another word"`
	Summary   string   `json:"summary" jsonschema:"summary in a line"`
	Source    string   `json:"source,omitempty" jsonschema:"file or folder"`
	Lifecycle string   `json:"lifecycle,omitempty" jsonschema:"unless active"`
	Tags      []string `json:"tags,omitempty" jsonschema:"tags"`
	Docs      []string `json:"docs,omitempty" jsonschema:"paths of documents"`
	Owners    []string `json:"owners,omitempty" jsonschema:"people and teams"`
}

// GraphEdge is an edge of the architecture.
type GraphEdge struct {
	Src  string `json:"src" jsonschema:"node"`
	Dst  string `json:"dst" jsonschema:"node, or @repo:node"`
	Kind string `json:"kind" jsonschema:"part_of, depends_on, uses, or another word"`
}

// Subgraph is a part of a graph, or all of it.
type Subgraph struct {
	Nodes []GraphNode `json:"nodes" jsonschema:"ref_id, kind, summary, source"`
	Edges []GraphEdge `json:"edges" jsonschema:"src, dst, kind"`
}

// Unchanged is the answer to a caller who already has the current answer.
type Unchanged struct {
	ETag   string `json:"etag,omitempty" jsonschema:"for if_none_match"`
	Cached bool   `json:"cached,omitempty" jsonschema:"the caller's copy is current" schema:"unlisted"`
	Hint   string `json:"hint,omitempty" jsonschema:"advice" schema:"unlisted"`
}

// architecture is a graph with the facts from which it was built. It is made for a single question, and is not shared
// with other questions.
type architecture struct {
	*graph.Snapshot
	asker    *Asker
	library  *library
	found    facts.Found // declared nodes, or the source files if nothing is declared
	declared facts.Found // declared nodes and rules; its set is nil if the commit has no facts about them
	code     facts.Found
	docs     facts.Found
	sources  facts.Set // source files, nil for none
	resolved Resolved
	notes    []string // notes on missing parts of the answer
}

// architecture returns the graph of a commit. NotFound: there is no graph, or the caller may not see the graph.
func (a *Asker) architecture(ctx context.Context, at DocsAt) (*architecture, error) {
	return a.architectureBack(ctx, at, 0)
}

// architectureBack returns the graph of an ancestor of the given commit. back is the number of first parents to
// follow.
func (a *Asker) architectureBack(ctx context.Context, at DocsAt, back int) (*architecture, error) {
	if a.Docs == nil || a.Graphs == nil {
		return nil, store.Hint(store.Errorf(store.NotFound, "there is no architecture graph here"),
			"ask where the repository is, or a server that has its facts")
	}
	l, err := a.library(at)
	if err != nil {
		return nil, err
	}
	if l.Facts == nil {
		return nil, noFacts()
	}
	g := &architecture{asker: a, library: l}
	declared, err := l.factsBack(ctx, store.FactGraph, back)
	none := err
	if err != nil && store.CodeOf(err) != store.NotFound {
		return nil, err
	}
	sources, err := l.factsBack(ctx, store.FactCode, back)
	switch {
	case store.CodeOf(err) == store.NotFound && none != nil:
		return nil, store.Hint(none, "send the facts that a graph is made of: blq facts push graph code docs")
	case store.CodeOf(err) == store.NotFound:
		g.notes = append(g.notes, "no source files are here, so there are no symbols and no edges from imports: "+
			"blq facts push code")
	case err != nil:
		return nil, err
	}
	documents, err := l.factsBack(ctx, store.FactDocs, back)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return nil, err
	}
	g.found, g.declared, g.docs, g.sources, g.code = declared, declared, documents, sources.Set, sources
	if declared.Set == nil {
		g.found = sources
	} else if sources.Set != nil && sources.Pin() != declared.Pin() {
		g.notes = append(g.notes, fmt.Sprintf("the source files are those of %.12s", sources.Pin()))
	}
	g.resolved = Resolved{Commit: g.found.Commit, ResolvedFrom: g.found.ResolvedFrom, Distance: g.found.Distance,
		Dirty: declared.Dirty || sources.Dirty || documents.Dirty, Untrusted: declared.Untrusted || sources.Untrusted}
	g.Snapshot, err = a.Graphs.Graph(ctx, l.repo, orEmpty(declared, store.FactGraph), orEmpty(sources, store.FactCode),
		documents.Set)
	return g, err
}

// factsBack returns the files of a kind at an ancestor of the requested commit. back is the number of first parents to
// follow.
func (l *library) factsBack(ctx context.Context, kind store.FactKind, back int) (facts.Found, error) {
	return l.Facts.At(ctx, facts.Query{Repo: l.repo, At: l.at, Kind: kind, Back: back})
}

// orEmpty returns the set in f, or an empty set if f has none.
func orEmpty(f facts.Found, kind store.FactKind) facts.Set {
	if f.Set != nil {
		return f.Set
	}
	m, text, err := facts.NewManifest(kind, nil)
	if err != nil {
		panic(err) // an empty list has no mistakes
	}
	return facts.NewListed(m, text, nil)
}

// node returns a graph node in the form that answers show.
func (g *architecture) node(n graph.Node) GraphNode {
	out := GraphNode{Ref: Clean(n.Ref), Kind: Clean(n.Kind), Summary: Clean(n.Summary), Source: Clean(n.Source),
		Lifecycle: n.Lifecycle, Tags: cleanAll(n.Tags), Docs: cleanAll(n.Docs), Owners: cleanAll(n.Owners)}
	if out.Lifecycle == "active" {
		out.Lifecycle = ""
	}
	return out
}

// subgraph returns graph nodes and edges in the form that answers show.
func (g *architecture) subgraph(nodes []graph.Node, edges []graph.Edge) Subgraph {
	s := Subgraph{Nodes: make([]GraphNode, len(nodes)), Edges: make([]GraphEdge, len(edges))}
	for i, n := range nodes {
		s.Nodes[i] = g.node(n)
	}
	for i, e := range edges {
		s.Edges[i] = newGraphEdge(e)
	}
	return s
}

func newGraphEdge(e graph.Edge) GraphEdge {
	return GraphEdge{Clean(e.Src), Clean(e.Dst), Clean(e.Kind)}
}

// cleanAll applies Clean to each text.
func cleanAll(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, Clean(s))
	}
	return out
}

// etag returns an identifier of an answer. Answers with the same input data and the same parameters have the same
// identifier.
func (g *architecture) etag(params ...any) string {
	digests := []string{g.Index.Set()}
	for _, set := range []facts.Set{g.found.Set, g.Docs} {
		if set != nil {
			digests = append(digests, set.Digest())
		}
	}
	text, err := json.Marshal([]any{digests, g.resolved, params})
	if err != nil {
		panic(err) // texts and numbers can always be encoded
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// unchanged returns the short answer for a caller who already has the current answer. have is the tag of the answer
// that the caller has. The bool result is false if that answer is not current.
func unchanged(etag, have string) (Unchanged, bool) {
	if have == "" || strings.Trim(have, `"`) != etag {
		return Unchanged{ETag: etag}, false
	}
	return Unchanged{ETag: etag, Cached: true, Hint: "what you have is current"}, true
}

// warning returns the notes about the answer, such as missing parts and problems in the YAML. Without notes, it returns
// "".
func (g *architecture) warning() string {
	notes := g.notes
	if n := len(g.Problems); n > 0 {
		p := g.Problems[0]
		notes = append(notes, fmt.Sprintf("%s in the YAML, such as %s:%d: %s", counted(n, "problem"), p.File, p.Line,
			p.Message))
	}
	return Clean(strings.Join(notes, "; "))
}

// problems returns the mistakes in the YAML.
func (g *architecture) problems() []graph.Problem {
	var list []graph.Problem
	for _, p := range g.Problems {
		list = append(list, graph.Problem{File: Clean(p.File), Line: p.Line, Message: Clean(p.Message)})
	}
	return list
}

// citation returns the reference to lines of a document.
func (g *architecture) citation(path string, from, to int) string {
	rev := ""
	if pin := g.docs.PinOf(path); pin != "" {
		rev = "@" + short(pin)
	}
	return docs.RepositoryAlias + rev + "/" + path + ":" + docs.Range{From: from, To: to}.Lines()
}

// inRange returns the value n of a parameter. If n is 0 and least is more than 0, the parameter is not set. Then
// inRange returns the default, which is the argument usual. Invalid: n is out of bounds.
func inRange(name string, n, usual, least, most int) (int, error) {
	switch {
	case n == 0 && least > 0:
		return usual, nil
	case n < least || n > most:
		return 0, store.Errorf(store.Invalid, "%s is %d, and must be from %d to %d", name, n, least, most)
	}
	return n, nil
}

// HasGraph reports whether the only repository declares nodes or rules.
func (a *Asker) HasGraph(ctx context.Context) bool {
	l, err := a.library(DocsAt{})
	if err != nil || l.Facts == nil {
		return false
	}
	found, err := l.Facts.At(ctx, facts.Query{Repo: l.repo, Kind: store.FactGraph})
	return err == nil && slices.ContainsFunc(found.Files(), func(f facts.File) bool {
		return strings.HasPrefix(f.Path, graph.Folder)
	})
}
