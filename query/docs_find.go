package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/store"
)

// FindParams select documentation to search, lines to return, or both.
type FindParams struct {
	Query        string   `json:"query,omitempty" jsonschema:"words, \"phrases\", or # heading"`
	Snippets     []string `json:"snippets,omitempty" jsonschema:"as bun:1-9,20, docs/a.md:3, build:5:L4-L9, code/a.c:3"`
	Source       string   `json:"source,omitempty" jsonschema:"alias, several, or all; docs: own"`
	HeadingsOnly bool     `json:"headingsOnly,omitempty" jsonschema:"only these"`
	ContextMode  string   `json:"contextMode,omitempty" jsonschema:"lines, section or document" enum:"none,symmetric,all" default:"\"none\""`
	LinePadding  int      `json:"linePadding,omitempty" jsonschema:"around, to 50" min:"0"`
	MaxResults   int      `json:"maxResults,omitempty" jsonschema:"to 50" min:"1"`
	DocsAt
	SnippetBytes int `json:"-"` // max bytes of a snippet, 0 for the default
}

// Found is the answer to a search of documentation. Its lists are never null.
type Found struct {
	Snippets []docs.Snippet `json:"snippets" jsonschema:"lines, content, headingPath, ref" schema:"open"`
	Hits     []docs.Hit     `json:"hits" jsonschema:"lines, snippet, score, ref" schema:"open"`
	Executed docs.Executed  `json:"executed" jsonschema:"searched, retrievedSnippets" schema:"open"`
	Resolved
	Skipped []SkippedSource `json:"skipped,omitempty" jsonschema:"not searched" schema:"open"`
}

// SkippedSource is a source that could not be searched.
type SkippedSource struct {
	Alias  string `json:"alias" jsonschema:"source"`
	Reason string `json:"reason" jsonschema:"reason"`
}

// Find searches documentation, or returns the lines that citations name. NotFound: there is no such source or document.
// Malformed: a citation cannot be parsed. Failed: an index cannot be used. Invalid: a parameter is wrong.
func (a *Asker) Find(ctx context.Context, p FindParams) (Found, error) {
	found := Found{Snippets: []docs.Snippet{}, Hits: []docs.Hit{}}
	if err := p.check(); err != nil {
		return found, err
	}
	l, err := a.library(p.DocsAt)
	if err != nil {
		return found, err
	}
	for _, citation := range p.Snippets {
		list, err := l.snippets(ctx, citation, p.context())
		if err != nil {
			return found, docsError(err)
		}
		found.Snippets = append(found.Snippets, list...)
	}
	if p.Query != "" {
		if found.Hits, found.Skipped, err = l.search(ctx, p); err != nil {
			return found, docsError(err)
		}
	}
	found.Executed = docs.Executed{Searched: p.Query != "", RetrievedSnippets: len(p.Snippets) > 0}
	found.Resolved = l.resolved
	found.clean(l.quoted)
	return found, nil
}

// maxSnippets is the max number of citations in a question.
const maxSnippets = 50

func (p FindParams) context() docs.Context {
	return docs.Context{Mode: docs.Mode(p.ContextMode), Padding: p.LinePadding, MaxBytes: p.SnippetBytes}
}

// check checks the parameters. Invalid: a parameter is wrong or missing.
func (p FindParams) check() error {
	if err := p.context().Check(); err != nil {
		return docsError(
			store.Next(err, store.NewCall("find", "", "snippets", []string{"docs/README.md:1-20"}, "linePadding", 5)))
	}
	example := store.NewCall("find", "", "query", "test runner", "source", "docs")
	switch {
	case p.Query == "" && len(p.Snippets) == 0:
		return store.Next(store.Errorf(store.Invalid, "find needs a query or snippets"), example)
	case p.Query != "" && strings.TrimSpace(p.Query) == "":
		return store.Next(store.Errorf(store.Invalid, "query is empty"), example)
	case len(p.Query) > 1000:
		return store.Next(store.Errorf(store.Invalid, "query has %d bytes, and may have 1000", len(p.Query)), example)
	case p.Query != "" && strings.TrimSpace(p.Source) == "":
		return store.Next(store.Errorf(store.Invalid, "a query needs source: docs for this repository, or an alias"),
			store.NewCall("list-sources", "lists the aliases"))
	case p.MaxResults < 0 || p.MaxResults > docs.MaxHits:
		return store.Next(
			store.Errorf(store.Invalid, "maxResults is %d, and must be from 1 to %d", p.MaxResults, docs.MaxHits),
			example)
	case len(p.Snippets) > maxSnippets:
		return store.Next(store.Errorf(store.Invalid, "%d snippets are too many: at most %d", len(p.Snippets), maxSnippets),
			example)
	}
	return nil
}

// search searches sources. It returns the hits, and the sources that it skipped. If there are several sources, search
// skips a source that does not exist or whose index cannot be used. If there is only one source, search returns an
// error instead.
func (l *library) search(ctx context.Context, p FindParams) ([]docs.Hit, []SkippedSource, error) {
	aliases, err := l.aliases(ctx, p.Source)
	if err != nil {
		return nil, nil, err
	}
	hits := []docs.Hit{}
	var skipped []SkippedSource
	for _, alias := range aliases {
		s, err := l.open(ctx, alias, "")
		var some []docs.Hit
		if err == nil {
			some, err = l.searchIn(ctx, s, docs.Query{Text: p.Query, HeadingsOnly: p.HeadingsOnly, Max: p.MaxResults})
		}
		if err = docsError(err); err != nil {
			if code := store.CodeOf(err); len(aliases) == 1 || code != store.NotFound && code != store.Failed {
				return nil, nil, err
			}
			skipped = append(skipped, SkippedSource{alias, err.Error()})
			continue
		}
		hits = append(hits, some...)
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].Score > hits[j].Score })
	return hits[:min(len(hits), cmp.Or(p.MaxResults, defaultHits))], skipped, nil
}

// searchIn waits for its turn and then searches a source.
func (l *library) searchIn(ctx context.Context, s *docs.Source, q docs.Query) ([]docs.Hit, error) {
	if l.asker.Searches != nil {
		leave, err := l.asker.Searches(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	return s.Search(ctx, q)
}

// defaultHits is the default number of hits.
const defaultHits = 10

// maxSources is the max number of sources in a question.
const maxSources = 50

// everySource is the name for the repository's own documents and all added sources together.
const everySource = "all"

// aliases returns the sources that a question names.
func (l *library) aliases(ctx context.Context, names string) ([]string, error) {
	if strings.TrimSpace(names) != everySource {
		var list []string
		for _, name := range splitList(names) {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
		switch {
		case len(list) == 0:
			return nil, store.Errorf(store.Invalid, "source names no alias")
		case len(list) > maxSources:
			return nil, store.Next(store.Errorf(store.Invalid, "source names %d aliases, and may name %d", len(list),
				maxSources), store.NewCall("find", "", "query", "test runner", "source", "all"))
		}
		return list, nil
	}
	list := []string{docs.RepositoryAlias}
	if l.Sources == nil {
		return list, nil
	}
	versions, err := l.Sources.Sources(ctx, l.asker.Scope, l.repo)
	for _, v := range versions {
		list = append(list, v.Alias)
	}
	return list, err
}

// snippets returns the lines that a citation names.
func (l *library) snippets(ctx context.Context, citation string, with docs.Context) ([]docs.Snippet, error) {
	c, err := docs.ParseCitation(citation)
	if err != nil {
		return nil, err
	}
	switch {
	case c.IsLog():
		return l.logLines(ctx, c, with)
	case c.Alias == docs.CodeAlias:
		return l.codeLines(ctx, c, with)
	}
	s, err := l.open(ctx, c.Alias, c.Rev)
	if store.CodeOf(err) == store.NotFound && c.Path != "" && c.Rev == "" && c.Alias != docs.RepositoryAlias {
		err = store.Hint(
			err, "a document of the repository is named as in docs/%.100s:1-20, its other files as code/path:1-20",
			c.Alias+"/"+c.Path)
	}
	if err != nil {
		return nil, err
	}
	return s.Snippets(ctx, c, with)
}

// quoted returns a text of a document or its name without secrets, and without control and invisible characters. So
// documents cannot change the reader's terminal or hide text.
func (l *library) quoted(text string) string {
	if hide := l.asker.HideText; hide != nil {
		text = hide(text)
	}
	return Clean(text)
}

// clean makes an answer safe to show. It calls quoted (see library.quoted) for each text that comes from a document,
// and Clean for aliases and reasons.
func (f *Found) clean(quoted func(text string) string) {
	path := func(headings []string) []string {
		list := make([]string, len(headings))
		for i, h := range headings {
			list[i] = quoted(h)
		}
		return list
	}
	for i := range f.Hits {
		h := &f.Hits[i]
		h.HeadingPath, h.Snippet, h.Alias, h.Ref = path(h.HeadingPath), quoted(h.Snippet), Clean(h.Alias), quoted(h.Ref)
	}
	for i := range f.Snippets {
		s := &f.Snippets[i]
		s.HeadingPath, s.Alias, s.Ref = path(s.HeadingPath), Clean(s.Alias), quoted(s.Ref)
		s.Content = quoted(s.Content)
	}
	for i := range f.Skipped {
		f.Skipped[i].Reason = Clean(f.Skipped[i].Reason)
	}
}

// logLines returns lines of a run's log.
func (l *library) logLines(ctx context.Context, c docs.Citation, with docs.Context) ([]docs.Snippet, error) {
	if l.Logs != nil {
		if err := l.Logs(ctx); err != nil {
			return nil, err
		}
	}
	r, _, err := l.asker.run(ctx, c.Run.String())
	if err != nil {
		return nil, err
	}
	log, _, err := l.asker.stream(ctx, r, "")
	if err != nil {
		return nil, err
	}
	name := r.Ref().String()
	spans, err := docs.ReadSpans(ctx, name, logLines{log}, c.Ranges, with)
	if err != nil {
		return nil, err
	}
	var list []docs.Snippet
	for _, s := range spans {
		list = append(list, docs.Snippet{Alias: name, Lines: s.Lines(), Content: s.Text, Truncated: s.Truncated,
			HeadingPath: []string{}, Ref: fmt.Sprintf("%s:L%d-L%d", name, s.From, s.To)})
	}
	return list, nil
}

// codeLines returns lines of a source file.
func (l *library) codeLines(ctx context.Context, c docs.Citation, with docs.Context) ([]docs.Snippet, error) {
	found, err := l.facts(ctx, c.Rev, store.FactCode)
	if err != nil {
		return nil, err
	}
	files := found.Files()
	i := slices.IndexFunc(files, func(f facts.File) bool { return f.Path == c.Path })
	if i < 0 {
		return nil, store.Hint(docs.Errorf(docs.NoSource, "there is no source file %.200s", c.Path),
			"name it by its path from the top of the repository; documents are named as in docs/README.md:1-20")
	}
	content, err := found.Read(ctx, files[i])
	if err != nil {
		return nil, err
	}
	pinned := docs.Citation{Alias: docs.CodeAlias, Path: c.Path}
	pinned.Rev = short(found.PinOf(c.Path))
	alias := docs.CodeAlias + "/" + c.Path
	spans, err := docs.ReadSpans(ctx, alias, textLines(content), c.Ranges, with)
	if err != nil {
		return nil, err
	}
	var list []docs.Snippet
	for _, s := range spans {
		pinned.Ranges = []docs.Range{s.Range}
		list = append(list, docs.Snippet{Alias: alias, Lines: s.Lines(), Content: s.Text, Truncated: s.Truncated,
			HeadingPath: []string{}, SourceURL: l.link(found, c.Path, s.Range), Ref: pinned.String()})
	}
	return list, nil
}
