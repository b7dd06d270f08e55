package main

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/docindex"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// maxIndexes is the max number of bytes of indexes of documentation that stay in memory, of all repositories.
const maxIndexes = 128 << 20

// everyHost stands for all public hosts in the setting docs-hosts.
const everyHost = "*"

// maxDocs is the max number of bytes of the documents of a repository that are searched together. Indexing takes three
// times as much memory, and up to five times for texts of rare words.
const maxDocs = 64 << 20

// maxManifests is the max number of bytes of manifests whose sets stay in memory, of all repositories.
const maxManifests = 8 << 20

// indexing is the gate of the indexes: documents of one repository are indexed at a time, and tenants take turns.
// TooLarge: there are more than maxDocs bytes of them.
func (s *service) indexing(ctx context.Context, text int64) (end func(), err error) {
	if text > maxDocs {
		return nil, store.Hint(store.Errorf(store.TooLarge,
			"the documents have %d bytes together, and at most %d are searched here", text, maxDocs), facts.Excluding)
	}
	return s.index.Enter(ctx, httpserver.Tenant(ctx))
}

// indexes keeps indexes of documentation in memory.
type indexes struct{ *docindex.Cache }

// Index implements query.Indexes.
func (x indexes) Index(ctx context.Context, repo string, set facts.Set) (*docs.Index, error) {
	return x.Cache.Index(ctx, "", repo, set)
}

// Kept returns an index that need not be built, nil for none.
func (x indexes) Kept(ctx context.Context, repo string, set facts.Set) *docs.Index {
	return x.Cache.Kept(ctx, "", repo, set)
}

// documentation returns the documentation that the caller may read.
func (s *service) documentation(ctx context.Context) *query.Docs {
	caller := auth.From(ctx)
	return &query.Docs{
		Facts: facts.Stored{Store: s.places.store, Blobs: s.places.blobs, Scope: caller.Read,
			DefaultBranch: branches{s.places.store}.DefaultBranch, Sets: s.facts, Turn: s.turn},
		Attestations: s.places.store, By: caller.ID,
		Sources: s.places.store, Blobs: s.places.blobs, Indexes: s.indexes, Fetcher: s.fetcher(), Room: s.ingest.Room,
		Logs: func(ctx context.Context) error { return auth.Allow(auth.From(ctx), auth.Scope(store.ScopeRead)) },
		Link: func(repo, commit, path string, r docs.Range) string {
			return query.GitHubLink("https://"+github.HostOf(s.config.GitHubAPI), repo, commit, path, r)
		},
	}
}

// fetcher returns the fetcher of documentation from outside, nil if the operator does not allow that.
func (s *service) fetcher() *source.Fetcher {
	hosts := s.config.DocsHosts
	if len(hosts) == 0 {
		return nil
	}
	if slices.Contains(hosts, everyHost) {
		hosts = nil
	}
	return &source.Fetcher{Policy: source.Hosted(hosts...), Agent: "blqd/" + version}
}

// toolsetPath serves one set of tools below /mcp, as the handler of that set serves it at /mcp.
func toolsetPath(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := *r
		at.URL = &url.URL{Path: "/mcp", RawQuery: r.URL.RawQuery}
		h.ServeHTTP(w, &at)
	})
}
