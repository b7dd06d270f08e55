package deliveries_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

// limit makes the service count fetched runs for quotas, as it counts uploaded runs.
func (p *place) limit(q store.Quota) {
	p.Helper()
	s := ingest.New(ingest.Config{Store: p.store, Blobs: p.blobs, Quotas: store.Quotas{Repo: q}})
	p.work.Claim = func(ctx context.Context, repo string, c store.Claim) (func(), error) { return s.Claim(ctx, repo, c) }
}

func TestFetchedRunsCountForQuotas(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		quota store.Quota
		runs  []string
		lost  string // of the run
		open  string // why the job waits
	}{
		"runs":   {store.Quota{Runs: 1}, []string{"acme/shop@Build-check:1 FAIL 5"}, "", "has started the 1 runs"},
		"bytes":  {store.Quota{Bytes: 100}, nil, "", "may store 100 bytes"},
		"events": {store.Quota{Events: 3}, []string{"acme/shop@Build-check:1 FAIL 0"}, "5 events or results of tests beyond", ""},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(p *place) {
				p.limit(tt.quota)
				p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head,
					Jobs: []githubtest.Job{withErrors(10, 5)}})
				p.jobEnded(10)
				if tt.quota.Runs > 0 {
					p.github.SetRun(shop, githubtest.Run{ID: 6, HeadSHA: head, Jobs: []githubtest.Job{withErrors(11, 5)}})
					p.jobEnded(11)
				}
				p.same(p.runs(), tt.runs)
				p.same(p.dead(), []string(nil))
				waiting, err := p.store.Works(p.Context(), store.WorkFilter{State: store.WorkOpen})
				check(p.TB, err)
				if tt.open == "" {
					run, err := p.store.Run(p.Context(), store.Repos(shop), store.Ref{Repo: shop, Serial: 1})
					check(p.TB, err)
					p.contains(run.Lost, tt.lost)
					p.same(len(waiting), 0)
					return
				}
				if len(waiting) != 1 || !strings.Contains(waiting[0].Error, tt.open) || waiting[0].Kind != "log" {
					p.Fatalf("%+v", waiting)
				}
				for range 40 { // the job is not retried forever
					p.now = p.now.Add(26 * time.Hour)
					p.queue.Run(p.Context())
				}
				if dead := p.dead(); len(dead) != 1 || !strings.Contains(dead[0], tt.open) {
					p.Errorf("%q", dead)
				}
			})
		})
	}
}

// Jobs that callers and sweeps queue need room, too.
func TestWithoutRoomNoJobIsQueued(t *testing.T) {
	onEach(t, func(p *place) {
		p.limit(store.Quota{Bytes: 100})
		before, err := p.store.Works(p.Context(), store.WorkFilter{})
		check(p.TB, err)
		p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{failed(10, "build")}})
		check(p.TB, p.work.Sweep(p.Context(), p.queue))
		if _, err := p.post("ann", "It fails."); store.CodeOf(err) != store.Full {
			p.Error(err)
		}
		notes, err := p.store.Notes(p.Context(), store.Repos(shop), shop, 7)
		check(p.TB, err)
		after, err := p.store.Works(p.Context(), store.WorkFilter{})
		check(p.TB, err)
		if len(notes) > 0 || len(after) != len(before) {
			p.Errorf("%d notes, %d jobs, earlier %d", len(notes), len(after), len(before))
		}
	})
}
