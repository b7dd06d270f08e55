package facts

import (
	"context"
	"time"

	"github.com/blq-ci/blq/store"
)

// IndexVersion is the version of indexes of documents. It changes with their encoding, and with every rule that makes
// equal documents into another index.
const IndexVersion = "3"

// indexDigest returns the digest under which the index of a set is an object of its repository, beside the documents.
// It is made of the set's digest, because the index is looked for before its bytes are known. The object is kept as
// long as the manifest.
func indexDigest(set string) string {
	return Digest([]byte("index of documents " + IndexVersion + "\n" + set))
}

// HasIndex reports whether a repository has the index of a set.
func HasIndex(ctx context.Context, from Objects, repo, set string) (bool, error) {
	objects, err := from.Objects(ctx, store.Repos(repo), repo, []string{indexDigest(set)})
	return len(objects) > 0, err
}

// LoadIndex returns the index of a set, nil if the repository does not have it.
func LoadIndex(ctx context.Context, from Objects, blobs Getter, repo, set string) ([]byte, error) {
	objects, err := from.Objects(ctx, store.Repos(repo), repo, []string{indexDigest(set)})
	if err != nil || len(objects) == 0 {
		return nil, err
	}
	return blobs.Get(ctx, objects[0].Key)
}

// SaveIndex stores the index of a set for a repository, unless the repository has it.
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
		_ = blobs.Delete(context.WithoutCancel(ctx), o.Key) // maintenance would delete it, too
	}
	return err
}
