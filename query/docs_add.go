package query

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
)

// SourceAddParams select the documentation to add.
type SourceAddParams struct {
	Alias string `json:"alias" jsonschema:"name for it"`
	URL   string `json:"url,omitempty" jsonschema:"of text; else the registry's"`
	Force bool   `json:"force,omitempty" jsonschema:"again"`
	Repo  string `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
}

// SourceAdded describes the added source.
type SourceAdded struct {
	Alias   string `json:"alias" jsonschema:"for find"`
	URL     string `json:"url" jsonschema:"that was fetched"`
	Message string `json:"message" jsonschema:"result in words"`
	Version string `json:"version" jsonschema:"digest, for citations"`
}

// SourceAdd fetches documentation, and adds it as a source or as a new version of a source. Conflict: the alias is in
// use. NotFound: neither the question, nor the registry, nor an earlier version has a URL. Malformed, Invalid: the
// alias or the URL is not valid. Forbidden: fetching is not allowed. Failed, TooLarge: the documentation cannot be
// fetched or indexed. Unavailable: the store did not answer; the documentation may be stored.
func (a *Asker) SourceAdd(ctx context.Context, p SourceAddParams) (SourceAdded, error) {
	l, err := a.library(DocsAt{Repo: p.Repo})
	if err != nil {
		return SourceAdded{}, err
	}
	if err := source.CheckAlias(p.Alias); err != nil {
		return SourceAdded{}, err
	}
	if err := l.mayFetch(); err != nil {
		return SourceAdded{}, err
	}
	old, err := l.versions(ctx, p.Alias)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return SourceAdded{}, err
	}
	if len(old) > 0 && !p.Force {
		return SourceAdded{}, store.SourceTaken(p.Alias)
	}
	url, _, _ := strings.Cut(p.URL, "#") // servers do not get fragments
	if e, known := source.Find(p.Alias); url == "" && known {
		url = e.URL
	}
	if url == "" && len(old) > 0 {
		url = old[0].URL
	}
	if url == "" {
		return SourceAdded{},
			store.Next(store.Errorf(store.NotFound, "%s is not in the registry, and no url is given", p.Alias),
				store.NewCall("source-add", "names the text", "alias", p.Alias, "url", "https://example.org/llms.txt"))
	}
	return l.fetch(ctx, p.Alias, url, old)
}

// mayFetch returns a Forbidden error if external texts may not be added.
func (l *library) mayFetch() error {
	if l.Fetcher == nil || l.Sources == nil || l.Blobs == nil {
		return store.Hint(store.Errorf(store.Forbidden, "documentation from outside is not fetched here"),
			"the operator of the server can allow it; documents of the repository are in the source docs")
	}
	return nil
}

// fetch fetches a text and adds it to a source. old holds the source's earlier versions, newest first.
func (l *library) fetch(ctx context.Context, alias, url string, old []store.SourceVersion) (SourceAdded, error) {
	began := l.asker.now()
	var known source.Known
	if len(old) > 0 && old[0].URL == url {
		known = source.Known{ETag: old[0].ETag, LastModified: old[0].LastModified}
	}
	page, err := l.Fetcher.Fetch(ctx, url, known)
	if err != nil {
		return SourceAdded{}, err
	}
	now := l.asker.now()
	if page.NotModified {
		v := old[0]
		v.CheckedAt = now
		v, err = l.Sources.AddSourceVersion(ctx, v, false)
		return added("Unchanged", v, now.Sub(began)), err
	}
	v := store.SourceVersion{Repo: l.repo, Alias: alias, Digest: page.Digest, Bytes: int64(len(page.Text)), URL: url,
		FinalURL: page.URL, ETag: page.ETag, LastModified: page.LastModified, FetchedAt: now}
	what := "Added"
	switch {
	case len(old) > 0 && old[0].Digest == v.Digest:
		what = "Unchanged"
	case len(old) > 0:
		what = "Updated"
	}
	if err := l.keep(ctx, &v, page.Text, old, began); err != nil {
		return SourceAdded{}, err
	}
	return added(what, v, v.Took), nil
}

// keep indexes and stores a text, and fills in the fields of v. If the store refuses the version, keep removes the
// stored text.
func (l *library) keep(ctx context.Context, v *store.SourceVersion, content []byte, old []store.SourceVersion,
	began time.Time) error {
	if l.Room != nil {
		done, err := l.Room(ctx, l.repo, v.Bytes)
		if err != nil {
			return err
		}
		defer done()
	}
	index, err := l.index(ctx, fetched{text{SourceVersion: *v}, content})
	if err != nil {
		return docsError(err)
	}
	stats := index.Stats()
	v.Lines, v.Headings, v.Title = stats.Lines, stats.Headings, titleOf(content)
	for _, o := range old {
		if o.Digest == v.Digest {
			v.Key = o.Key
		}
	}
	stored, err := l.put(ctx, *v, content, len(old) == 0, began)
	if err == nil {
		*v = stored
	}
	return err
}

// wholeTime is the max time for storing a fetched text.
const wholeTime = time.Minute

// put stores a version and its text. If an earlier version has the same text, put stores only the version. put does
// not stop when ctx is cancelled: a stored text without a version would not count for any quota until maintenance
// removes it.
func (l *library) put(ctx context.Context, v store.SourceVersion, content []byte, isNew bool, began time.Time) (
	store.SourceVersion, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), wholeTime)
	defer cancel()
	mine := ""
	if v.Key == "" {
		folder, err := facts.NewFolder(facts.SourcesFolder)
		if err != nil {
			return v, err
		}
		mine = folder + "0"
		v.Key = mine
		if err := l.Blobs.Put(ctx, mine, content); err != nil {
			_ = l.Blobs.Delete(context.WithoutCancel(ctx), mine) // the text may be stored although the call failed
			return v, err
		}
	}
	v.Took = l.asker.now().Sub(began)
	stored, err := l.Sources.AddSourceVersion(ctx, v, isNew)
	for store.CodeOf(err) == store.RateLimited && wait.For(ctx, againSoon) == nil {
		stored, err = l.Sources.AddSourceVersion(ctx, v, isNew)
	}
	if mine != "" && (isRefused(err) || err == nil && stored.Key != mine) {
		if gone := l.Blobs.Delete(context.WithoutCancel(ctx), mine); gone != nil && err == nil {
			err = gone
		}
	}
	return stored, err
}

// againSoon is the pause before put tries again to store a version. put tries again if the store refused the version
// because too many requests of the tenant were waiting.
const againSoon = 100 * time.Millisecond

// isRefused reports whether an error means that a row was not stored. After an error of another kind, the row may be
// stored.
func isRefused(err error) bool {
	code := store.CodeOf(err)
	return code != "" && code != store.Unavailable
}

// fetched is a text that is not stored yet.
type fetched struct {
	text
	content []byte
}

// Read implements facts.Set.
func (f fetched) Read(context.Context, facts.File) ([]byte, error) { return f.content, nil }

// added returns the answer about an added or refreshed source.
func added(what string, v store.SourceVersion, took time.Duration) SourceAdded {
	return SourceAdded{Alias: v.Alias, URL: v.URL, Version: short(v.Digest), Message: fmt.Sprintf(
		"%s %s (%s, %s) in %s", what, v.Alias, counted(v.Headings, "heading"), counted(v.Lines, "line"), duration(took))}
}

// counted returns a number of things in words, such as "2 sources".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// duration returns a duration as people write it.
func duration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

// thousands returns a number with commas as thousands separators.
func thousands(n int) string {
	s := itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// maxTitle is the max length of a title in bytes.
const maxTitle = 200

// titleOf returns the first heading of the form "# Title" near the beginning of a text, or "" if there is none.
func titleOf(content []byte) string {
	head := string(content[:min(len(content), 4<<10)])
	for line := range strings.Lines(head) {
		if title, is := strings.CutPrefix(strings.TrimSpace(line), "# "); is {
			if len(title) > maxTitle {
				title = strings.ToValidUTF8(title[:maxTitle], "") // the cut may be inside of a character
			}
			return Clean(title)
		}
	}
	return ""
}

// DocsSourceParams name sources.
type DocsSourceParams struct {
	Source string `json:"source,omitempty" jsonschema:"alias"`
	Repo   string `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
}

// Refreshed describes the sources that were fetched again.
type Refreshed struct {
	Sources []SourceAdded   `json:"sources" jsonschema:"that were fetched" schema:"open"`
	Failed  []SkippedSource `json:"failed,omitempty" jsonschema:"that were not" schema:"open"`
}

// DocsRefresh fetches a source again. Without a name it fetches all added sources again. NotFound: there is no such
// source.
func (a *Asker) DocsRefresh(ctx context.Context, p DocsSourceParams) (Refreshed, error) {
	r := Refreshed{Sources: []SourceAdded{}}
	l, err := a.library(DocsAt{Repo: p.Repo})
	if err != nil {
		return r, err
	}
	if err := l.mayFetch(); err != nil {
		return r, err
	}
	names, err := l.aliases(ctx, cmp.Or(p.Source, everySource))
	if err != nil {
		return r, err
	}
	for _, alias := range names {
		if alias == docs.RepositoryAlias && p.Source == "" {
			continue
		}
		old, err := l.versions(ctx, alias)
		var done SourceAdded
		if err == nil {
			done, err = l.fetch(ctx, alias, old[0].URL, old)
		}
		switch {
		case err != nil && (p.Source != "" || ctx.Err() != nil):
			return r, err
		case err != nil:
			r.Failed = append(r.Failed, SkippedSource{alias, Clean(err.Error())})
		default:
			r.Sources = append(r.Sources, done)
		}
	}
	return r, nil
}

// Removed describes the removed sources.
type Removed struct {
	Alias    string `json:"alias" jsonschema:"of the source"`
	Versions int    `json:"versions" jsonschema:"that were removed"`
}

// DocsRemove removes a source and all of its versions. The error is NotFound if there is no such source.
func (a *Asker) DocsRemove(ctx context.Context, p DocsSourceParams) (Removed, error) {
	l, err := a.library(DocsAt{Repo: p.Repo})
	if err != nil {
		return Removed{}, err
	}
	if err := source.CheckAlias(p.Source); err != nil {
		return Removed{}, err
	}
	if _, err := l.versions(ctx, p.Source); err != nil {
		return Removed{}, err
	}
	n, err := l.Sources.RemoveSource(ctx, l.repo, p.Source)
	return Removed{p.Source, n}, err
}
