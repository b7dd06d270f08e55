package facts

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blq-ci/blq/store"
)

// Putter is the part of store.Blobs that saving uses.
type Putter interface {
	Put(ctx context.Context, key string, data []byte) error
	Delete(ctx context.Context, key string) error
}

// putsAtOnce is the max number of concurrent uploads. Most contents are small, so an upload mostly waits for the
// network.
const putsAtOnce = 8

// AddObjects stores contents for a repository that does not have them yet.
func AddObjects(ctx context.Context, to store.SnapshotRecorder, blobs Putter, repo string, contents []Content,
	now time.Time) error {
	folder, err := NewFolder(Folder)
	if err != nil {
		return err
	}
	var objects []store.Object
	var distinct [][]byte
	keys := map[string]string{} // keys by digest
	for i, c := range contents {
		o := store.Object{Digest: c.Digest, Size: int64(len(c.Text)), Key: folder + strconv.Itoa(i), At: now}
		if keys[o.Digest] == "" {
			keys[o.Digest] = o.Key
			objects, distinct = append(objects, o), append(distinct, c.Text)
		}
	}
	if err := putAll(ctx, blobs, objects, distinct); err != nil {
		deleteAll(ctx, blobs, keys)
		return err
	}
	stored, err := to.AddObjects(ctx, repo, objects)
	if store.CodeOf(err) == store.RateLimited { // nothing was stored; after other errors the objects may be stored
		deleteAll(ctx, blobs, keys)
	}
	for _, o := range stored {
		if key := keys[o.Digest]; key != o.Key {
			_ = blobs.Delete(context.WithoutCancel(ctx), key) // maintenance deletes the object later if Delete fails
		}
	}
	return err
}

// deleteAll deletes objects without references. Maintenance would delete these objects only after days.
func deleteAll(ctx context.Context, blobs Putter, keys map[string]string) {
	for _, key := range keys {
		_ = blobs.Delete(context.WithoutCancel(ctx), key)
	}
}

// putAll uploads the contents of objects. It stops at the first error.
func putAll(ctx context.Context, blobs Putter, objects []store.Object, contents [][]byte) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(putsAtOnce, len(objects)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(objects) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := blobs.Put(ctx, objects[i].Key, contents[i]); err != nil {
					stop(err) // later errors do not replace the first
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// Save stores a set as the snapshot of a commit. It reads only content that the repository lacks. The set gives the
// snapshot's manifest and sizes.
func Save(ctx context.Context, to store.SnapshotRecorder, blobs Putter, s store.Snapshot, ancestors []string,
	set *Listed) (store.Snapshot, error) {
	m, err := parseManifest(set.Text)
	if err != nil {
		return s, err
	}
	size := m.Size()
	s.Manifest, s.Files, s.Bytes = set.Digest(), size.Files, size.Bytes
	added, missing, err := to.AddSnapshot(ctx, s, ancestors, nil)
	for tries := 0; err == nil && len(missing) > 0; tries++ {
		if tries == maxTries {
			return s, store.Errorf(store.Unavailable, "%d objects of commit %.12s are removed as soon as they are stored",
				len(missing), s.Commit)
		}
		if err := addMissing(ctx, to, blobs, s, missing, set); err != nil {
			return s, err
		}
		added, missing, err = to.AddSnapshot(ctx, s, ancestors, m.Digests())
	}
	return added, err
}

// maxTries is the max number of times that Save adds missing objects. Objects may be removed again between two
// attempts.
const maxTries = 3

// addedAtOnce is the number of bytes after which addMissing sends the collected contents to the store.
const addedAtOnce = 1 << 20

// addMissing stores the objects of a set that a repository lacks.
func addMissing(ctx context.Context, to store.SnapshotRecorder, blobs Putter, s store.Snapshot, missing []string,
	set *Listed) error {
	var contents []Content
	size := 0
	for i, digest := range missing {
		content, err := set.Content(ctx, digest)
		if err != nil {
			return err
		}
		contents = append(contents, ContentOf(content)) // a file may have changed since the set was made
		if size += len(content); size < addedAtOnce && i < len(missing)-1 {
			continue
		}
		if err := AddObjects(ctx, to, blobs, s.Repo, contents, s.CreatedAt); err != nil {
			return err
		}
		contents, size = nil, 0
	}
	return nil
}
