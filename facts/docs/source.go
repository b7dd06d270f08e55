package docs

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs/lexical"
	"github.com/blq-ci/blq/internal/lazyregexp"
)

// Source answers questions about the documents of one version, under one alias. It is safe for concurrent use.
type Source struct {
	alias string
	rev   string
	set   facts.Set
	index *Index
	url   func(path string, r Range) string
	// dirty is set for a work tree that differs from rev. loose are the paths of the documents that differ.
	dirty bool
	loose []string
}

// Dirty marks the source as a work tree that differs from the revision. The documents at the given paths have other
// text than in the revision, or are not in it. Citations of these documents have no revision. Citations of other
// documents keep the revision.
func (s *Source) Dirty(paths []string) { s.dirty, s.loose = true, paths }

// NewSource returns a source. Citations name the revision rev. If rev is "", they name no revision. url returns the
// web address of a range of lines. It may be nil. If the index belongs to another set, the error has the code
// BadIndex.
func NewSource(alias, rev string, set facts.Set, index *Index, url func(path string, r Range) string) (*Source, error) {
	if index.Set() != set.Digest() {
		return nil, broken("it is of other documents")
	}
	return &Source{alias: alias, rev: rev, set: set, index: index, url: url}, nil
}

// MaxHits is the max number of hits of a search.
const MaxHits = 50

// defaultHits is the number of hits if Query.Max is 0.
const defaultHits = 10

// Query is a search query with its options.
type Query struct {
	Text         string // words, "phrases in quotes"; a leading "# " gives headings more weight
	HeadingsOnly bool
	Max          int // max number of hits, 1 to 50; 0 means 10
}

// check returns an error with the code BadParams if the query is not valid.
func (q Query) check() error {
	switch {
	case strings.TrimSpace(q.Text) == "":
		return hint(Errorf(BadParams, "query is empty"), "name the words to look for")
	case q.Max < 0 || q.Max > MaxHits:
		return Errorf(BadParams, "maxResults is %d, and must be from 1 to %d", q.Max, MaxHits)
	}
	return nil
}

// aboutChanges matches queries about changes. For such queries, change logs and similar documents do not rank lower.
var aboutChanges = lazyregexp.New(
	`(?i)\b(change-?logs?|breaking changes?|release notes|migrat\w*|upgrad\w*|deprecat\w*|rfcs?|proposals?|histor\w*)\b`)

// Search returns the best blocks, best first. The score of a hit is 100·s/(s+8). The sum s has three parts: BM25, a
// gain for words that are near each other, and a part of the scores of other blocks in the document.
func (s *Source) Search(ctx context.Context, q Query) ([]Hit, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if q.Max == 0 {
		q.Max = defaultHits
	}
	matches := s.index.words.Search(lexical.Query{Text: q.Text, HeadingsOnly: q.HeadingsOnly, Max: q.Max,
		Minor: aboutChanges.MatchString(q.Text), Document: s.index.documentOf})
	var documents []*document
	for _, m := range matches {
		d, i := s.index.place(m.Block)
		if i >= len(d.outline()) {
			return nil, broken("blocks are missing")
		}
		if !slices.Contains(documents, d) {
			documents = append(documents, d)
		}
	}
	texts, err := s.index.texts.all(ctx, s.set, documents)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, 0, len(matches))
	for _, m := range matches {
		d, i := s.index.place(m.Block)
		o := d.outline()
		r := o[i].Range
		hits = append(hits, Hit{
			Alias: s.name(d.Path), Lines: r.Lines(), HeadingPath: o.path(i), Snippet: preview(texts[d], o[i], q.Text),
			Score: math.Round(m.Score*10) / 10, SourceURL: s.address(d.Path, r), Ref: s.ref(d.Path, r),
		})
	}
	return hits, nil
}

// single reports whether the source has only one document. Citations need not name that document.
func (s *Source) single() bool { return len(s.index.documents) == 1 }

// name returns the part of a document's citation before the lines.
func (s *Source) name(path string) string {
	if s.single() {
		return s.alias
	}
	return s.alias + "/" + path
}

// ref returns the citation of lines in this version.
func (s *Source) ref(path string, r Range) string {
	c := Citation{Alias: s.alias, Rev: s.rev, Ranges: []Range{r}}
	if slices.Contains(s.loose, path) {
		c.Rev = ""
	}
	if !s.single() || s.dirty { // the revision may have several documents
		c.Path = path
	}
	return c.String()
}

func (s *Source) address(path string, r Range) string {
	if s.url == nil {
		return ""
	}
	return s.url(path, r)
}

// Snippets returns the lines that a citation names, with one snippet for each range. If the source lacks the
// document, the error has the code NoSource.
func (s *Source) Snippets(ctx context.Context, c Citation, with Context) ([]Snippet, error) {
	d, err := s.find(c)
	if err != nil {
		return nil, err
	}
	spans, err := ReadSpans(ctx, s.name(d.Path), lines{s, d}, c.Ranges, with)
	if err != nil {
		return nil, err
	}
	o := d.outline()
	snippets := make([]Snippet, 0, len(spans))
	for i, span := range spans {
		snippets = append(snippets, Snippet{
			Alias: s.name(d.Path), Lines: span.Lines(), Content: span.Text, Truncated: span.Truncated,
			HeadingPath: o.path(o.at(c.Ranges[i].From)),
			SourceURL:   s.address(d.Path, span.Range), Ref: s.ref(d.Path, span.Range),
		})
	}
	return snippets, nil
}

// find returns the document that a citation names.
func (s *Source) find(c Citation) (*document, error) {
	if c.Path != "" {
		if d := s.index.document(c.Path); d != nil {
			return d, nil
		}
		if d := s.index.document(s.alias + "/" + c.Path); d != nil && s.alias == RepositoryAlias {
			return d, nil // people write docs/guide.md for a document in the folder docs
		}
		return nil, hint(Errorf(NoSource, "%s has no document %s", s.alias, quote(c.Path)), "%s", s.suggest(c.Path))
	}
	if s.single() {
		return s.index.documents[0], nil
	}
	if len(s.index.documents) == 0 {
		return nil, Errorf(NoSource, "%s has no documents", s.alias)
	}
	err := Errorf(BadCitation, "%s has %d documents, and the citation names none", s.alias, len(s.index.documents))
	return nil, hint(err, "write %s/path:lines, as in %s:1-20", s.alias, s.name(s.index.documents[0].Path))
}

// suggest returns a sentence that names documents with a similar path.
func (s *Source) suggest(missing string) string {
	const max = 3
	var like []string
	stem := func(p string) string {
		base := strings.ToLower(path.Base(p))
		return strings.TrimSuffix(base, path.Ext(base))
	}
	for _, d := range s.index.documents {
		if len(like) < max && stem(d.Path) == stem(missing) {
			like = append(like, s.name(d.Path))
		}
	}
	if len(like) == 0 {
		return "search for its words to find documents"
	}
	return "there is " + strings.Join(like, ", ")
}

// Heading is an entry of a table of contents.
type Heading struct {
	Level  int    `json:"level"`
	Text   string `json:"heading"`
	Lines  string `json:"lines" jsonschema:"first and last line of the section"`
	Anchor string `json:"anchor" jsonschema:"of the heading's text; equal ones are numbered"`
	Ref    string `json:"ref" jsonschema:"citation of this version"`
}

// Headings returns the table of contents of a document. path may be "" if the source has only one document.
func (s *Source) Headings(path string) ([]Heading, error) {
	d, err := s.find(Citation{Alias: s.alias, Path: path})
	if err != nil {
		return nil, err
	}
	o := d.outline()
	all := []Heading{}
	seen := map[string]int{}
	for i, b := range o {
		if b.continues() {
			continue
		}
		r := Range{b.From, o.end(i)}
		name := anchor(b.heading)
		if n := seen[name]; n > 0 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		seen[anchor(b.heading)]++
		all = append(all, Heading{
			Level: b.level, Text: b.heading, Lines: r.Lines(), Anchor: name, Ref: s.ref(d.Path, r),
		})
	}
	return all, nil
}

// Paths returns the paths of the documents in order.
func (s *Source) Paths() []string {
	var all []string
	for _, d := range s.index.documents {
		all = append(all, d.Path)
	}
	return slices.Clip(all)
}
