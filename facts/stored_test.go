package facts_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/sqlite"
)

// fixture is a store with facts.
type fixture struct {
	*testing.T
	store store.Store
	blobs store.Blobs
}

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newFixture(t *testing.T) fixture {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	b, err := blob.OpenFile(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	return fixture{t, s, b}
}

func (f fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f fixture) equal(got, want any) {
	f.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("-want +got:\n%s", diff)
	}
}

func hash(n int) string { return fmt.Sprintf("%x%038x", n, 0) }

// save saves README.md and copy.md with the same text as the docs of commit n of o/a.
func (f fixture) save(n int, text string, ancestors []string, change ...func(*store.Snapshot)) *facts.Listed {
	f.Helper()
	m, manifest, err := facts.NewManifest(store.FactDocs, []facts.Entry{
		{File: facts.File{Path: "README.md", Digest: facts.Digest([]byte(text)), Size: int64(len(text))}},
		{File: facts.File{Path: "copy.md", Digest: facts.Digest([]byte(text)), Size: int64(len(text))}},
	})
	f.ok(err)
	set := facts.NewListed(m, manifest, func(context.Context, facts.File) ([]byte, error) { return []byte(text), nil })
	s := store.Snapshot{Repo: "o/a", Commit: hash(n), Kind: store.FactDocs, Branch: "main", CreatedAt: now}
	for _, c := range change {
		c(&s)
	}
	_, err = facts.Save(f.Context(), f.store, f.blobs, s, ancestors, set)
	f.ok(err)
	return set
}

func (f fixture) source(sc store.Scope) facts.Stored {
	return facts.Stored{Store: f.store, Blobs: f.blobs, Scope: sc}
}

// at resolves a name, and describes the result: the commit, the commit of its facts, the distance between them, whether
// the facts are untrusted, and their text. If the name cannot be resolved, at returns the error code.
func (f fixture) at(name string) string {
	f.Helper()
	found, err := f.source(store.Repos("o/a")).At(f.Context(), facts.Query{At: name, Kind: store.FactDocs})
	if err != nil {
		return string(store.CodeOf(err))
	}
	text, err := found.Read(f.Context(), found.Files()[0])
	f.ok(err)
	from := strings.TrimRight(found.Commit, "0")
	if found.ResolvedFrom != "" {
		from += fmt.Sprintf(" from %s-%d", strings.TrimRight(found.ResolvedFrom, "0"), found.Distance)
	}
	if found.Untrusted {
		from += " untrusted"
	}
	return from + ": " + string(text)
}

func (f fixture) run(n int, commit string, ci *store.CI) {
	f.Helper()
	_, err := f.store.StartRun(f.Context(), store.Run{Attempt: fmt.Sprint("attempt-", n), Repo: "o/a", Source: "build",
		Git: store.Git{Commit: commit}, CI: ci, StartedAt: now})
	f.ok(err)
}

func TestOneResolverForAllNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(0xa1, "one", nil, func(s *store.Snapshot) { s.Tag = "v1" })
	f.save(0xa3, "three", []string{hash(0xa2), hash(0xa1)})
	f.save(0xb1, "topic", []string{hash(0xa2)}, func(s *store.Snapshot) { s.Branch, s.PR = "topic/x", 12 })
	f.save(0xc1, "fork", []string{hash(0xa3)}, func(s *store.Snapshot) { s.Fork, s.PR, s.Branch = true, 13, "main" })
	f.save(0xd1, "merge", nil, func(s *store.Snapshot) { s.PR, s.Branch = 14, "" })
	f.run(1, hash(0xa2), nil)
	f.run(2, hash(0xe1), &store.CI{PR: 14}) // the job has built a merge commit
	f.run(3, hash(0xc1), &store.CI{PR: 15, Fork: true})
	f.run(4, "", nil)
	f.run(5, hash(0xf1), nil)
	for name, want := range map[string]string{
		"": "a3: three", "main": "a3: three", "topic/x": "b1: topic", "v1": "a1: one", "PR#12": "b1: topic",
		"PR#13": "c1 untrusted: fork", hash(0xc1): "c1 untrusted: fork", hash(0xa2): "a2 from a1-1: one",
		hash(0xa3)[:4]: "a3: three", "build:1": "a2 from a1-1: one", "1": "a2 from a1-1: one", "build:2": "d1: merge",
		"build:3": "c1 untrusted: fork", "PR#15": "c1 untrusted: fork", "o/a@build:1": "a2 from a1-1: one",
		"build:4": "not_found", "build:5": "not_found", "build:9": "not_found", "PR#99": "not_found", "other": "not_found",
		"a b": "not_found", "a:b:c": "invalid", hash(0xa3)[:3]: "not_found", "o/b@build:1": "not_found",
	} {
		f.equal(map[string]string{name: f.at(name)}, map[string]string{name: want})
	}
}

func TestTheDefaultBranchIsAsked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(0xa1, "main", nil)
	f.save(0xb1, "develop", nil, func(s *store.Snapshot) { s.Branch = "develop" })
	s := f.source(store.Everything())
	s.DefaultBranch = func(context.Context, string) (string, error) { return "develop", nil }
	found, err := s.At(t.Context(), facts.Query{Repo: "o/a", Kind: store.FactDocs})
	f.ok(err)
	f.equal(found.Pin(), hash(0xb1))
	s.DefaultBranch = func(context.Context, string) (string, error) { return "", nil }
	found, err = s.At(t.Context(), facts.Query{Repo: "o/a", Kind: store.FactDocs})
	f.ok(err)
	f.equal(found.Pin(), hash(0xa1))
	if _, err := s.At(t.Context(), facts.Query{Repo: "o/a", Kind: store.FactGraph}); store.CodeOf(err) != store.NotFound {
		t.Error(err)
	}
}

func TestAManifestIsParsedInTurn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(0xa1, "main", nil)
	s, left := f.source(store.Everything()), 0
	s.Turn = func(context.Context) (func(), error) { return func() { left++ }, nil }
	_, err := s.At(t.Context(), facts.Query{Repo: "o/a", Kind: store.FactDocs})
	f.ok(err)
	f.equal(left, 1)
	s.Turn = func(context.Context) (func(), error) { return nil, store.Errorf(store.RateLimited, "too many") }
	_, err = s.At(t.Context(), facts.Query{Repo: "o/a", Kind: store.FactDocs})
	f.equal(store.CodeOf(err), store.RateLimited)
}

func TestOthersFactsDoNotExist(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	set := f.save(0xa1, "one", nil, func(s *store.Snapshot) { s.Tag, s.PR = "v1", 12 })
	f.run(1, hash(0xa1), nil)
	for _, name := range []string{"", "main", "v1", "PR#12", hash(0xa1), hash(0xa1)[:12], "build:1", "o/a@build:1"} {
		for _, repo := range []string{"o/a", "o/none"} {
			_, err := f.source(store.Repos("o/b")).At(t.Context(), facts.Query{Repo: repo, At: name, Kind: store.FactDocs})
			if store.CodeOf(err) != store.NotFound {
				t.Errorf("%q of %s: %v", name, repo, err)
			}
		}
	}
	if _, _, err := facts.ReadManifest(t.Context(), f.store, f.blobs, "o/b", set.Digest(), nil); store.CodeOf(err) !=
		store.NotFound {
		t.Error(err)
	}
	_, err := f.source(store.Repos("o/a", "o/b")).At(t.Context(), facts.Query{Kind: store.FactDocs})
	if store.CodeOf(err) != store.Invalid {
		t.Error(err)
	}
}

func TestSweepingKeepsWhatSnapshotsNeed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	topic := func(s *store.Snapshot) { s.Branch = "topic" }
	f.save(0xa1, "one", nil, topic)
	f.save(0xa2, "two", nil, topic, func(s *store.Snapshot) { s.CreatedAt = now.Add(2 * time.Hour) })
	f.ok(facts.AddObjects(t.Context(), f.store, f.blobs, "o/b", []facts.Content{facts.ContentOf([]byte("never needed"))}, now))
	collect := func() int {
		t.Helper()
		keys, err := f.store.Garbage(t.Context(), 0)
		f.ok(err)
		for _, k := range keys {
			f.ok(f.blobs.Delete(t.Context(), k))
		}
		f.ok(f.store.Collected(t.Context(), keys))
		return len(keys)
	}
	sweep := func(before time.Time) int {
		t.Helper()
		n, err := facts.Sweep(t.Context(), f.store, f.blobs, before)
		f.ok(err)
		f.equal(collect(), n)
		return n
	}
	f.equal(sweep(now), 0)
	f.equal(sweep(now.Add(time.Minute)), 1)
	_, err := f.store.Prune(t.Context(), store.Everything(), store.Policy{Before: now.Add(time.Hour)})
	f.ok(err)
	f.equal(sweep(now.Add(time.Minute)), 2) // the manifest and its only content
	f.equal(f.at(hash(0xa2)), "a2: two")
	_, err = f.store.Prune(t.Context(), store.Everything(), store.Policy{All: true})
	f.ok(err)
	f.equal(sweep(now.Add(3*time.Hour)), 2)
	keys, err := f.blobs.List(t.Context(), "", "", 0)
	f.ok(err)
	f.equal(len(keys), 0)
}

func TestADamagedManifestStopsItsRepositoryOnly(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	set := f.save(0xa1, "one", nil)
	f.ok(facts.AddObjects(t.Context(), f.store, f.blobs, "o/a", []facts.Content{facts.ContentOf([]byte("lost"))}, now))
	f.ok(facts.AddObjects(t.Context(), f.store, f.blobs, "o/b", []facts.Content{facts.ContentOf([]byte("lost"))}, now))
	objects, err := f.store.Objects(t.Context(), store.Everything(), "o/a", []string{set.Digest()})
	f.ok(err)
	f.ok(f.blobs.Delete(t.Context(), objects[0].Key))
	n, err := facts.Sweep(t.Context(), f.store, f.blobs, now.Add(time.Minute))
	if n != 1 || err == nil || !strings.Contains(err.Error(), "o/a") {
		t.Errorf("%d, %v", n, err)
	}
}
