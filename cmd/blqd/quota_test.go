package main

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/store"
)

// quotaCases reach each quota. A run has been started before.
var quotaCases = map[string]struct {
	set func(*quotas)
	hit func(b bounded) (int, string)
}{
	"quota_runs": {func(q *quotas) { q.RepoRuns = 1 },
		func(b bounded) (int, string) {
			status, text := 201, ""
			for n := 0; status == 201; n++ { // a new day may begin
				status, text = b.start(fmt.Sprintf("018d0c00-0000-7000-8000-%012d", 10+n), "acme/shop", "build")
			}
			return status, text
		}},
	"quota_events": {func(q *quotas) { q.OwnerEvents = 1 }, func(b bounded) (int, string) {
		return b.events(0, `{"event_id":1,"severity":"error","message":"a"}
{"event_id":2,"severity":"error","message":"b"}
`)
	}},
	"quota_repos": {func(q *quotas) { q.OwnerRepos = 1 },
		func(b bounded) (int, string) { return b.start(another, "acme/web", "build") }},
	"quota_storage": {func(q *quotas) { q.Own = "acme mb=1" }, func(b bounded) (int, string) {
		status, text := 201, ""
		for n := 0; status == 201; n++ {
			status, text = b.post("/v1/runs", fmt.Sprintf(`{"attempt_id": "018d0c00-0000-7000-8000-%012d",
				"repo": "acme/shop", "source_name": "build", "command": %q}`, 10+n, strings.Repeat("x", 250<<10)))
		}
		return status, text
	}},
}

func TestQuotasOfSingleOwnersAndRepositories(t *testing.T) {
	t.Parallel()
	q := quotas{RepoMB: 10, RepoRuns: 20, RepoEvents: 30, OwnerMB: 40, OwnerRuns: 50, OwnerEvents: 60, OwnerRepos: 70,
		Own: "Acme mb=1, acme/shop runs=2 events=0\n\n , other"}
	got, err := q.store()
	check(t, err)
	want := map[string]store.Quota{
		"acme":      {Bytes: 1 << 20, Runs: 50, Events: 60, Repos: 70},
		"acme/shop": {Bytes: 10 << 20, Runs: 2},
		"other":     got.Owner,
	}
	if diff := cmp.Diff(want, got.Own); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"acme runs", "acme runs=-1", "acme mb=9999999999", "acme disk=1", "a@b mb=1",
		"acme mb=1 mb"} {
		q.Own = bad
		if err := q.check(); store.CodeOf(err) != store.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestNotificationsAreQueuedOnlyIfThereIsRoom(t *testing.T) {
	t.Parallel()
	a := &app{config: defaults()}
	a.config.Data, a.config.Quotas.OwnerMB = t.TempDir(), 1
	p, err := a.open(t.Context())
	check(t, err)
	t.Cleanup(func() { p.Close() })
	s, err := newService(&a.config, p, slog.New(slog.DiscardHandler))
	check(t, err)
	jobs := func(owner string, n int) (list []store.Work) {
		for i := range n {
			list = append(list, store.Work{Kind: realms.KindPost, Key: fmt.Sprint(owner, i), Repo: owner + "/app",
				Body: make([]byte, 300<<10)})
		}
		return list
	}
	if n, err := s.hook.Put(t.Context(), jobs("a", 4)...); n != 0 || store.CodeOf(err) != store.Full {
		t.Errorf("1.2 of 1 MB: %d jobs, %v", n, err)
	}
	for _, owner := range []string{"a", "b"} { // nothing of the refused jobs counts
		if n, err := s.hook.Put(t.Context(), jobs(owner, 3)...); n != 3 || err != nil {
			t.Errorf("%s: %d jobs, %v", owner, n, err)
		}
	}
	if n, err := s.hook.Put(t.Context(), jobs("a", 4)...); n != 0 || store.CodeOf(err) != store.Full {
		t.Errorf("after 0.9 of 1 MB: %d jobs, %v", n, err)
	}
}
