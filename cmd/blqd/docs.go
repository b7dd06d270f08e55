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

// maxIndexes is the max number of bytes of documentation indexes in memory, for all repositories together.
const maxIndexes = 128 << 20

// everyHost is the value of docs-hosts that allows all public hosts.
const everyHost = "*"

// maxDocs is the max size in bytes of a repository's documents that one index holds. While an index is built, it takes
// about three bytes of memory for each byte of the documents. For texts with many rare words, it takes up to five
// bytes.
const maxDocs = 64 << 20

// maxManifests is the max number of bytes of the manifests whose sets of files are cached, for all repositories
// together.
const maxManifests = 8 << 20

// indexing waits until an index may be built. Only one index or graph is built at a time, and tenants take turns. text
// is the size of the documents in bytes. The error is TooLarge if text is more than maxDocs.
func (s *service) indexing(ctx context.Context, text int64) (end func(), err error) {
	if text > maxDocs {
		return nil, store.Hint(store.Errorf(store.TooLarge,
			"the documents have %d bytes together, and at most %d are searched here", text, maxDocs), facts.Excluding)
	}
	return s.index.Enter(ctx, httpserver.Tenant(ctx))
}

// indexes caches documentation indexes in memory.
type indexes struct{ *docindex.Cache }

// Index implements query.Indexes.
func (x indexes) Index(ctx context.Context, repo string, set facts.Set) (*docs.Index, error) {
	return x.Cache.Index(ctx, "", repo, set)
}

// Kept returns an index from memory, or nil if the index is not in memory.
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

// fetcher returns the fetcher of external documentation. It returns nil if the operator does not allow fetching.
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

// toolsetPath returns a handler for the path of a toolset below /mcp. It passes requests to h, which expects the path
// /mcp.
func toolsetPath(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := *r
		at.URL = &url.URL{Path: "/mcp", RawQuery: r.URL.RawQuery}
		h.ServeHTTP(w, &at)
	})
}
