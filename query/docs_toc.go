package query

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/store"
)

// DocsGetParams select lines of documents.
type DocsGetParams struct {
	Snippets []string `json:"snippets" jsonschema:"citation, as docs/guide.md:10-20"`
	Mode     string   `json:"contextMode,omitempty" jsonschema:"lines, section or document: none, symmetric, all" enum:"none,symmetric,all" default:"\"none\""`
	Padding  int      `json:"linePadding,omitempty" jsonschema:"lines around, to 50" min:"0" default:"0"`
	DocsAt
}

// DocsGet returns lines of documents. It does the same as Find without a query.
func (a *Asker) DocsGet(ctx context.Context, p DocsGetParams) (Found, error) {
	return a.Find(ctx, FindParams{Snippets: p.Snippets, ContextMode: p.Mode, LinePadding: p.Padding, DocsAt: p.DocsAt})
}

// DocsTocParams name a document.
type DocsTocParams struct {
	Source string `json:"source,omitempty" jsonschema:"alias, or alias/path of one of several documents" default:"\"docs\""`
	Depth  int    `json:"depth,omitempty" jsonschema:"levels of headings, 0 for all" min:"0" default:"0"`
	DocsAt
}

// Contents is a table of contents: the headings of a document, or the documents of a source with several documents.
type Contents struct {
	Alias     string         `json:"alias" jsonschema:"of the document"`
	Headings  []docs.Heading `json:"headings,omitempty" jsonschema:"heading, level, lines, ref" schema:"open"`
	Documents []string       `json:"documents,omitempty" jsonschema:"documents that can be named"`
	Resolved
}

// DocsToc returns a table of contents. NotFound: there is no such source or document.
func (a *Asker) DocsToc(ctx context.Context, p DocsTocParams) (Contents, error) {
	name := p.Source
	if name == "" {
		name = docs.RepositoryAlias
	}
	l, err := a.library(p.DocsAt)
	if err != nil {
		return Contents{}, err
	}
	alias, path, _ := strings.Cut(name, "/")
	alias, rev, _ := strings.Cut(alias, "@")
	s, err := l.open(ctx, alias, rev)
	if err != nil {
		return Contents{}, docsError(err)
	}
	c := Contents{Alias: name, Resolved: l.resolved}
	if paths := s.Paths(); path == "" && len(paths) != 1 {
		for _, p := range paths {
			c.Documents = append(c.Documents, Clean(alias+"/"+p))
		}
		return c, nil
	}
	headings, err := s.Headings(path)
	if err != nil {
		return Contents{}, docsError(err)
	}
	for _, h := range headings {
		if p.Depth == 0 || h.Level <= p.Depth {
			h.Text = Clean(h.Text)
			c.Headings = append(c.Headings, h)
		}
	}
	return c, nil
}

// DocsDiffParams name two versions of a source.
type DocsDiffParams struct {
	Source string `json:"source" jsonschema:"alias"`
	From   string `json:"from,omitempty" jsonschema:"version or commit; the one before when left out"`
	To     string `json:"to,omitempty" jsonschema:"version or commit; the newest when left out"`
	DocsAt
}

// DocsDiff lists the sections that differ between two versions of a source. Each section is named by its document and
// its heading.
type DocsDiff struct {
	Alias   string   `json:"alias" jsonschema:"of the source"`
	From    string   `json:"from" jsonschema:"version"`
	To      string   `json:"to" jsonschema:"version"`
	Added   []string `json:"added" jsonschema:"sections that are new"`
	Removed []string `json:"removed" jsonschema:"sections that are gone"`
	Changed []string `json:"changed" jsonschema:"sections with another text"`
}

// DocsDiff compares the sections of two versions of a source. If p.From is "", it compares with the second newest
// version. NotFound: there is no such source or version. Invalid: p.From is "" for the documents of the repository.
func (a *Asker) DocsDiff(ctx context.Context, p DocsDiffParams) (DocsDiff, error) {
	d := DocsDiff{Alias: p.Source, From: p.From, To: p.To, Added: []string{}, Removed: []string{}, Changed: []string{}}
	l, err := a.library(p.DocsAt)
	if err != nil {
		return d, err
	}
	if d.From == "" {
		if d.From, err = l.before(ctx, p.Source); err != nil {
			return d, err
		}
	}
	old, err := l.sections(ctx, p.Source, d.From)
	if err != nil {
		return d, docsError(err)
	}
	now, err := l.sections(ctx, p.Source, d.To)
	if err != nil {
		return d, docsError(err)
	}
	for _, s := range now {
		text, there := find(old, s.name)
		switch {
		case !there:
			d.Added = append(d.Added, Clean(s.name))
		case text != s.text:
			d.Changed = append(d.Changed, Clean(s.name))
		}
	}
	for _, s := range old {
		if _, there := find(now, s.name); !there {
			d.Removed = append(d.Removed, Clean(s.name))
		}
	}
	return d, nil
}

// before returns the name of the second newest version of a source.
func (l *library) before(ctx context.Context, alias string) (string, error) {
	if alias == docs.RepositoryAlias {
		return "", store.Next(store.Errorf(store.Invalid, "docs is compared with a commit: name it with from"),
			store.NewCall("docs_diff", "", "source", "docs", "from", "HEAD~1"))
	}
	versions, err := l.versions(ctx, alias)
	if err != nil {
		return "", err
	}
	if len(versions) < 2 {
		return "",
			store.Hint(store.Errorf(store.NotFound, "%s has one version, so there is nothing to compare it with", alias),
				"it gets another one when its text has changed and is fetched again")
	}
	return short(versions[1].Digest), nil
}

// section is a part of a document under a heading.
type section struct{ name, text string }

// sections returns the sections of all documents of a version, sorted by name. If sections have equal names, the names
// after the first get a number.
func (l *library) sections(ctx context.Context, alias, rev string) ([]section, error) {
	s, err := l.open(ctx, alias, rev)
	if err != nil {
		return nil, err
	}
	var list []section
	seen := map[string]int{}
	for _, path := range s.Paths() {
		headings, err := s.Headings(path)
		if err != nil {
			return nil, err
		}
		for i, h := range headings {
			text, err := l.ownText(ctx, s, path, headings, i)
			if err != nil {
				return nil, err
			}
			name := path + ": " + h.Text
			if seen[name]++; seen[name] > 1 {
				name = fmt.Sprintf("%s (%d)", name, seen[name])
			}
			list = append(list, section{name, text})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].name < list[j].name })
	return list, nil
}

// ownText returns the lines of a section before its first subsection.
func (l *library) ownText(ctx context.Context, s *docs.Source, path string, all []docs.Heading, i int) (string, error) {
	from, to, err := ParseLines(all[i].Lines)
	if err != nil {
		return "", err
	}
	if i+1 < len(all) {
		next, _, err := ParseLines(all[i+1].Lines)
		if err != nil {
			return "", err
		}
		to = min(to, next-1)
	}
	snippets, err := s.Snippets(ctx, docs.Citation{Path: path, Ranges: []docs.Range{{From: from, To: max(from, to)}}},
		docs.Context{MaxBytes: 1 << 20})
	if err != nil || len(snippets) == 0 {
		return "", err
	}
	return snippets[0].Content, nil
}

func find(list []section, name string) (string, bool) {
	i, ok := slices.BinarySearchFunc(list, name, func(s section, name string) int { return strings.Compare(s.name, name) })
	if !ok {
		return "", false
	}
	return list[i].text, true
}
