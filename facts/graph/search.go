package graph

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs/lexical"
)

// Match is a node that a search found.
type Match struct {
	Node  *Node
	Score float64 // 0 to 100
}

// maxSearched limits the searched text of one node, and maxSearchedDocs limits the documents of all nodes together. The
// text of a node is its name, its summary, its tags, its documents, and the names of its symbols.
const (
	maxSearched     = 64 << 10
	maxSearchedDocs = 64 << 20
)

// Search returns the nodes that contain all words of a query, best first. It looks at names, sources, summaries, tags,
// documents and symbols. kind selects nodes of a kind, "" for all.
func (s *Snapshot) Search(ctx context.Context, query, kind string, max int) ([]Match, error) {
	if strings.TrimSpace(query) == "" || len(s.Nodes) == 0 {
		return nil, nil
	}
	words, err := s.index(ctx)
	if err != nil {
		return nil, err
	}
	var list []Match
	for _, m := range words.Search(lexical.Query{Text: query, Max: len(s.Nodes), All: true}) {
		n := &s.Nodes[m.Block]
		if kind != "" && n.Kind != kind {
			continue
		}
		if list = append(list, Match{n, m.Score}); len(list) == max {
			break
		}
	}
	return list, nil
}

// index returns the search index of the nodes.
func (s *Snapshot) index(ctx context.Context) (*lexical.Index, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.words != nil {
		return s.words, nil
	}
	b := lexical.NewBuilder()
	left, known := maxSearchedDocs, map[string][]byte{} // several nodes may name the same document
	read := func(f facts.File) (text []byte, err error) {
		if left <= 0 {
			s.unsearched++
			return nil, nil
		}
		text, found := known[f.Path]
		if !found {
			if text, err = s.Docs.Read(ctx, f); err != nil {
				return nil, err
			}
			text = text[:min(len(text), maxSearched)]
			known[f.Path] = text
		}
		left -= len(text)
		return text, nil
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		b.Block(i, false)
		b.Add(lexical.Heading, []byte(n.Ref))
		b.Add(lexical.Place, []byte(n.Source))
		text, err := s.text(ctx, n, read)
		if err != nil {
			return nil, err
		}
		b.Add(lexical.Body, []byte(text))
	}
	s.words = b.Finish(len(s.Nodes), lexical.Reuse{})
	return s.words, nil
}

// Unsearched returns the number of documents that Search leaves out, because all documents of the nodes together are
// too large. A document of several nodes counts several times.
func (s *Snapshot) Unsearched() int {
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.unsearched
}

// Text returns the searched text of a node: its name, its summary, its tags, its documents, and the names of its
// symbols.
func (s *Snapshot) Text(ctx context.Context, n *Node) (string, error) {
	return s.text(ctx, n, func(f facts.File) ([]byte, error) { return s.Docs.Read(ctx, f) })
}

// text returns the searched text of a node. It reads documents with the function read.
func (s *Snapshot) text(ctx context.Context, n *Node, read func(facts.File) ([]byte, error)) (string, error) {
	var b strings.Builder
	add := func(text string) {
		b.WriteString(text[:min(len(text), max(0, maxSearched-b.Len()))])
		b.WriteByte('\n')
	}
	add(n.Ref + " " + n.Summary + " " + strings.Join(n.Tags, " "))
	for _, f := range s.Documents(n) {
		if err := ctx.Err(); err != nil || b.Len() >= maxSearched {
			return b.String(), err
		}
		text, err := read(f)
		if err != nil {
			return "", err
		}
		add(string(text))
	}
	for _, f := range s.Files(n.Ref) {
		for _, symbol := range f.Symbols {
			if b.Len() >= maxSearched {
				return b.String(), nil
			}
			add(symbol.Name)
		}
	}
	return b.String(), nil
}
