package docindex_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/docindex"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// replica is a service with a store that other replicas share.
type replica struct {
	docindex.Objects
	snapshot *facts.Listed
	reads    int // number of document reads
}

func newReplica(t *testing.T) *replica {
	t.Helper()
	blobs, err := blob.OpenFile(filepath.Join(t.TempDir(), "blobs"))
	check(t, err)
	r := &replica{Objects: docindex.Objects{
		Store: sqlitetest.OpenAt(t, filepath.Join(t.TempDir(), "blq.db")), Blobs: blobs,
		Room: func(context.Context, string, int64) (func(), error) { return func() {}, nil }}}
	text := []byte("# Title\n\nwords\n")
	m, manifest, err := facts.NewManifest(store.FactDocs, []facts.Entry{
		{File: facts.File{Path: "a.md", Digest: facts.Digest(text), Size: int64(len(text))}}})
	check(t, err)
	r.snapshot = facts.NewListed(m, manifest, func(context.Context, facts.File) ([]byte, error) {
		r.reads++
		return text, nil
	})
	_, err = facts.Save(t.Context(), r.Store, blobs, store.Snapshot{Repo: "o/r", Commit: strings.Repeat("a", 40),
		Kind: store.FactDocs, CreatedAt: now}, nil, r.snapshot)
	check(t, err)
	return r
}

// read returns the number of documents that a newly started service reads for an index.
func (r *replica) read(t *testing.T, repo string, set facts.Set) int {
	t.Helper()
	c := docindex.New(1<<20, nil)
	c.Objects = &r.Objects
	r.reads = 0
	x, err := c.Index(t.Context(), "", repo, set)
	check(t, err)
	if x.Set() != set.Digest() {
		t.Error("it is the index of other documents")
	}
	return r.reads
}

func TestAReplicaOpensTheIndexOfAnother(t *testing.T) {
	t.Parallel()
	r := newReplica(t)
	for i, want := range []int{1, 0, 0} {
		if n := r.read(t, "o/r", r.snapshot); n != want {
			t.Errorf("index %d: %d documents were read, want %d", i, n, want)
		}
	}
	if r.read(t, "o/other", r.snapshot) != 1 {
		t.Error("repositories share an index")
	}
	keys, err := r.Blobs.List(t.Context(), facts.Folder, "", 0)
	check(t, err)
	r.read(t, "o/r", &one{text: "# Not of a snapshot\n"})
	again, err := r.Blobs.List(t.Context(), facts.Folder, "", 0)
	check(t, err)
	if len(again) != len(keys) {
		t.Error("the index of a text from outside is kept, which nothing removes")
	}
}

func TestTheIndexOfAnotherReplicaIsAtHand(t *testing.T) {
	t.Parallel()
	r := newReplica(t)
	kept := func(repo string) bool {
		c := docindex.New(1<<20, nil)
		c.Objects = &r.Objects
		r.reads = 0
		return c.Kept(t.Context(), "", repo, r.snapshot) != nil
	}
	if kept("o/r") || r.reads > 0 {
		t.Error("an index is built that was not asked for")
	}
	r.read(t, "o/r", r.snapshot)
	if !kept("o/r") || r.reads > 0 {
		t.Errorf("the index of another replica is not used; %d documents were read", r.reads)
	}
	if kept("o/other") {
		t.Error("the index of another repository is used")
	}
}

func TestAnIndexThatIsDamagedIsBuiltAgain(t *testing.T) {
	t.Parallel()
	r := newReplica(t)
	before, err := r.Blobs.List(t.Context(), facts.Folder, "", 0)
	check(t, err)
	r.read(t, "o/r", r.snapshot)
	keys, err := r.Blobs.List(t.Context(), facts.Folder, "", 0)
	check(t, err)
	for _, key := range keys {
		if !strings.Contains(strings.Join(before, " "), key) {
			check(t, r.Blobs.Delete(t.Context(), key))
			check(t, r.Blobs.Put(t.Context(), key, []byte("damaged")))
		}
	}
	if len(keys) != len(before)+1 || r.read(t, "o/r", r.snapshot) != 1 {
		t.Errorf("a damaged index is used, of %d objects", len(keys))
	}
}

func TestAnIndexWithoutRoomIsNotKept(t *testing.T) {
	t.Parallel()
	r := newReplica(t)
	r.Room = func(context.Context, string, int64) (func(), error) { return nil, errors.New("full") }
	for range 2 {
		if r.read(t, "o/r", r.snapshot) != 1 {
			t.Error("it was kept")
		}
	}
}

func TestAnIndexIsRemovedWithItsSnapshot(t *testing.T) {
	t.Parallel()
	r := newReplica(t)
	r.read(t, "o/r", r.snapshot)
	s := r.Store.(sweeping)
	later := time.Now().AddDate(0, 0, 1)
	unswept, err := s.Unswept(t.Context(), later, 9)
	check(t, err)
	if len(unswept) != 0 {
		t.Errorf("%v is swept again and again because of its index", unswept)
	}
	sweep := func(want int) {
		t.Helper()
		n, err := facts.Sweep(t.Context(), s, r.Blobs, later)
		check(t, err)
		if n != want {
			t.Errorf("%d objects were removed, want %d", n, want)
		}
	}
	sweep(0)
	_, err = s.Prune(t.Context(), store.Everything(), store.Policy{All: true})
	check(t, err)
	sweep(3) // including the manifest and the document
}

// sweeping is a store that is swept.
type sweeping interface {
	facts.Sweeping
	Prune(ctx context.Context, sc store.Scope, p store.Policy) (store.Pruned, error)
}
