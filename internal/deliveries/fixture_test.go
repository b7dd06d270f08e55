package deliveries_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/githubapp"
	"github.com/blq-ci/blq/internal/hook"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

const (
	shop   = "acme/shop"
	shopID = 1296269
)

var head = strings.Repeat("a", 40)

// db is an engine with the interfaces that the service uses.
type db interface {
	store.Store
	store.Directory
	store.Queue
	store.Notes
	store.Remover
}

// place is a service with a GitHub App that is installed on a repository.
type place struct {
	testing.TB
	github    *githubtest.GitHub
	app       githubtest.App
	installed int64
	store     db
	blobs     store.Blobs
	now       time.Time
	work      *deliveries.Deliveries
	queue     *queue.Queue
	sent      int
	take      func(payload.Delivery) error
	checks    deliveries.Checks
	maxEvents int
	maxLog    int64
	turn      func(context.Context) (leave func(), err error)
	notify    deliveries.Notify
}

// onEach runs a test on each engine.
func onEach(t *testing.T, test func(p *place)) {
	t.Helper()
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) db{
		"sqlite":   func(t *testing.T) db { return sqlitetest.Open(t) },
		"postgres": func(t *testing.T) db { return openPostgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newPlace(t, open(t)))
		})
	}
}

func openPostgres(t *testing.T) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), pgtest.Copy(t, func(ctx context.Context, url string) error {
		s, err := postgres.Open(ctx, url, postgres.Options{})
		if err != nil {
			return err
		}
		defer s.Close()
		return s.Migrate(ctx)
	}), postgres.Options{Connections: 5})
	check(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func newPlace(t testing.TB, s db) *place {
	t.Helper()
	blobs, err := blob.OpenFile(filepath.Join(t.TempDir(), "objects"))
	check(t, err)
	p := &place{TB: t, github: githubtest.New(t), store: s, blobs: blobs, now: githubtest.At.Add(time.Hour)}
	p.github.Repo(shop, shopID)
	p.app = p.github.AddApp("blq")
	p.installed = p.github.Install(p.app.ID, "acme", []string{shop}, "actions: read", "checks: write",
		"pull-requests: write")
	p.restart()
	p.enrol(shop, shopID)
	return p
}

// restart creates the service again, with the same store and the current settings of the place.
func (p *place) restart() {
	p.Helper()
	clock := func() time.Time { return p.now }
	app, err := githubapp.New(githubapp.Config{ID: p.app.ID, Key: p.app.Key,
		Client: github.Config{API: p.github.URL, Patience: -1}})
	check(p.TB, err)
	p.work = deliveries.New(deliveries.Config{Store: p.store, Blobs: p.blobs, Directory: p.store, Notes: p.store,
		Remover: p.store, App: app, Now: clock,
		Line: cmdline.Words, Checks: p.checks, Notify: p.notify, MaxEvents: p.maxEvents, MaxLog: p.maxLog, Turn: p.turn,
		Ask: func(repo string) *query.Asker {
			return &query.Asker{Store: p.store, Blobs: p.blobs, Scope: store.Repos(repo),
				Page: func(ref store.Ref, _ string) string { return "https://blq.example.com/ui/" + ref.String() }}
		},
		Take: func(_ context.Context, d payload.Delivery) error {
			if p.take != nil {
				return p.take(d)
			}
			return nil
		}})
	p.queue = queue.New(queue.Config{Queue: p.store, Handlers: p.work.Handlers(), Now: clock, UntilIdle: true})
}

func (p *place) enrol(name string, id int64) {
	p.Helper()
	_, err := p.store.EnrolRepo(p.Context(), store.EnrolledRepo{Host: p.host(), ID: id, Name: name, DefaultBranch: "main",
		EnrolledAt: p.now})
	check(p.TB, err)
}

// sender returns a sender for an address on this machine.
func (p *place) sender(address, secret string) *hook.Sender {
	p.Helper()
	s, err := hook.New(hook.Config{Address: address, Secret: secret, Private: true})
	check(p.TB, err)
	return s
}

// host is the host of the fake GitHub's repositories.
func (p *place) host() string { return github.HostOf(p.github.URL) }

// deliver queues a delivery, as the webhook does.
func (p *place) deliver(d githubtest.Delivery) {
	p.Helper()
	var e payload.Event
	check(p.TB, json.Unmarshal(d.Body, &e))
	w, err := deliveries.Queued(payload.Delivery{ID: d.ID, Event: d.Event, Host: p.host(), Payload: e})
	check(p.TB, err)
	_, err = p.queue.Put(p.Context(), w)
	check(p.TB, err)
}

// drain runs the queue eight times. After each time, the clock advances by 30 seconds.
func (p *place) drain() {
	p.Helper()
	for range 8 {
		p.queue.Run(p.Context())
		p.now = p.now.Add(30 * time.Second)
	}
}

// jobEnded delivers the end of a CI job, and processes the queue.
func (p *place) jobEnded(job int64) {
	p.Helper()
	p.sent++
	p.deliver(p.github.JobEnded(fmt.Sprintf("job-%d-%d", job, p.sent), p.installed, shop, job))
	p.drain()
}

// runs returns the ref, the status and the number of errors of each run, oldest first.
func (p *place) runs() []string {
	p.Helper()
	list, err := p.store.Runs(p.Context(), store.Everything(), store.RunFilter{})
	check(p.TB, err)
	var names []string
	for _, r := range slices.Backward(list) {
		names = append(names, fmt.Sprintf("%s %s %d", r.Ref(), r.Status(), r.Errors))
	}
	return names
}

// dead returns the kind and the error of each dead job of the queue.
func (p *place) dead() []string {
	p.Helper()
	list, err := p.store.Works(p.Context(), store.WorkFilter{State: store.WorkDead})
	check(p.TB, err)
	var errors []string
	for _, w := range list {
		errors = append(errors, w.Kind+": "+w.Error)
	}
	return errors
}

func (p *place) same(got, want any) {
	p.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.Error(diff)
	}
}

func (p *place) contains(text string, parts ...string) {
	p.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			p.Errorf("%s\nhas no %q", text, part)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// aLog returns the log of a job. Each argument is a line, after the second at which the line was printed: "3 text".
func aLog(lines ...string) string {
	var b strings.Builder
	b.WriteString("\ufeff")
	for i, l := range lines {
		second, text, _ := strings.Cut(l, " ")
		var s int
		fmt.Sscan(second, &s)
		at := githubtest.At.Add(time.Duration(s)*time.Second + time.Duration(i)*time.Microsecond)
		b.WriteString(at.Format("2006-01-02T15:04:05.0000000Z ") + text + "\n")
	}
	return b.String()
}
