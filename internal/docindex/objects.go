package docindex

import (
	"context"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/store"
)

// Objects stores indexes as objects of repositories, next to the documents. So other replicas need not build the
// indexes. Only indexes of snapshots are stored, and an index is removed together with its snapshot.
type Objects struct {
	Store ObjectStore
	Blobs store.Blobs
	// Room reserves quota for bytes that are about to be stored. The reservation ends when the returned function is
	// called.
	Room func(ctx context.Context, repo string, bytes int64) (done func(), err error)
}

// ObjectStore is the part of store.Store that Objects needs.
type ObjectStore interface {
	store.SnapshotRecorder
	facts.Objects
}

// load returns the stored index of a set, or nil if there is no usable index.
func (o *Objects) load(ctx context.Context, repo string, set facts.Set) *docs.Index {
	b := o.Load(ctx, repo, set)
	if b == nil {
		return nil
	}
	index, err := docs.Open(b)
	if err != nil || index.Set() != set.Digest() {
		return nil
	}
	return index
}

// has reports whether the index of a set is stored.
func (o *Objects) has(ctx context.Context, repo string, set facts.Set) bool {
	if o == nil || !isSnapshot(set) {
		return false
	}
	has, err := facts.HasIndex(ctx, o.Store, repo, set.Digest())
	return err == nil && has
}

// keep stores an index. Errors are ignored because the index can be built again.
func (o *Objects) keep(ctx context.Context, repo string, set facts.Set, index *docs.Index) {
	if o == nil {
		return
	}
	o.Keep(ctx, repo, set, index.Bytes())
}

// Load returns the stored bytes of a set's index, or nil if there are none.
func (o *Objects) Load(ctx context.Context, repo string, set facts.Set) []byte {
	if o == nil || !isSnapshot(set) {
		return nil
	}
	b, err := facts.LoadIndex(ctx, o.Store, o.Blobs, repo, set.Digest())
	if err != nil {
		return nil
	}
	return b
}

// Keep stores the bytes of a set's index if there is room.
func (o *Objects) Keep(ctx context.Context, repo string, set facts.Set, b []byte) {
	if !isSnapshot(set) {
		return
	}
	done, err := o.Room(ctx, repo, store.ObjectRow+int64(len(b)))
	if err != nil {
		return
	}
	defer done()
	_ = facts.SaveIndex(ctx, o.Store, o.Blobs, repo, set.Digest(), b, time.Now())
}

// isSnapshot reports whether a set may belong to a snapshot.
func isSnapshot(set facts.Set) bool {
	_, listed := set.(*facts.Listed)
	return listed
}
