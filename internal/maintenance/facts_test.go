package maintenance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// save saves a document as the docs of a commit.
func (f fixture) save(commit int, text, branch string, at time.Time) {
	f.Helper()
	m, manifest, err := facts.NewManifest(store.FactDocs, []facts.Entry{
		{File: facts.File{Path: "README.md", Digest: facts.Digest([]byte(text)), Size: int64(len(text))}}})
	f.check(err)
	set := facts.NewListed(m, manifest, func(context.Context, facts.File) ([]byte, error) { return []byte(text), nil })
	_, err = facts.Save(f.Context(), f.store, f.blobs, store.Snapshot{Repo: "o/n", Commit: fmt.Sprintf("%040x", commit),
		Kind: store.FactDocs, Branch: branch, CreatedAt: at}, nil, set)
	f.check(err)
}

func TestSnapshotsGoWithTimeAndTheirObjectsAfterThem(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	old := now.AddDate(0, 0, -40)
	f.save(1, "old topic", "topic", old)
	f.save(2, "old main", "main", old)
	f.save(3, "new topic", "topic", now.AddDate(0, 0, -3))
	u := f.upkeep(store.Policy{Before: now.AddDate(0, 0, -30)})
	var rounds []Round
	u.Done = func(r Round) { rounds = append(rounds, r) }
	u.rarely(t.Context())
	got := map[string]int{}
	for _, r := range rounds {
		f.check(r.Err)
		got[r.Task] = r.Pruned.Snapshots + r.Objects
	}
	want := map[string]int{"retain": 1, "collect": 2, "notifications": 0, "sessions": 0, "strays": 0, "recount": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	source := facts.Stored{Store: f.store, Blobs: f.blobs, Scope: store.Everything()}
	for at, want := range map[string]string{"main": "old main", "topic": "new topic"} {
		found, err := source.At(t.Context(), facts.Query{Repo: "o/n", At: at, Kind: store.FactDocs})
		f.check(err)
		text, err := found.Read(t.Context(), found.Files()[0])
		if string(text) != want || err != nil {
			t.Errorf("%s: %q, %v", at, text, err)
		}
	}
}

func TestObjectsOfFactsWithoutARowAreDeletedInTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(1, "main", "main", now)
	kept := f.keys()
	lost := func(at time.Time, n int) string {
		t.Helper()
		key := facts.Folder + fmt.Sprintf("%02x/", n) + attempt(at, n) + "/0"
		f.check(f.blobs.Put(t.Context(), key, []byte("lost")))
		return key
	}
	lost(now.AddDate(0, 0, -8), 7)
	source := store.SourceVersion{Repo: "o/n", Alias: "hono", Digest: strings.Repeat("ab", 32), FetchedAt: now,
		Key: facts.SourcesFolder + "09/" + attempt(now.AddDate(0, 0, -9), 9) + "/0"}
	for _, key := range []string{source.Key, strings.Replace(source.Key, "/09/", "/0a/", 1)} {
		f.check(f.blobs.Put(t.Context(), key, []byte("text")))
	}
	_, err := f.store.AddSourceVersion(t.Context(), source, true)
	f.check(err)
	young := lost(now.AddDate(0, 0, -6), 8)
	u := f.upkeep(store.Policy{})
	for hour := range 24 {
		u.Now = func() time.Time { return now.Add(time.Duration(hour) * time.Hour) }
		u.rarely(t.Context())
	}
	want := append(slices.Clone(kept), young, source.Key)
	slices.Sort(want)
	if diff := cmp.Diff(want, f.keys()); diff != "" {
		t.Error(diff)
	}
	f.check(f.blobs.Delete(t.Context(), kept[0]))
	if _, missing, err := f.upkeep(store.Policy{}).AllStrays(t.Context()); missing != 1 || err != nil {
		t.Errorf("%d are missing, %v", missing, err)
	}
	if !strings.HasPrefix(kept[0], facts.Folder) {
		t.Error(kept[0])
	}
}

func TestSnapshotsMakeRoomForNewOnes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.start(now.Add(-time.Hour), 1)
	f.finish(r, now)
	old := now.AddDate(0, 0, -40)
	for n := range 6 {
		f.save(n+1, strings.Repeat(fmt.Sprint(n), 100_000), "main", old.Add(time.Duration(n)*time.Hour))
	}
	u := f.upkeep(store.Policy{})
	of, _ := f.usage("o/n")
	u.Quotas = store.Quotas{Repo: store.Quota{Bytes: of.Bytes}}
	var done Round
	for range 3 { // removed objects are not removed again
		f.check(u.keepQuotas(t.Context(), &done))
	}
	if done.Pruned.Snapshots != 1 || done.Pruned.Runs != 0 {
		t.Errorf("%d snapshots and %d runs were removed", done.Pruned.Snapshots, done.Pruned.Runs)
	}
	if left, _ := f.usage("o/n"); left.Bytes > of.Bytes-100_000 || left.Bytes < of.Bytes-120_000 {
		t.Errorf("%d of %d bytes are left", left.Bytes, of.Bytes)
	}
	if n, err := u.deleteGarbage(t.Context()); n != 2 || err != nil {
		t.Errorf("%d objects were deleted, %v", n, err)
	}
}
