package storetest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// sweep drops objects that are not live, and returns their number.
func (f fixture) sweep(repo string, before time.Time, live ...int) int {
	f.Helper()
	n, err := f.s.DropObjects(f.Context(), repo, before, func(digest string) bool {
		return slices.ContainsFunc(live, func(n int) bool { return sha(n) == digest })
	})
	f.ok(err)
	return n
}

// unswept checks which repositories need a sweep.
func (f fixture) unswept(before time.Time, want ...string) {
	f.Helper()
	got, err := f.s.Unswept(f.Context(), before, 10)
	f.ok(err)
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("to be swept: %s", diff)
	}
}

var snapshotPruneTests = map[string]func(f fixture){
	"by age, but the newest of the default branch stays": func(f fixture) {
		for n := 1; n <= 3; n++ {
			f.tell(snapshot(n, 0x100+n), nil, n)
		}
		f.tell(snapshot(3, 0x200, ofGraph), nil, 3)
		f.tell(snapshot(4, 0x104, onTopic), nil, 4)
		f.tell(snapshot(5, 0x105, ofFork(12)), nil, 5)
		f.tell(snapshot(6, 0x106, of("o/b"), onTopic), nil, 6)
		late := start.Add(time.Hour)
		f.tell(snapshot(70, 0x107, onTopic), nil, 7)
		f.prune(everything, store.Policy{}, store.Pruned{})
		f.prune(everything, store.Policy{Before: late, Source: "build"}, store.Pruned{})
		f.prune(store.Repos("o/b"), store.Policy{Before: late}, store.Pruned{Snapshots: 1})
		f.prune(everything, store.Policy{Before: late}, store.Pruned{Snapshots: 4})
		f.equal(f.kept(everything), []string{"o/a 46", "o/a 3", "o/a 3"})
		f.prune(everything, store.Policy{All: true}, store.Pruned{Snapshots: 3})
		f.equal(f.named(store.CommitName{Branch: "main"}), "none")
	},
	"a branch that got a commit later counts": func(f fixture) {
		f.tell(snapshot(1, 0x101), nil, 1)
		f.tell(snapshot(2, 0x102, onTopic), line(1, 1), 2)
		f.tell(snapshot(2, 0x102), line(1, 1), 2) // the commit was merged
		f.prune(everything, store.Policy{Before: start.Add(time.Hour)}, store.Pruned{Snapshots: 1})
		f.equal(f.kept(everything), []string{"o/a 2"})
	},
	"with the runs that a policy does not keep": func(f fixture) {
		for n := 1; n <= 3; n++ {
			r := f.finish(f.start("o/a", "build"), 0)
			f.tell(snapshot(n, 0x100+n, onTopic, func(s *store.Snapshot) { s.CreatedAt = r.StartedAt }), nil, n)
		}
		f.prune(everything, store.Policy{KeepPerSource: 1}, store.Pruned{Runs: 2, Snapshots: 2})
		f.equal(f.kept(everything), []string{"o/a 3"})
	},
	"objects without a snapshot become garbage": func(f fixture) {
		f.tell(snapshot(1, 0x101, onTopic), nil, 1, 3)
		f.tell(snapshot(62, 0x102, onTopic), nil, 2, 3)
		lost := f.object("o/b", 9)
		old := start.Add(24 * time.Hour)
		f.unswept(start.Add(-time.Hour))
		f.unswept(old, "o/b")
		f.equal(f.sweep("o/b", start), 0) // the objects are too young
		f.equal(f.sweep("o/b", old), 1)
		f.garbage(0, lost.Key)
		f.ok(f.s.Collected(f.Context(), []string{lost.Key}))
		f.prune(everything, store.Policy{Before: start.Add(time.Hour)}, store.Pruned{Snapshots: 1})
		f.unswept(old, "o/a")
		gone, err := f.s.Objects(f.Context(), everything, "o/a", []string{sha(1), sha(0x101)})
		f.ok(err)
		f.equal(f.sweep("o/a", old, 0x102, 2, 3), 2)
		f.unswept(old)
		f.garbage(0, slices.Sorted(slices.Values([]string{gone[0].Key, gone[1].Key}))...)
		f.object("o/a", 1) // the object has a new key, so the garbage stays garbage
		f.garbage(0, slices.Sorted(slices.Values([]string{gone[0].Key, gone[1].Key}))...)
	},
	"what was asked for lately is not swept": func(f fixture) {
		f.tell(snapshot(1, 0x101, onTopic), nil, 1, 2)
		f.prune(everything, store.Policy{All: true}, store.Pruned{Snapshots: 1})
		days := start.AddDate(0, 0, 10)
		late := snapshot(5, 0x101)
		late.CreatedAt = days
		_, missing, err := f.s.AddSnapshot(f.Context(), late, nil, []string{sha(1), sha(3)})
		f.ok(err)
		f.equal(missing, []string{sha(3)})
		f.equal(f.sweep("o/a", days), 1) // drops only object 2, which nobody requested
		f.object("o/a", 3)
		_, missing, err = f.s.AddSnapshot(f.Context(), late, nil, []string{sha(1), sha(3)})
		f.ok(err)
		f.equal(missing, []string(nil))
		f.unswept(days)
	},
	"a sweep that meets a push takes nothing of it": func(f fixture) {
		late := start.AddDate(0, 0, 10)
		for round := range 10 {
			m := 0x100 + round
			objects := []string{sha(0x200 + round), sha(0x300 + round)}
			f.object("o/a", m)
			f.object("o/a", 0x200+round)
			f.object("o/a", 0x300+round)
			s := snapshot(round+1, m)
			s.CreatedAt = late
			var missing []string
			var failed [2]error
			var both sync.WaitGroup
			both.Go(func() { _, missing, failed[0] = f.s.AddSnapshot(f.Context(), s, nil, objects) })
			both.Go(func() {
				_, failed[1] = f.s.DropObjects(f.Context(), "o/a", late.AddDate(0, 0, -2), func(string) bool { return false })
			})
			both.Wait()
			f.ok(errors.Join(failed[:]...))
			there, err := f.s.Objects(f.Context(), everything, "o/a", append(objects, sha(m)))
			f.ok(err)
			if len(missing) == 0 && len(there) != 3 {
				f.Errorf("the snapshot has %d of 3 objects", len(there))
			}
			if len(missing) == 0 != (f.near(round+1) != "none") {
				f.Errorf("%d objects are missing, and the snapshot is %s", len(missing), f.near(round+1))
			}
		}
	},
}
