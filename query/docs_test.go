package query_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

var project = querytest.Files{
	"README.md":    "# Shop\n\nA shop.\n\n## Install\n\nRun `make install`.\n\n## Exit codes\n\n3 means locked.\x1b[31m\n",
	"docs/faq.md":  "# FAQ\n\n## Why is it locked?\n\nAnother process holds the lock.\n",
	"src/main.c":   "int main() {\n    return 0;\n}\n",
	"package.json": `{"dependencies":{"hono":"^4","left-pad":"1"}}`,
}

// library is a project with documentation, and a site with a text that tests can change.
type library struct {
	*testing.T
	*query.Asker
	site string
	text string // text of the site
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	f := querytest.New(t)
	l := &library{T: t, Asker: f.Asker, text: "# Site\n\n## Routing\n\nUse routes.\n\n## Middleware\n\nUse it.\n"}
	l.Docs = querytest.Docs(t, f.Store.(store.Store), project)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/page" {
			_, _ = io.WriteString(w, "<!doctype html><p>no")
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, l.text)
	}))
	t.Cleanup(web.Close)
	l.site = web.URL
	return l
}

func (l *library) find(p query.FindParams) query.Found {
	l.Helper()
	found, err := l.Find(l.T.Context(), p)
	querytest.Check(l.T, err)
	return found
}

// refuses checks an error: it must have the given code, the given word in its text, and a next step.
func (l *library) refuses(err error, code store.Code, word string) {
	l.Helper()
	if store.CodeOf(err) != code || !strings.Contains(fmt.Sprint(err), word) || store.NextOf(err) == nil {
		l.Errorf("%v (code %q, next %v), want %q with %q", err, store.CodeOf(err), store.NextOf(err), code, word)
	}
}

func (l *library) add(alias string, force bool) query.SourceAdded {
	l.Helper()
	a, err := l.SourceAdd(l.T.Context(), query.SourceAddParams{Alias: alias, URL: l.site + "/llms.txt", Force: force})
	querytest.Check(l.T, err)
	return a
}

func TestSearchThenRetrieve(t *testing.T) {
	l := newLibrary(t)
	found := l.find(query.FindParams{Query: "install", Source: "docs"})
	if len(found.Hits) == 0 || found.Hits[0].Ref != "docs@0123456789/README.md:5-8" &&
		found.Hits[0].Ref != "docs@0123456789/README.md:5-7" {
		t.Fatalf("%+v", found)
	}
	if !found.Executed.Searched || found.Executed.RetrievedSnippets || found.Snippets == nil ||
		found.Commit != querytest.Commit {
		t.Errorf("%+v", found)
	}
	got := l.find(query.FindParams{Snippets: []string{found.Hits[0].Ref}})
	if len(got.Snippets) != 1 || !strings.Contains(got.Snippets[0].Content, "make install") ||
		cmp.Diff([]string{"Shop", "Install"}, got.Snippets[0].HeadingPath) != "" {
		t.Errorf("%+v", got)
	}
}

func TestSnippetsOfEveryKind(t *testing.T) {
	l := newLibrary(t)
	l.add("site", false)
	got := l.find(
		query.FindParams{Snippets: []string{"site:3-4,7", "docs/docs/faq.md:5", "code/src/main.c:1-2", "build:3:L2-L3"}})
	var refs []string
	for _, s := range got.Snippets {
		refs = append(refs, s.Ref)
	}
	want := []string{"site@" + refs[0][5:15] + ":3-4", "site@" + refs[0][5:15] + ":7", "docs@0123456789/docs/faq.md:5",
		"code@0123456789/src/main.c:1-2", "build:3:L2-L3"}
	if diff := cmp.Diff(want, refs); diff != "" {
		t.Error(diff)
	}
	if got.Snippets[3].Content != "int main() {\n    return 0;" ||
		!strings.Contains(got.Snippets[4].Content, "'foo' undeclared") {
		t.Errorf("%+v", got.Snippets)
	}
	padded := l.find(query.FindParams{Snippets: []string{"site:5"}, LinePadding: 1})
	if padded.Snippets[0].Lines != "4-6" {
		t.Errorf("%+v", padded.Snippets)
	}
	section := l.find(query.FindParams{Snippets: []string{"docs/README.md:7"}, ContextMode: "symmetric"})
	if !strings.HasPrefix(section.Snippets[0].Content, "## Install") {
		t.Errorf("%+v", section.Snippets)
	}
}

// A citation is "docs/" and the path of a document. If the path itself begins with docs/, one docs/ may be left out.
func TestDocumentsInTheFolderDocs(t *testing.T) {
	l := newLibrary(t)
	got := l.find(query.FindParams{Snippets: []string{"docs/faq.md:5", "docs/docs/faq.md:5"}})
	if len(got.Snippets) != 2 || cmp.Diff(got.Snippets[0], got.Snippets[1]) != "" {
		t.Errorf("%+v", got.Snippets)
	}
	_, err := l.Find(t.Context(), query.FindParams{Snippets: []string{"faq.md:5"}})
	l.refuses(err, store.Malformed, "faq.md")
	_, err = l.Find(t.Context(), query.FindParams{Snippets: []string{"guide/faq.md:5"}})
	l.refuses(err, store.NotFound, "guide")
	if next := fmt.Sprint(store.NextOf(err)); !strings.Contains(next, "docs/guide/faq.md") {
		t.Error(next)
	}
}

// Answers have no control characters of documents, because strangers may write documents.
func TestControlCharactersAreRemoved(t *testing.T) {
	l := newLibrary(t)
	got := l.find(query.FindParams{Snippets: []string{"docs/README.md:11"}, Query: "locked", Source: "docs"})
	text, err := json.Marshal(got)
	querytest.Check(t, err)
	if strings.Contains(string(text), "\\u001b") || got.Snippets[0].Content != "3 means locked." {
		t.Errorf("%s", text)
	}
}

func TestWhatFindRefuses(t *testing.T) {
	l := newLibrary(t)
	for _, c := range []struct {
		name string
		p    query.FindParams
		code store.Code
		word string
	}{
		{"nothing", query.FindParams{}, store.Invalid, "query or snippets"},
		{"blanks", query.FindParams{Query: " ", Source: "docs"}, store.Invalid, "empty"},
		{"no source", query.FindParams{Query: "a"}, store.Invalid, "source"},
		{"padding", query.FindParams{Snippets: []string{"docs/README.md:1"}, LinePadding: 100}, store.Invalid, "linePadding"},
		{"mode", query.FindParams{Snippets: []string{"docs/README.md:1"}, ContextMode: "most"}, store.Invalid, "contextMode"},
		{"results", query.FindParams{Query: "a", Source: "docs", MaxResults: 51}, store.Invalid, "maxResults"},
		{"citation", query.FindParams{Snippets: []string{"bun:abc-def"}}, store.Malformed, "citation"},
		{"unknown", query.FindParams{Query: "a", Source: "nosuch"}, store.NotFound, "nosuch"},
		{"many", query.FindParams{Query: "a", Source: strings.Join(aliases(51), ",")}, store.Invalid, "may name 50"},
		{"registry", query.FindParams{Query: "a", Source: "bun"}, store.NotFound, "not added"},
		{"unknown in a citation", query.FindParams{Snippets: []string{"nosuch:1-2"}}, store.NotFound, "nosuch"},
		{"past the end", query.FindParams{Snippets: []string{"docs/README.md:900"}}, store.Invalid, "11 lines"},
		{"no document", query.FindParams{Snippets: []string{"docs/none.md:1"}}, store.NotFound, "none.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := l.Find(t.Context(), c.p)
			(&library{T: t}).refuses(err, c.code, c.word)
		})
	}
}

// aliases returns names of sources.
func aliases(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint("s", i)
	}
	return list
}

func TestSearchesOfDocumentsWaitForTheirTurn(t *testing.T) {
	l := newLibrary(t)
	left := 0
	l.Searches = func(context.Context) (func(), error) { return func() { left++ }, nil }
	p := query.FindParams{Query: "install", Source: "docs", Snippets: []string{"docs/README.md:1"}}
	if _, err := l.Find(t.Context(), p); err != nil || left != 1 {
		t.Errorf("left %d times, %v", left, err)
	}
	l.Searches = func(context.Context) (func(), error) { return nil, store.Errorf(store.RateLimited, "too many") }
	if _, err := l.Find(t.Context(), p); store.CodeOf(err) != store.RateLimited {
		t.Errorf("with too many: %v", err)
	}
}

func TestSeveralSourcesAreSearchedTogether(t *testing.T) {
	l := newLibrary(t)
	l.add("site", false)
	found := l.find(query.FindParams{Query: "use", Source: "all"})
	if len(found.Hits) < 2 || found.Hits[0].Score < found.Hits[1].Score || found.Hits[0].Alias != "site" {
		t.Errorf("%+v", found.Hits)
	}
	found = l.find(query.FindParams{Query: "locked", Source: "site, docs,gone"})
	if len(found.Hits) == 0 || len(found.Skipped) != 1 || found.Skipped[0].Alias != "gone" {
		t.Errorf("%+v", found)
	}
}

// A citation of an earlier version returns the same lines after the text has changed.
func TestOldVersionsStayCitable(t *testing.T) {
	l := newLibrary(t)
	if a := l.add("site", false); !strings.HasPrefix(a.Message, "Added site (3 headings, 9 lines) in ") {
		t.Error(a.Message)
	}
	ref := l.find(query.FindParams{Query: "routes", Source: "site"}).Hits[0].Ref
	before := l.find(query.FindParams{Snippets: []string{ref}}).Snippets[0].Content
	_, err := l.SourceAdd(t.Context(), query.SourceAddParams{Alias: "site", URL: l.site})
	l.refuses(err, store.Conflict, "already")
	l.text = "# Site\n\nnew\n\n## Other\n"
	if a := l.add("site", true); !strings.HasPrefix(a.Message, "Updated site (2 headings") {
		t.Error(a.Message)
	}
	if a := l.add("site", true); !strings.HasPrefix(a.Message, "Unchanged site") {
		t.Error(a.Message)
	}
	if after := l.find(query.FindParams{Snippets: []string{ref}}).Snippets[0].Content; after != before {
		t.Errorf("%q, was %q", after, before)
	}
	d, err := l.DocsDiff(t.Context(), query.DocsDiffParams{Source: "site"})
	querytest.Check(t, err)
	if cmp.Diff([]string{"llms.txt: Other"}, d.Added) != "" || len(d.Removed) != 2 {
		t.Errorf("%+v", d)
	}
	removed, err := l.DocsRemove(t.Context(), query.DocsSourceParams{Source: "site"})
	querytest.Check(t, err)
	if removed.Versions != 2 {
		t.Errorf("%+v", removed)
	}
	_, err = l.Find(t.Context(), query.FindParams{Snippets: []string{ref}})
	l.refuses(err, store.NotFound, "site")
}

func TestWhatSourceAddRefuses(t *testing.T) {
	l := newLibrary(t)
	for _, c := range []struct {
		alias, url string
		code       store.Code
		word       string
	}{
		{"My Docs", l.site, store.Malformed, "alias"}, {"docs", l.site, store.Invalid, "reserved"},
		{"unheard-of", "", store.NotFound, "registry"}, {"x", "file:///etc/passwd", store.Malformed, "scheme"},
		{"x", "not a url", store.Malformed, "URL"}, {"x", l.site + "/page", store.Failed, "web page"},
	} {
		_, err := l.SourceAdd(t.Context(), query.SourceAddParams{Alias: c.alias, URL: c.url})
		l.refuses(err, c.code, c.word)
	}
	l.Docs.Fetcher = nil
	_, err := l.SourceAdd(t.Context(), query.SourceAddParams{Alias: "x", URL: l.site})
	l.refuses(err, store.Forbidden, "not fetched")
	list, err := l.Docs.Sources.Sources(t.Context(), store.Everything(), "")
	if err != nil || len(list) != 0 {
		t.Errorf("%v, %v were stored", list, err)
	}
}

func TestListSources(t *testing.T) {
	l := newLibrary(t)
	l.add("site", false)
	list, err := l.ListSources(t.Context(), query.ListSourcesParams{})
	querytest.Check(t, err)
	if s := list.Sources; s[0].Alias != "docs" || s[0].Version != "0123456789" || s[1].Alias != "site" ||
		s[1].Metadata.Lines != 9 ||
		s[2].Kind != "registry" || s[2].Command == "" {
		t.Errorf("%+v", s)
	}
	list, err = l.ListSources(t.Context(), query.ListSourcesParams{Filter: "REACT-Nothing"})
	if err != nil || list.Sources == nil || len(list.Sources) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestDocsCommands(t *testing.T) {
	l := newLibrary(t)
	l.add("site", false)
	l.Docs.Home = [][2]string{{l.site, "~"}}
	for command, want := range map[string]string{
		"stats": "Total sources: 2\nTotal documents: 3\n", "history": " - Added (",
		"list":     "site\tinstalled\t~/llms.txt\t9 lines",
		"validate": "site: valid\n", "inspect": `"totalLines": 9`, "schema": `"source-add"`,
	} {
		out, err := l.DocsCommand(t.Context(), query.DocsCommandParams{
			Command: command, Source: map[bool]string{true: "site"}[command == "history" || command == "inspect"]})
		if err != nil || out.Exit != 0 || !strings.Contains(out.Stdout, want) || strings.Contains(out.Stdout, l.site) {
			t.Errorf("%s: %+v, %v", command, out, err)
		}
	}
	_, err := l.DocsCommand(t.Context(), query.DocsCommandParams{Command: "remove"})
	l.refuses(err, store.Malformed, "remove")
	_, err = l.DocsCommand(t.Context(), query.DocsCommandParams{})
	l.refuses(err, store.Invalid, "needs a command")
}

func TestDependenciesAreProposed(t *testing.T) {
	l := newLibrary(t)
	d, err := l.DocsDiscover(t.Context(), query.DocsAt{})
	querytest.Check(t, err)
	if len(d.Dependencies) != 2 || d.Dependencies[0].Entry == nil || d.Dependencies[0].Entry.Alias != "hono" {
		t.Errorf("%+v", d)
	}
}

// A source of one repository cannot be found from another repository, by its name or with its version.
func TestRepositoriesDoNotSeeEachOthersSources(t *testing.T) {
	l := newLibrary(t)
	l.Docs.Local = false
	l.Scope = store.Repos("o/a")
	version := l.add("site", false).Version
	l.Scope = store.Repos("o/b")
	for _, p := range []query.FindParams{
		{Query: "use", Source: "site"}, {Snippets: []string{"site:1"}}, {Snippets: []string{"site@" + version + ":1"}},
	} {
		_, err := l.Find(t.Context(), p)
		l.refuses(err, store.NotFound, "there is no source site")
		p.Repo = "o/a"
		if _, err := l.Find(t.Context(), p); store.CodeOf(err) != store.NotFound || strings.Contains(err.Error(), "site") {
			t.Errorf("in the other repository: %v", err)
		}
	}
	l.Scope = store.Repos("o/a", "o/b")
	_, err := l.Find(t.Context(), query.FindParams{Query: "use", Source: "site"})
	l.refuses(err, store.Invalid, "which repository")
	if got := l.find(query.FindParams{Snippets: []string{"site:1"}, DocsAt: query.DocsAt{Repo: "o/a"}}); len(
		got.Snippets) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestLinksToGitHub(t *testing.T) {
	got := query.GitHubLink("", "o/a", "abc", "docs/a b.md", docs.Range{From: 3, To: 5})
	if got != "https://github.com/o/a/blob/abc/docs/a%20b.md?plain=1#L3-L5" {
		t.Error(got)
	}
}
