package ingesttest

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/store"
)

// withQuotas starts a service with quotas.
func (f *fixture) withQuotas(q store.Quotas) {
	f.serve(func(c *ingest.Config) { c.Quotas, c.Store = q, endlessDay{f.store} })
}

// endlessDay is a store with a quota day that began before all runs and does not end at midnight.
type endlessDay struct{ store.Store }

func (s endlessDay) Usage(ctx context.Context, repo string) (of, owner store.Usage, err error) {
	of, owner, err = s.Store.Usage(ctx, repo)
	for _, u := range []*store.Usage{&of, &owner} {
		u.DayRuns, u.DayEvents = u.Runs, u.Events
	}
	return of, owner, err
}

// startOf starts a run of a repository.
func (f *fixture) startOf(as, repo string) answer {
	f.Helper()
	in := f.newStart()
	in.Repo = repo
	return f.post(as, "/v1/runs", in)
}

// nextDay checks that an answer tells the client to wait until the next day.
func (f *fixture) nextDay(a answer) {
	f.Helper()
	if n, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || n < 1 || n > 24*60*60 {
		f.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
}

var quotaTests = map[string]func(f *fixture){
	"the runs of a repository on a day": func(f *fixture) {
		f.withQuotas(store.Quotas{Repo: store.Quota{Runs: 2}})
		first := f.newStart()
		f.is(f.post("a", "/v1/runs", first), 201)
		f.is(f.startOf("a", "o/a"), 201)
		f.nextDay(f.is(f.startOf("a", "o/a"), 429, `"code":"rate_limited"`, "repository o/a has started the 2 runs"))
		f.is(f.post("a", "/v1/runs", first), 200) // the same request again
		f.is(f.startOf("b", "o/b"), 201)
		f.equal(f.seen.limits, []string{"quota_runs rate_limited"})
	},
	"the runs of an owner on a day, however its repositories are written": func(f *fixture) {
		f.withQuotas(store.Quotas{Owner: store.Quota{Runs: 3}})
		for _, repo := range []string{"o/a", "O/b", "o/c"} {
			f.is(f.startOf("operator", repo), 201)
		}
		for _, repo := range []string{"o/d", "O/e"} {
			f.is(f.startOf("operator", repo), 429, "owner o has started the 3 runs")
		}
		f.is(f.startOf("operator", "p/a"), 201)
	},
	"the events on a day": func(f *fixture) {
		f.withQuotas(store.Quotas{Repo: store.Quota{Events: 3}})
		id := f.start()
		f.is(f.putEvents(id, 0, event(1, "a")+event(2, "b")), 204)
		f.nextDay(f.is(f.putEvents(id, 1, event(3, "c")+event(4, "d")), 429, "may add 3 events on a day, and has added 2"))
		f.is(f.putEvents(id, 1, event(3, "c")), 204)
		f.is(f.putEvents(id, 2, event(4, "d")), 429)
		f.is(f.putChunk(id, piece{text: "one\n"}), 204) // the service still accepts logs
		f.is(f.finish(id, 0, 1, 2, 1), 200)
		f.equal(f.messages(id), "1 a, 2 b, 3 c")
		f.equal(f.seen.limits, []string{"quota_events rate_limited", "quota_events rate_limited"})
	},
	"live events count each time that they are set": func(f *fixture) {
		f.serve(func(c *ingest.Config) { c.Quotas.Repo.Events = 5 })
		id := f.start()
		a, calls := answer{status: 204}, 0
		for ; a.status == 204 && calls < 10; calls++ {
			a = f.putLive(id, 1, event(1, "a")+event(2, "b"))
		}
		f.is(a, 429, "may add 5 events on a day")
		if calls < 3 { // there are more calls if a new day has begun
			f.Errorf("only %d calls were taken", calls-1)
		}
	},
	"storage, before it is taken": func(f *fixture) {
		id := f.start()
		f.is(f.putChunk(id, piece{text: "one\n"}), 204)
		used, _, err := f.store.Usage(f.Context(), "o/a")
		f.ok(err)
		before := f.objects()
		f.withQuotas(store.Quotas{Repo: store.Quota{Bytes: used.Bytes + 300}})
		for _, a := range []answer{
			f.putChunk(id, piece{seq: 1, text: random(1000), line: 2, offset: 4}),
			f.putEvents(id, 0, event(1, strings.Repeat("x", 1000))),
			f.putLive(id, 1, event(1, strings.Repeat("x", 1000))),
			f.startOf("a", "o/a"),
		} {
			f.is(a, 507, `"code":"insufficient_storage"`, "repository o/a may store", "operator")
		}
		f.equal(f.objects(), before)
		now, _, err := f.store.Usage(f.Context(), "o/a")
		f.ok(err)
		f.equal(now.Bytes, used.Bytes)
		f.is(f.putEvents(id, 0, event(1, "m")), 204) // this repository has room
		f.is(f.startOf("b", "o/b"), 201)
		f.is(f.finish(id, 0, 1, 1, 1), 200) // a run can always end
		f.is(f.putEvents(id, 0, event(1, "m")), 204)
		f.equal(len(f.seen.limits), 4)
	},
	"a quota of its own": func(f *fixture) {
		f.withQuotas(store.Quotas{Repo: store.Quota{Runs: 1}, Owner: store.Quota{Runs: 1},
			Own: map[string]store.Quota{"o": {}, "o/b": {Runs: 2}}})
		for _, c := range []struct {
			repo string
			want []int
		}{{"o/a", []int{201, 429}}, {"o/b", []int{201, 201, 429}}, {"p/a", []int{201, 429}}, {"p/b", []int{429}}} {
			for _, status := range c.want {
				f.is(f.startOf("operator", c.repo), status)
			}
		}
	},
	"the number of an owner's repositories": func(f *fixture) {
		f.withQuotas(store.Quotas{Owner: store.Quota{Repos: 2}})
		for _, repo := range []string{"o/a", "o/b", "o/a", "p/a"} {
			f.is(f.startOf("operator", repo), 201)
		}
		f.is(f.startOf("owner", "o/c"), 507, `"code":"insufficient_storage"`, "owner o has runs of 2 repositories")
		f.equal(f.seen.limits, []string{"quota_repos insufficient_storage"})
	},
	"many requests at once": func(f *fixture) {
		const room, calls = 5, 40
		f.withQuotas(store.Quotas{Owner: store.Quota{Runs: room}})
		bodies := make([]any, calls)
		for i := range bodies {
			bodies[i] = f.newStart()
		}
		var started atomic.Int64
		var wg sync.WaitGroup
		for _, body := range bodies {
			wg.Go(func() {
				for {
					a := f.post("a", "/v1/runs", body)
					switch {
					case a.status == 201:
						started.Add(1)
						return
					case a.status != 429:
						f.Errorf("a request was answered with %d", a.status)
						return
					case a.header.Get("Retry-After") != "1": // the quota is used up, and not only by open requests
						return
					}
				}
			})
		}
		wg.Wait()
		if n := started.Load(); n != room {
			f.Errorf("%d runs were started, %d may be", n, room)
		}
	},
}
