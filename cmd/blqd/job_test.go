//go:build unix

package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/auth/authtest"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

// jobService starts a service for jobs of acme/shop. The tokens of the service have the given lifetime. The returned
// counter is the number of requests for a token.
func jobService(t *testing.T, issuer *authtest.Issuer, lasts time.Duration) (*world, *atomic.Int64) {
	t.Helper()
	c := defaults()
	c.Data, c.Auth, c.GitHubAPI, c.Issuers, c.Audience = t.TempDir(), authRequired, "", []string{issuer.URL},
		issuer.Audience
	a := &app{stdout: io.Discard, stderr: io.Discard, config: c}
	p, err := a.open(t.Context())
	check(t, err)
	t.Cleanup(func() { p.Close() })
	at, err := url.Parse(issuer.URL)
	check(t, err)
	_, err = p.store.EnrolRepo(
		t.Context(), store.EnrolledRepo{Host: at.Host, ID: 7, Name: "acme/shop", EnrolledAt: time.Now()})
	check(t, err)
	s, err := newService(&a.config, p, slog.New(slog.DiscardHandler))
	check(t, err)
	s.auth.UploadFor = lasts
	given, handler := new(atomic.Int64), s.handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/token" {
			given.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return &world{t, server.URL, p}, given
}

// ofJob returns a client with the identity of the job in an environment.
func ofJob(t *testing.T, url string, issuer *authtest.Issuer, env []string) *client.Client {
	t.Helper()
	job := client.Job{Audience: issuer.Audience}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "ACTIONS_ID_TOKEN_REQUEST_URL":
			job.URL = value
		case "ACTIONS_ID_TOKEN_REQUEST_TOKEN":
			job.Token = value
		}
	}
	c := client.Config{URL: url}
	var err error
	c.Token, err = client.JobToken(c, job)
	check(t, err)
	sender, err := client.New(c)
	check(t, err)
	return sender
}

func TestAJobSendsItsRunWithItsOwnTokens(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lasts time.Duration
		often bool
	}{"one is enough": {time.Hour, false}, "a long job gets others as they expire": {30 * time.Second, true}} {
		t.Run(name, func(t *testing.T) {
			issuer := authtest.NewIssuer(t, "https://blq.example.com")
			far, given := jobService(t, issuer, tt.lasts)
			c := ofJob(t, far.url, issuer, issuer.Env(authtest.Job("acme/shop", 7)))
			w := newFolder(t)
			if given.Load() != 0 {
				t.Error("a token was asked for before there was anything to send")
			}
			sent := follow(t, w, c, "acme/other", `echo "a.c:1:1: error: one"; for i in $(seq 600); do [ -e go ] && break; sleep 0.1; done; echo "b.c:2:1: error: two"; exit 2`)
			run := func() store.Run {
				runs, err := far.places.store.Runs(t.Context(), store.Everything(), store.RunFilter{})
				check(t, err)
				if len(runs) == 0 {
					return store.Run{}
				}
				return runs[0]
			}
			until(t, "the first error there", func() bool { return run().Errors == 1 })
			check(t, os.WriteFile(filepath.Join(w.Root(), "go"), nil, 0o644))
			<-sent
			got := run()
			if got.Repo != "acme/shop" || got.State != store.StateCompleted || got.Errors != 2 ||
				got.Git.Commit != strings.Repeat("1", 40) {
				t.Errorf("the run there: %+v", got)
			}
			if n := given.Load(); tt.often != (n > 1) || n == 0 {
				t.Errorf("%d tokens were given", n)
			}
		})
	}
}

func TestAJobOfAnotherRepositorySendsNothing(t *testing.T) {
	t.Parallel()
	issuer := authtest.NewIssuer(t, "https://blq.example.com")
	far, _ := jobService(t, issuer, time.Hour)
	w := newFolder(t)
	// The name of an enrolled repository, with the ID of another one.
	c := ofJob(t, far.url, issuer, issuer.Env(authtest.Job("acme/shop", 8)))
	r, err := w.Store.StartRun(t.Context(), store.Run{Attempt: anAttempt, Source: "build", StartedAt: time.Now()})
	check(t, err)
	p := client.Pusher{Client: c, Source: w.Store, Blobs: w.Blobs}
	if _, err := p.Push(t.Context(), r.Attempt); store.CodeOf(err) != store.Forbidden ||
		!strings.Contains(cmdline.Of(store.NextOf(err)), "blqd repo enrol") {
		t.Errorf("%v (%s)", err, cmdline.Of(store.NextOf(err)))
	}
	runs, err := far.places.store.Runs(t.Context(), store.Everything(), store.RunFilter{})
	if err != nil || len(runs) != 0 {
		t.Errorf("%d runs there, %v", len(runs), err)
	}
}
