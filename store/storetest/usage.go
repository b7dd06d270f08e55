package storetest

import (
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/blq-ci/blq/store"
)

var usageTests = map[string]func(f fixture){
	"of a repository that has none": func(f fixture) {
		f.used("o/a", store.Usage{}, store.Usage{})
		f.equal(f.usages(), []string(nil))
	},
	"every change counts, for the repository and its owner": func(f fixture) {
		r := f.start("Acme/shop", "build")
		size := store.RunRow + r.TextBytes()
		shop := store.Usage{Runs: 1, Bytes: size, DayRuns: 1}
		f.used("Acme/shop", shop, shop)

		c := chunk(0, store.StreamCombined, 1, 1)
		for range 2 { // repeated calls count only once
			f.ok(f.s.AddChunk(f.Context(), r.Attempt, c))
		}
		shop.Bytes += c.Stored + store.ChunkRow
		f.used("Acme/shop", shop, shop)

		batch := []store.Event{event(1, "one"), event(2, "two, which is longer")}
		for range 2 {
			f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, batch))
		}
		shop.Bytes += store.BatchRow + rows(batch...)
		shop.Events, shop.DayEvents = 2, 2
		f.used("Acme/shop", shop, shop)

		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 1, nil)) // an empty batch takes a row, too
		shop.Bytes += store.BatchRow
		f.used("Acme/shop", shop, shop)

		other := f.start("acme/web", "build")
		web := store.Usage{Runs: 1, Bytes: store.RunRow + other.TextBytes(), DayRuns: 1}
		f.used("acme/web", web, sum(shop, web))
		f.used("Acme/shop", shop, sum(shop, web))
		f.used("other/shop", store.Usage{}, store.Usage{})
	},
	"live events count until they are replaced, and for the day each time": func(f fixture) {
		r := f.start("o/a", "build")
		want := store.Usage{Runs: 1, Bytes: store.RunRow + r.TextBytes(), DayRuns: 1}
		for _, events := range [][]store.Event{{event(1, "one")}, {event(1, "one"), event(2, "zwei")}, {event(1, "ö")}} {
			f.ok(f.s.SetLive(f.Context(), r.Attempt, 1, events))
			want.DayEvents += len(events)
			live := want
			live.Events, live.Bytes = len(events), want.Bytes+rows(events...)
			f.used("o/a", live, live)
		}
		f.ok(f.s.SetLive(f.Context(), r.Attempt, 1, []store.Event{event(1, "what an engine writes in another form: \x00")}))
		want.DayEvents++
		f.ok(f.s.SetLive(f.Context(), r.Attempt, 1, nil))
		f.used("o/a", want, want)
		f.ok(f.s.SetLive(f.Context(), r.Attempt, 1, []store.Event{event(1, "one")}))
		want.DayEvents++
		f.finish(r, 1)
		f.used("o/a", want, want)
	},
	"what is removed no longer counts, except for its day": func(f fixture) {
		f.fail("o/a", "build", "a", "b")
		f.logged("o/a", "build")
		f.fail("o/b", "build", "c")
		f.prune(store.Repos("o/a"), store.Policy{All: true}, store.Pruned{Runs: 2, Events: 2, Blobs: 1, Bytes: 10})
		left, _, err := f.s.Usage(f.Context(), "o/b")
		f.ok(err)
		gone := store.Usage{DayRuns: 2, DayEvents: 2}
		f.used("o/a", gone, sum(gone, left))
		f.equal(f.usages(), []string{"o", "o/a", "o/b"})
	},
	"an owner has many repositories": func(f fixture) {
		for _, repo := range []string{"o/a", "o/b", "o-p/a", "O/a", "p/a"} {
			f.start(repo, "build")
		}
		for _, c := range []struct {
			repo string
			max  int
			want bool
		}{{"o/c", 2, true}, {"o/c", 3, false}, {"o/a", 2, false}, {"o/a", 1, false}, {"O/b", 1, true}, {"q/a", 1, false}} {
			got, err := f.s.Crowded(f.Context(), c.repo, c.max)
			f.ok(err)
			if got != c.want {
				f.Errorf("%s with up to %d: %v", c.repo, c.max, got)
			}
		}
	},
	"runs without a repository have no owner": func(f fixture) {
		r := f.start("", "build")
		want := store.Usage{Runs: 1, Bytes: store.RunRow + r.TextBytes(), DayRuns: 1}
		f.used("", want, want)
	},
	"a recount finds nothing to correct": func(f fixture) {
		f.fail("o/a", "build", "a", "b")
		f.logged("p/a", "build")
		f.prune(store.Repos("p/a"), store.Policy{All: true}, store.Pruned{Runs: 1, Blobs: 1, Bytes: 10})
		for part := range 3 {
			n, err := f.s.Recount(f.Context(), part, 3)
			f.ok(err)
			f.equal(n, 0)
		}
	},
	"the oldest runs of a repository are removed until the rest fits": func(f fixture) {
		for range 4 {
			f.fail("o/a", "build", "m")
		}
		f.fail("o/b", "build", "m")
		a, owner, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		f.shrink(a, a.Bytes, 0)
		f.shrink(a, a.Bytes-1, 1)
		f.shrink(a, a.Bytes/4+1, 2)
		f.equal(f.runs(everything, store.RunFilter{}), []string{"o/b@build:1", "o/a@build:4"})
		f.shrink(owner, 0, 2)
		f.equal(f.runs(everything, store.RunFilter{}), []string(nil))
	},
	"the oldest snapshots go before runs where facts take too much": func(f fixture) {
		f.fail("o/a", "build", "m")
		const mb = 1 << 20
		for n := 1; n <= 10; n++ {
			f.tell(snapshot(n, 0x100+n), nil, mb+n)
		}
		f.tell(snapshot(11, 0x201, onTopic), nil, mb+11)
		f.tell(snapshot(12, 0x202, func(s *store.Snapshot) { s.Branch, s.Tag = "", "v1" }), nil, mb+12)
		f.tell(snapshot(13, 0x203), nil, mb+13)
		a, owner, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		for range 2 { // removed data counts as freed space
			f.shrink(a, a.Bytes-7*mb/2, 0)
		}
		f.equal(len(f.kept(everything)), 13-4)
		f.shrink(owner, 5*mb, 0)
		f.equal(f.near(11)+f.near(12)+f.near(13)+f.near(4), "b-0c-0d-0none")
		f.shrink(owner, 2*mb, 1) // the remaining data is needed
		if n := len(f.kept(everything)); n != 3 {
			f.Errorf("%d snapshots are left", n)
		}
	},
	"the oldest runs of an owner are removed, but none that runs": func(f fixture) {
		running := f.start("o/a", "build")
		f.fail("o/a", "build", "m")
		f.fail("O/b", "build", "m")
		f.fail("o/a", "build", "m")
		f.fail("p/a", "build", "m")
		_, owner, err := f.s.Usage(f.Context(), "o/b")
		f.ok(err)
		f.shrink(owner, owner.Bytes*2/3, 2)
		f.equal(f.runs(everything, store.RunFilter{}), []string{"p/a@build:1", "o/a@build:3", "o/a@build:1"})
		f.shrink(owner, 1, 1)
		f.equal(f.runs(everything, store.RunFilter{}), []string{"p/a@build:1", running.Ref().String()})
	},
}

// rows returns the number of bytes that events add to the usage of their repository.
func rows(events ...store.Event) int64 {
	n := int64(0)
	for _, e := range events {
		n += store.EventRow + e.TextBytes()
	}
	return n
}

func sum(a, b store.Usage) store.Usage {
	return store.Usage{Runs: a.Runs + b.Runs, Events: a.Events + b.Events, Bytes: a.Bytes + b.Bytes,
		DayRuns: a.DayRuns + b.DayRuns, DayEvents: a.DayEvents + b.DayEvents}
}

// used checks the usage of a repository and the usage of its owner.
func (f fixture) used(repo string, of, owner store.Usage) {
	f.Helper()
	of.Owner, of.Repo = store.OwnerOf(repo), repo
	owner.Owner, owner.Repo = of.Owner, store.AllRepos
	gotOf, gotOwner, err := f.s.Usage(f.Context(), repo)
	f.ok(err)
	ignored := []string{"DayLeft"}
	if gotOf.DayRuns < of.DayRuns && gotOf.DayLeft > 24*time.Hour-time.Minute { // a new day began during the test
		ignored = append(ignored, "DayRuns", "DayEvents")
	}
	for _, c := range [][2]store.Usage{{of, gotOf}, {owner, gotOwner}} {
		if diff := cmp.Diff(c[0], c[1], cmpopts.IgnoreFields(store.Usage{}, ignored...)); diff != "" {
			f.Errorf("usage of %s: %s", c[0].Name(), diff)
		}
		if left := c[1].DayLeft; c[1].Runs > 0 && (left <= 0 || left > 24*time.Hour) {
			f.Errorf("the day of %s lasts another %v", c[0].Name(), left)
		}
	}
}

// usages returns the names of all repositories and owners with a usage.
func (f fixture) usages() []string {
	f.Helper()
	all, err := f.s.Usages(f.Context())
	f.ok(err)
	var names []string
	for _, u := range all {
		names = append(names, u.Name())
	}
	return names
}

// shrink removes runs, and checks the number of removed runs.
func (f fixture) shrink(u store.Usage, bytes int64, runs int) {
	f.Helper()
	done, err := f.s.Shrink(f.Context(), u, bytes)
	f.ok(err)
	f.equal(done.Runs, runs)
}
