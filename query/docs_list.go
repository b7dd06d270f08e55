package query

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/store"
)

// ListSourcesParams select sources.
type ListSourcesParams struct {
	Filter string `json:"filter,omitempty" jsonschema:"part of the alias"`
	DocsAt
}

// SourceList lists the sources that can be searched, and the sources that can be added.
type SourceList struct {
	Sources []Source `json:"sources" jsonschema:"alias, kind, url" schema:"open"`
}

// These are the kinds of sources.
const (
	KindInstalled = "installed" // the source can be searched
	KindRegistry  = "registry"  // the source can be added by its name
)

// Source is documentation that can be searched or added.
type Source struct {
	Alias     string      `json:"alias" jsonschema:"name"`
	Title     string      `json:"title,omitempty" jsonschema:"title"`
	URL       string      `json:"url" jsonschema:"where it is from"`
	Kind      string      `json:"kind" jsonschema:"installed or registry"`
	FetchedAt string      `json:"fetchedAt,omitempty" jsonschema:"UTC"`
	Command   string      `json:"suggestedCommand,omitempty" jsonschema:"adds it"`
	Version   string      `json:"version,omitempty" jsonschema:"commit or digest, for citations"`
	Metadata  *SourceSize `json:"metadata,omitempty" jsonschema:"size"`
	Resolved
}

// SourceSize is the size of a source.
type SourceSize struct {
	Lines    int `json:"totalLines" jsonschema:"lines"`
	Headings int `json:"headings" jsonschema:"headings"`
}

// ListSources lists sources of documentation: the repository's own documents, if it has any, then the added sources,
// and then the sources in the registry.
func (a *Asker) ListSources(ctx context.Context, p ListSourcesParams) (SourceList, error) {
	list := SourceList{Sources: []Source{}}
	l, err := a.library(p.DocsAt)
	if err != nil {
		return list, err
	}
	has := func(alias string) bool { return strings.Contains(alias, strings.ToLower(p.Filter)) }
	if has(docs.RepositoryAlias) {
		own, err := l.describeOwn(ctx)
		switch {
		case err == nil:
			list.Sources = append(list.Sources, own)
		case store.CodeOf(err) != store.NotFound:
			return list, docsError(err)
		}
	}
	var added []store.SourceVersion
	if l.Sources != nil {
		if added, err = l.Sources.Sources(ctx, a.Scope, l.repo); err != nil {
			return list, err
		}
	}
	installed := map[string]bool{}
	for _, v := range added {
		installed[v.Alias] = true
		if has(v.Alias) {
			list.Sources = append(list.Sources, Source{
				Alias: v.Alias, Title: Clean(v.Title), URL: v.URL, Kind: KindInstalled, FetchedAt: stamp(v.FetchedAt),
				Version: short(v.Digest), Metadata: &SourceSize{v.Lines, v.Headings}})
		}
	}
	if l.Fetcher == nil {
		return list, nil
	}
	for _, e := range source.Registry() {
		if _, err := l.Fetcher.Policy.Check(e.URL); err == nil && has(e.Alias) && !installed[e.Alias] {
			list.Sources = append(list.Sources, Source{Alias: e.Alias, Title: e.Title, URL: e.URL, Kind: KindRegistry,
				Command: "blq docs add " + e.Alias})
		}
	}
	return list, nil
}

// HasSources reports whether the only repository has added documentation.
func (a *Asker) HasSources(ctx context.Context) bool {
	l, err := a.library(DocsAt{})
	if err != nil || l.Sources == nil {
		return false
	}
	list, err := l.Sources.Sources(ctx, a.Scope, l.repo)
	return err == nil && len(list) > 0
}

// describeOwn describes the repository's own documents.
func (l *library) describeOwn(ctx context.Context) (Source, error) {
	s, err := l.open(ctx, docs.RepositoryAlias, "")
	if err != nil {
		return Source{}, err
	}
	stats := l.indexes[s].Stats()
	if stats.Documents == 0 {
		return Source{}, store.Errorf(store.NotFound, "there are no documents")
	}
	own := Source{Alias: docs.RepositoryAlias, Title: "Documents of this repository", Kind: KindInstalled,
		Metadata: &SourceSize{stats.Lines, stats.Headings}, Resolved: l.resolved, Version: short(l.resolved.Commit)}
	if own.ResolvedFrom != "" {
		own.Version = short(own.ResolvedFrom)
	}
	own.Resolved.Commit = ""
	if l.Link != nil {
		own.URL = l.Link(l.repo, l.resolved.Commit, "", docs.Range{})
	}
	return own, nil
}
