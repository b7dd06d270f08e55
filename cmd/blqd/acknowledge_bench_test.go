//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/pgtest"
)

// BenchmarkDeliveries measures how many deliveries of GitHub are acknowledged per second, compared with a handler that
// does nothing. A delivery is stored before it is acknowledged. The benchmark has no workers, so no job of the queue
// runs.
func BenchmarkDeliveries(b *testing.B) {
	g := githubtest.New(b)
	g.Repo(acmeShop, 1296269)
	app := g.AddApp("blq")
	installed := g.Install(app.ID, "acme", []string{acmeShop})
	g.SetRun(acmeShop, githubtest.Run{ID: 5, Jobs: []githubtest.Job{{ID: 10, Name: "build"}}})
	for name, url := range map[string]func() string{
		"bare": func() string {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }))
			b.Cleanup(s.Close)
			return s.URL
		},
		"sqlite":   func() string { return acknowledging(b, "", app.Secret) },
		"postgres": func() string { return acknowledging(b, pgtest.Copy(b, migrated), app.Secret) },
	} {
		b.Run(name, func(b *testing.B) {
			at := url() + "/webhooks/github"
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
			b.Cleanup(client.CloseIdleConnections)
			var n atomic.Int64
			b.SetParallelism(16)
			b.ResetTimer()
			b.RunParallel(func(loop *testing.PB) {
				for loop.Next() {
					d := g.JobEnded(fmt.Sprint(name, b.N, n.Add(1)), installed, acmeShop, 10)
					r, err := http.NewRequest(http.MethodPost, at, bytes.NewReader(d.Body))
					if err != nil {
						b.Error(err)
						return
					}
					r.Header = d.Header(app.Secret)
					resp, err := client.Do(r)
					if err != nil {
						b.Error(err)
						return
					}
					if resp.Body.Close(); resp.StatusCode != 204 {
						b.Errorf("status %d", resp.StatusCode)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "acks/s")
		})
	}
}

// acknowledging serves webhooks with SQLite, or with the database at a URL, and returns the address.
func acknowledging(b *testing.B, database, secret string) string {
	b.Helper()
	c := defaults()
	c.Data, c.Database, c.Auth, c.GitHubAPI, c.Webhook = b.TempDir(), database, authRequired, "", secret
	c.Limits.Requests, c.Limits.RequestsBurst = 1_000_000, 1_000_000
	a := &app{stdout: io.Discard, stderr: io.Discard, config: c}
	p, err := a.open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	s, err := newService(&a.config, p, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(s.handler())
	b.Cleanup(server.Close)
	return server.URL
}
