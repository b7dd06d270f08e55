package maintenance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/chunk"
	"github.com/blq-ci/blq/store/sqlite"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

var now = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// fixture is a store with its logs.
type fixture struct {
	*testing.T
	store *sqlite.Store
	blobs store.Blobs
}

func newFixture(t *testing.T) fixture {
	dir := t.TempDir()
	s := sqlitetest.OpenAt(t, filepath.Join(dir, "blq.db"))
	b, err := blob.OpenFile(filepath.Join(dir, "logs"))
	if err != nil {
		t.Fatal(err)
	}
	return fixture{t, s, b}
}

func (f fixture) check(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f fixture) upkeep(policy store.Policy) *Upkeep {
	return New(Config{
		Store: f.store, Blobs: f.blobs, OrphanAfter: time.Minute, Now: func() time.Time { return now },
		Policy: func(time.Time) store.Policy { return policy },
	})
}

// attempt returns a UUIDv7 of a time.
func attempt(at time.Time, n int) string {
	ms := fmt.Sprintf("%012x", at.UnixMilli())
	return fmt.Sprintf("%s-%s-7000-8000-%012x", ms[:8], ms[8:], n)
}

func (f fixture) start(at time.Time, n int) store.Run {
	f.Helper()
	r, err := f.store.StartRun(
		f.Context(), store.Run{Attempt: attempt(at, n), Repo: "o/n", Source: "build", StartedAt: at})
	f.check(err)
	f.check(f.store.Heartbeat(f.Context(), r.Attempt, at))
	return r
}

// log stores the object of a chunk and returns its key. If counted is true, log also records the chunk in the store.
func (f fixture) log(r store.Run, sequence int, counted bool) string {
	f.Helper()
	object := []byte(fmt.Sprint("object ", sequence, " of ", r.Attempt))
	c := store.Chunk{Sequence: sequence, Stream: store.StreamCombined, FirstLine: 1, Bytes: 5, Stored: int64(len(object)),
		Digest: fmt.Sprintf("%x", sha256.Sum256(object))}
	c.Key = chunk.Key(r.Attempt, sequence, c.Digest)
	f.check(f.blobs.Put(f.Context(), c.Key, object))
	if counted {
		f.check(f.store.AddChunk(f.Context(), r.Attempt, c))
	}
	return c.Key
}

func (f fixture) finish(r store.Run, at time.Time) {
	f.Helper()
	code := 0
	_, err := f.store.FinishRun(f.Context(), r.Attempt,
		store.Finish{Ending: store.Ending{FinishedAt: at, ExitCode: &code}, Chunks: -1, Batches: -1})
	f.check(err)
}

func (f fixture) keys() []string {
	f.Helper()
	keys, err := f.blobs.List(f.Context(), "", "", 0)
	f.check(err)
	return keys
}

func (f fixture) states() map[string]store.State {
	f.Helper()
	runs, err := f.store.Runs(f.Context(), store.Everything(), store.RunFilter{})
	f.check(err)
	m := map[string]store.State{}
	for _, r := range runs {
		m[r.Ref().String()] = r.State
	}
	return m
}

func TestSilentRunsAreOrphaned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.start(now.Add(-2*time.Minute), 1)
	f.start(now.Add(-30*time.Second), 2)
	done := f.start(now.Add(-time.Hour), 3)
	f.finish(done, now.Add(-time.Hour))
	u := f.upkeep(store.Policy{})
	for i, want := range []int{1, 0} {
		if n, overdue, err := u.orphan(t.Context()); n != want || overdue != 0 || err != nil {
			t.Errorf("round %d: %d orphaned, %v; want %d", i, n, err, want)
		}
	}
	want := map[string]store.State{"o/n@build:1": store.StateOrphaned, "o/n@build:2": store.StateRunning,
		"o/n@build:3": store.StateCompleted}
	if diff := cmp.Diff(want, f.states()); diff != "" {
		t.Error(diff)
	}
}

func TestADeadRunIsOrphanedAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.start(now.Add(24*time.Hour), 1)
	alive := f.start(now.Add(24*time.Hour), 2)
	u := f.upkeep(store.Policy{})
	for i, want := range []int{0, 0, 0, 1} {
		at := now.Add(time.Duration(i) * time.Minute)
		u.Now = func() time.Time { return at }
		if n, _, err := u.orphan(t.Context()); n != want || err != nil {
			t.Errorf("after %d minutes: %d orphaned, %v; want %d", i, n, err, want)
		}
		f.check(f.store.Heartbeat(t.Context(), alive.Attempt, at.Add(store.ReplicaSkew)))
	}
	want := map[string]store.State{"o/n@build:1": store.StateOrphaned, "o/n@build:2": store.StateRunning}
	if diff := cmp.Diff(want, f.states()); diff != "" {
		t.Error(diff)
	}
}

func TestRunsThatAreOpenForTooLongAreOrphanedHoweverAlive(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i, opened := range []time.Duration{time.Hour + time.Second, time.Hour} {
		r := f.start(now.Add(-opened), i+1)
		f.check(f.store.Heartbeat(t.Context(), r.Attempt, now))
	}
	u := f.upkeep(store.Policy{})
	u.RunTime = time.Hour
	for i, want := range []int{1, 0} {
		if n, overdue, err := u.orphan(t.Context()); n != want || overdue != want || err != nil {
			t.Errorf("round %d: %d and %d orphaned, %v; want %d", i, n, overdue, err, want)
		}
	}
	want := map[string]store.State{"o/n@build:1": store.StateOrphaned, "o/n@build:2": store.StateRunning}
	if diff := cmp.Diff(want, f.states()); diff != "" {
		t.Error(diff)
	}
}

func TestRetentionRemovesRunsAndTheirLogs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	old, young := f.start(now.AddDate(0, 0, -40), 1), f.start(now.AddDate(0, 0, -3), 2)
	f.log(old, 0, true)
	keep := f.log(young, 0, true)
	f.finish(old, old.StartedAt)
	f.finish(young, young.StartedAt)
	var rounds []Round
	u := f.upkeep(store.Policy{Before: now.AddDate(0, 0, -30)})
	u.Done = func(r Round) { rounds = append(rounds, r) }
	u.rarely(t.Context())
	if diff := cmp.Diff([]string{keep}, f.keys()); diff != "" {
		t.Error(diff)
	}
	if len(f.states()) != 1 {
		t.Error(f.states())
	}
	got := map[string]int{}
	for _, r := range rounds {
		got[r.Task] = r.Pruned.Runs + r.Objects
		if r.Err != nil {
			t.Error(r.Err)
		}
	}
	want := map[string]int{"retain": 1, "collect": 1, "notifications": 0, "sessions": 0, "strays": 0, "recount": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutPolicyNothingIsRemoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.start(now.AddDate(-3, 0, 0), 1)
	f.log(r, 0, true)
	f.finish(r, r.StartedAt)
	u := f.upkeep(store.Policy{})
	u.rarely(t.Context())
	if _, _, err := u.AllStrays(t.Context()); err != nil || len(f.keys()) != 1 || len(f.states()) != 1 {
		t.Error(f.keys(), f.states(), err)
	}
}

func TestOnlyOldStraysAreDeleted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lastMonth := now.AddDate(0, -1, 0)
	settled := f.start(lastMonth, 1)
	keep := []string{f.log(settled, 0, true)}
	f.log(settled, 1, false) // stored, but not recorded
	f.finish(settled, lastMonth)
	f.log(store.Run{Attempt: attempt(lastMonth, 2)}, 0, false) // the run is unknown

	running := f.start(lastMonth, 3) // a long upload of an old run
	keep = append(keep, f.log(running, 0, false))
	late := f.start(lastMonth, 4)
	keep = append(keep, f.log(late, 0, false))
	f.finish(late, now.Add(-time.Hour))
	young := f.start(now.Add(-time.Hour), 5)
	keep = append(keep, f.log(young, 0, false))
	f.finish(young, now.Add(-time.Hour))
	f.check(f.blobs.Put(t.Context(), "other/thing", []byte("not ours to delete")))
	keep = append(keep, "other/thing")

	n, missing, err := f.upkeep(store.Policy{}).AllStrays(t.Context())
	if n != 2 || missing != 0 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
	if diff := cmp.Diff(keep, f.keys()); diff != "" {
		t.Error(diff)
	}
}

func TestADayLooksAtAllFolders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := now.AddDate(0, 0, -8)
	for n := range 256 {
		f.log(store.Run{Attempt: attempt(made, n)}, 0, false)
	}
	u := f.upkeep(store.Policy{})
	u.page = 1
	for hour := range 24 {
		u.Now = func() time.Time { return now.Add(time.Duration(hour) * time.Hour) }
		u.rarely(t.Context())
	}
	if left := f.keys(); len(left) != 0 {
		t.Errorf("%d left, such as %s", len(left), left[0])
	}
}

// broken is a storage that cannot delete.
type broken struct{ store.Blobs }

func (broken) Delete(context.Context, string) error { return errors.New("bucket on fire") }

func TestFailuresAreLoggedAndToldAndTriedAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.start(now.AddDate(0, 0, -40), 1)
	f.log(r, 0, true)
	f.finish(r, r.StartedAt)
	var log bytes.Buffer
	var failed []string
	u := f.upkeep(store.Policy{Before: now})
	u.Log = slog.New(slog.NewTextHandler(&log, nil))
	u.Done = func(r Round) {
		if r.Err != nil {
			failed = append(failed, r.Task)
		}
	}
	working := u.Blobs
	u.Blobs = broken{working}
	u.rarely(t.Context())
	if diff := cmp.Diff([]string{"collect"}, failed); diff != "" ||
		!bytes.Contains(log.Bytes(), []byte("bucket on fire")) {
		t.Error(diff, log.String())
	}
	u.Blobs = working
	u.rarely(t.Context())
	if left := f.keys(); len(left) != 0 {
		t.Error(left)
	}
}
