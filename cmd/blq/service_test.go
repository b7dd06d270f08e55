package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/ingest"
	arch "github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// service is the real service with its own store, for callers with a token.
type service struct {
	*httptest.Server
	store    store.Store
	blobs    store.Blobs
	requests atomic.Int64
	page     string // prefix of the URLs of runs, "" for none
}

const testToken = "blq_test_token"

// newService starts a service. front may answer a request before the service does, and reports whether it did.
func newService(t testing.TB, front func(w http.ResponseWriter, r *http.Request) bool) *service {
	t.Helper()
	return newServiceOf(t, sqlitetest.Open(t), nil, front)
}

// newPostgresService is newService with PostgreSQL.
func newPostgresService(t testing.TB) *service {
	t.Helper()
	st, err := postgres.Open(context.Background(), pgtest.New(t), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return newServiceOf(t, st, nil, nil)
}

// newServiceOf is newService with the given store and table of questions. If the table is nil, the service answers the
// questions of blq.
func newServiceOf(t testing.TB, st store.Store, table questions.Table,
	front func(w http.ResponseWriter, r *http.Request) bool, set ...func(*ingest.Config)) *service {
	t.Helper()
	blobs, err := blob.OpenFile(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	graphs := arch.InMemory{Cache: arch.New(1<<20, nil)}
	ask := func(ctx context.Context) (*query.Asker, error) {
		realm := realms.Stored{Scope: auth.From(ctx).Read, Told: st,
			Facts: facts.Stored{Store: st, Blobs: blobs, Scope: store.Everything()}}
		return &query.Asker{Store: st, Blobs: blobs, Scope: auth.From(ctx).Read, Graphs: graphs, Docs: &query.Docs{
			Facts:   facts.Stored{Store: st, Blobs: blobs, Scope: auth.From(ctx).Read},
			Sources: st, Attestations: st, By: "ann", Blobs: blobs, Fetcher: &source.Fetcher{Policy: source.Local()},
			Link: func(repo, commit, path string, r docs.Range) string {
				return query.GitHubLink("", repo, commit, path, r)
			},
		}, Realms: realm, Work: realms.Work{Stored: realm, Kept: st, Host: "git.example.com"}}, nil
	}
	tools, err := mcp.New(mcp.Config{Hosted: true, Ask: ask, Questions: table,
		Also: []string{"docs", "graph", questions.Realm}})
	if err != nil {
		t.Fatal(err)
	}
	s := &service{store: st, blobs: blobs}
	config := ingest.Config{Store: st, Blobs: blobs, Ask: ask, Tools: tools, Questions: table, Gate: oneToken{},
		RunURL: s.runURL}
	for _, f := range set {
		f(&config)
	}
	handler := ingest.New(config).Handler()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if front == nil || !front(w, r) {
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() { s.Close(); st.Close() })
	return s
}

func (s *service) runURL(r store.Run) string {
	if s.page == "" {
		return ""
	}
	return s.page + r.Ref().String()
}

// oneToken accepts only one token.
type oneToken struct{}

func (oneToken) Authorize(_ http.Header, r *http.Request, action auth.Action) (auth.Principal, error) {
	var p auth.Principal
	if r.Header.Get("Authorization") == "Bearer "+testToken {
		all := []store.TokenScope{store.ScopeIngest, store.ScopeRead, store.ScopeQuery, store.ScopeDocsWrite}
		p = auth.Principal{Kind: auth.KindToken, ID: "test", Scopes: all, Read: store.Everything(), Write: store.Everything()}
	}
	return p, auth.Allow(p, action)
}

func (oneToken) Exchange(http.ResponseWriter, *http.Request) error {
	return store.Errorf(store.NotFound, "this server gives no tokens")
}
