package facts

import (
	"context"
	"time"

	"github.com/blq-ci/blq/store"
)

// IndexVersion is the version of document indexes. It changes with the encoding, and with every rule that changes the
// index of unchanged documents.
const IndexVersion = "3"

// indexDigest returns the digest under which a repository stores the index of a set. The digest depends only on
// IndexVersion and on the digest of the set, because callers look for an index before they know the bytes of the index.
// The index is kept as long as the manifest.
func indexDigest(set string) string {
	return Digest([]byte("index of documents " + IndexVersion + "\n" + set))
}

// HasIndex reports whether a repository has the index of a set.
func HasIndex(ctx context.Context, from Objects, repo, set string) (bool, error) {
	objects, err := from.Objects(ctx, store.Repos(repo), repo, []string{indexDigest(set)})
	return len(objects) > 0, err
}

// LoadIndex returns the index of a set, or nil if the repository does not have the index.
func LoadIndex(ctx context.Context, from Objects, blobs Getter, repo, set string) ([]byte, error) {
	objects, err := from.Objects(ctx, store.Repos(repo), repo, []string{indexDigest(set)})
	if err != nil || len(objects) == 0 {
		return nil, err
	}
	return blobs.Get(ctx, objects[0].Key)
}

// SaveIndex stores the index of a set for a repository that does not have it yet.
func SaveIndex(ctx context.Context, to store.SnapshotRecorder, blobs Putter, repo, set string, index []byte,
	now time.Time) error {
	folder, err := NewFolder(Folder)
	if err != nil {
		return err
	}
	o := store.Object{Digest: indexDigest(set), Size: int64(len(index)), Key: folder + "0", At: now, Used: true}
	if err := blobs.Put(ctx, o.Key, index); err != nil {
		return err
	}
	stored, err := to.AddObjects(ctx, repo, []store.Object{o})
	if err == nil && stored[0].Key != o.Key {
		_ = blobs.Delete(context.WithoutCancel(ctx), o.Key) // otherwise maintenance deletes the object later
	}
	return err
}
