// Package ingesttest holds the contract tests of the ingest API, for any engine. The tests send HTTP requests, and
// compare each exchange with the OpenAPI document.
package ingesttest

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Open returns an empty store, its object storage and its directory. It closes them at the end of the test.
type Open func(t *testing.T) (store.Store, store.Blobs, store.Directory)

// Test runs the suite.
func Test(t *testing.T, open Open) {
	for _, group := range []struct {
		name  string
		tests map[string]func(f *fixture)
	}{
		{"start", startTests}, {"chunk", chunkTests}, {"events", eventTests}, {"live", liveTests}, {"finish", finishTests},
		{"hide", hideTests},
		{"caller", callerTests},
		{"limit", limitTests}, {"http", httpTests}, {"ask", askTests}, {"webhook", webhookTests}, {"quota", quotaTests},
		{"quota of jobs", jobQuotaTests},
		{"abuse", abuseTests}, {"facts", factsTests}, {"memory", memoryTests},
	} {
		for _, name := range slices.Sorted(maps.Keys(group.tests)) {
			t.Run(group.name+"/"+name, func(t *testing.T) { t.Parallel(); group.tests[name](newFixture(t, open)) })
		}
	}
}

// fixture is a service under test.
type fixture struct {
	*testing.T
	store     store.Store
	blobs     store.Blobs
	directory store.Directory
	tools     *mcp.Server
	config    ingest.Config
	*httptest.Server
	seen *observed
	log  *lines
	now  time.Time
	// forge is the repository that GitHub knows in the test. GitHub knows no other repository.
	forge payload.Repository
	n     int // number of attempts so far
}

var secret = []byte("It's a Secret to Everybody")

// now is the service's time.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newFixture(t *testing.T, open Open) *fixture {
	t.Helper()
	f := &fixture{T: t, seen: &observed{}, log: &lines{}, now: now}
	f.store, f.blobs, f.directory = open(t)
	ask := func(ctx context.Context) (*query.Asker, error) {
		return &query.Asker{Store: f.store, Blobs: f.blobs, Scope: auth.From(ctx).Read}, nil
	}
	var err error
	f.tools, err = mcp.New(mcp.Config{Hosted: true, Disabled: []string{"diff"}, Ask: ask})
	f.ok(err)
	f.config = ingest.Config{
		Store: f.store, Blobs: f.blobs, Directory: f.directory, Ask: ask, Tools: f.tools, WebhookSecrets: secrets(),
		Confirm: f.confirm, Gate: gate{}, Observer: f.seen,
		Log: slog.New(slog.NewJSONHandler(f.log, nil)), Now: func() time.Time { return f.now },
		RunURL: func(r store.Run) string { return "https://ci.example.com/" + r.Attempt },
	}
	f.serve()
	return f
}

// serve starts a service with the configuration that change makes.
func (f *fixture) serve(change ...func(*ingest.Config)) {
	f.Helper()
	for _, do := range change {
		do(&f.config)
	}
	if f.Server != nil {
		f.Server.Close()
	}
	f.Server = httptest.NewServer(ingest.New(f.config).Handler())
	f.Cleanup(f.Server.Close)
}

// callers are the callers of the tests, by token.
var callers = map[string]auth.Principal{
	"a": {Kind: auth.KindToken, ID: "token:a", Scopes: all, Read: store.Repos("o/a"), Write: store.Repos("o/a")},
	"b": {Kind: auth.KindToken, ID: "token:b", Scopes: all, Read: store.Repos("o/b"), Write: store.Repos("o/b")},
	"both": {Kind: auth.KindToken, ID: "token:both", Scopes: all, Read: store.Repos("o/a", "o/b"),
		Write: store.Repos("o/a", "o/b")},
	"reader": {Kind: auth.KindToken, ID: "token:reader", Scopes: []store.TokenScope{store.ScopeRead},
		Read: store.Repos("o/a")},
	"ingester": {Kind: auth.KindToken, ID: "token:ingester", Scopes: []store.TokenScope{store.ScopeIngest},
		Write: store.Repos("o/a")},
	"owner": {Kind: auth.KindToken, ID: "token:owner", Scopes: all, Read: store.Repos("o/a"),
		WriteOwners: []string{"o"}},
	"operator": auth.Operator(),
	"job":      job("77"),
	"otherjob": job("78"),
	"topicjob": jobOf("push", "refs/heads/topic", commitHash(0xcafe)),
	"mainjob":  jobOf("push", "refs/heads/main", commitHash(2)),
	"tagjob":   jobOf("push", "refs/tags/v2", commitHash(2)),
	"forkjob":  jobOf("workflow_run", "refs/heads/main", commitHash(1)),
}

var all = []store.TokenScope{store.ScopeIngest, store.ScopeRead, store.ScopeQuery}

func job(run string) auth.Principal {
	return auth.Principal{
		Kind: auth.KindJob, ID: "job:o/a", Scopes: []store.TokenScope{store.ScopeIngest}, Write: store.Repos("o/a"),
		Repo: "o/a",
		Facts: &auth.Facts{Host: "github.com", Repo: "o/a", RepoID: 1, RunID: run, RunAttempt: 2, CheckRunID: "9" + run,
			Workflow: "CI", EventName: "push", Actor: "alice", Ref: "refs/heads/topic", SHA: "cafe01"},
	}
}

// gate identifies callers by their tokens.
type gate struct{}

func (gate) Authorize(_ http.Header, r *http.Request, action auth.Action) (auth.Principal, error) {
	p := callers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	return p, auth.Allow(p, action)
}

func (gate) Exchange(http.ResponseWriter, *http.Request) error {
	return store.Errorf(store.NotFound, "this server gives no tokens")
}

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// lines is a log that tests can read while the service writes it.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// observed counts the calls of the observer.
type observed struct {
	mu       sync.Mutex
	requests map[string]int
	received map[ingest.Kind]int
	limits   []string
	lags     []string
}

func (o *observed) Request(route, method string, status int, _ time.Duration, _, _ int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.requests == nil {
		o.requests = map[string]int{}
	}
	o.requests[method+" "+route+" "+http.StatusText(status)]++
}

func (o *observed) Received(kind ingest.Kind, n int, _ int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.received == nil {
		o.received = map[ingest.Kind]int{}
	}
	o.received[kind] += n
}

func (o *observed) Limited(limit string, code store.Code) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.limits = append(o.limits, limit+" "+string(code))
}

func (o *observed) Lag(kind ingest.Kind, d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lags = append(o.lags, fmt.Sprint(kind, " ", d))
}

func (o *observed) Uploads(int) {}
