package facts_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// counting counts the objects that are read.
type counting struct {
	store.Blobs
	read *atomic.Int64
}

func (c counting) Get(ctx context.Context, key string) ([]byte, error) {
	c.read.Add(1)
	return c.Blobs.Get(ctx, key)
}

func TestSetsAreReadOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(0xa1, "one", nil)
	f.save(0xa2, "two", nil)
	f.save(0xb1, "one", nil, func(s *store.Snapshot) { s.Repo = "o/b" })
	blobs := counting{f.blobs, new(atomic.Int64)}
	size := int64(len(f.save(0xa1, "one", nil).Text))
	at := func(sets *facts.Sets, repo string, commit int) facts.Set {
		t.Helper()
		found, err := facts.Stored{Store: f.store, Blobs: blobs, Scope: store.Repos(repo), Sets: sets}.At(t.Context(),
			facts.Query{At: hash(commit), Kind: store.FactDocs})
		f.ok(err)
		return found.Set
	}
	for name, c := range map[string]struct {
		max  int64
		want int64
	}{"both": {2 * size, 3}, "the last one": {size, 4}, "none": {size - 1, 5}} {
		sets := facts.NewSets(c.max)
		blobs.read.Store(0)
		for _, commit := range []int{0xa1, 0xa1, 0xa2, 0xa1} {
			at(sets, "o/a", commit)
		}
		at(sets, "o/b", 0xb1) // another repository reads its own objects
		at(nil, "o/a", 0xa1)
		if n := blobs.read.Load() - 1; n != c.want {
			t.Errorf("%s: %d manifests were read, want %d", name, n, c.want)
		}
	}
}

func TestAKeptSetFindsObjectsThatWereStoredAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sets := facts.NewSets(1 << 20)
	read := func() string {
		t.Helper()
		source := f.source(store.Repos("o/a"))
		source.Sets = sets
		found, err := source.At(t.Context(), facts.Query{Kind: store.FactDocs})
		f.ok(err)
		text, err := found.Read(t.Context(), found.Files()[0])
		if err != nil {
			return string(store.CodeOf(err))
		}
		return string(text)
	}
	f.save(0xa1, "one", nil)
	f.equal(read(), "one")
	_, err := f.store.Prune(t.Context(), store.Everything(), store.Policy{All: true})
	f.ok(err)
	_, err = facts.Sweep(t.Context(), f.store, f.blobs, now.AddDate(0, 0, 1))
	f.ok(err)
	keys, err := f.blobs.List(t.Context(), facts.Folder, "", 0)
	f.ok(err)
	for _, key := range keys {
		f.ok(f.blobs.Delete(t.Context(), key))
	}
	f.save(0xa1, "one", nil)
	f.equal(read(), "one")
	keys, err = f.blobs.List(t.Context(), facts.Folder, "", 0)
	f.ok(err)
	for _, key := range keys {
		f.ok(f.blobs.Delete(t.Context(), key))
	}
	f.equal(read(), "not_found")
}
