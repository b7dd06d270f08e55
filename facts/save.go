package facts

import (
	"context"
	"time"

	"github.com/blq-ci/blq/store"
)

// Putter is the part of store.Blobs that saving needs.
type Putter interface {
	Put(ctx context.Context, key string, data []byte) error
	Delete(ctx context.Context, key string) error
}

// AddObject stores a content for a repository, unless the repository has it.
func AddObject(ctx context.Context, to store.SnapshotRecorder, blobs Putter, repo string, content []byte,
	now time.Time) error {
	key, err := newKey()
	if err != nil {
		return err
	}
	if err := blobs.Put(ctx, key, content); err != nil {
		return err
	}
	o, err := to.AddObject(ctx, repo, store.Object{Digest: Digest(content), Size: int64(len(content)), Key: key, At: now})
	if err == nil && o.Key != key {
		_ = blobs.Delete(context.WithoutCancel(ctx), key) // maintenance would delete it, too
	}
	return err
}

// Save stores a set as the snapshot of a commit. It reads only what the repository does not have. The manifest and the
// sizes of the snapshot are those of the set.
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
		for _, digest := range missing {
			content, err := set.Content(ctx, digest)
			if err == nil {
				err = AddObject(ctx, to, blobs, s.Repo, content, s.CreatedAt)
			}
			if err != nil {
				return s, err
			}
		}
		added, missing, err = to.AddSnapshot(ctx, s, ancestors, m.Digests())
	}
	return added, err
}

// maxTries is how often objects are stored that are missing after all.
const maxTries = 3
