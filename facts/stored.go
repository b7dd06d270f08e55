package facts

import (
	"context"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"github.com/blq-ci/blq/store"
)

// Store is the part of store.Store that a Stored needs.
type Store interface {
	store.SnapshotReader
	store.RunReader
}

// Getter is the part of store.Blobs that a Stored needs.
type Getter interface {
	Get(ctx context.Context, key string) ([]byte, error)
}

// Stored is the source of the facts in a store.
type Stored struct {
	Store Store
	Blobs Getter
	Scope store.Scope
	// DefaultBranch returns the default branch of a repository, "" if it is not known. It may be nil.
	DefaultBranch func(ctx context.Context, repo string) (string, error)
}

var _ Source = Stored{}

// At implements Source.
func (s Stored) At(ctx context.Context, q Query) (Found, error) {
	at, err := s.point(ctx, q)
	if err != nil {
		return Found{}, err
	}
	snapshot, distance, err := s.Store.NearestSnapshot(ctx, s.Scope, at)
	if err != nil {
		return Found{}, err
	}
	set, err := s.set(ctx, snapshot)
	if err != nil {
		return Found{}, err
	}
	f := Found{Set: set, Repo: snapshot.Repo, Commit: at.Commit, Distance: distance, Untrusted: snapshot.Fork}
	if distance > 0 {
		f.ResolvedFrom = snapshot.Commit
	}
	return f, nil
}

// set returns the set of a snapshot.
func (s Stored) set(ctx context.Context, snapshot store.Snapshot) (Set, error) {
	m, text, err := ReadManifest(ctx, s.Store, s.Blobs, snapshot.Repo, snapshot.Manifest)
	if err != nil {
		return nil, err
	}
	// The keys are looked up once, by who reads first.
	var mu sync.Mutex
	var keys map[string]string
	key := func(ctx context.Context, digest string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if keys == nil {
			objects, err := s.Store.Objects(ctx, s.Scope, snapshot.Repo, m.Digests())
			if err != nil {
				return "", err
			}
			keys = make(map[string]string, len(objects))
			for _, o := range objects {
				keys[o.Digest] = o.Key
			}
		}
		return keys[digest], nil
	}
	return NewListed(m, text, func(ctx context.Context, f File) ([]byte, error) {
		k, err := key(ctx, f.Digest)
		if err != nil {
			return nil, err
		}
		if k == "" {
			return nil, store.Errorf(store.NotFound, "the content of %s is gone: its snapshot was removed", f.Path)
		}
		return s.Blobs.Get(ctx, k)
	}), nil
}

// Objects finds the objects of a repository.
type Objects interface {
	Objects(ctx context.Context, sc store.Scope, repo string, digests []string) ([]store.Object, error)
}

// ReadManifest reads a manifest of a repository from a store. NotFound: the repository does not have it.
func ReadManifest(ctx context.Context, from Objects, blobs Getter, repo, digest string) (Manifest, []byte, error) {
	objects, err := from.Objects(ctx, store.Repos(repo), repo, []string{digest})
	if err != nil {
		return Manifest{}, nil, err
	}
	if len(objects) == 0 {
		return Manifest{}, nil, store.Errorf(store.NotFound, "no manifest %.12s", digest)
	}
	text, err := blobs.Get(ctx, objects[0].Key)
	if err != nil {
		return Manifest{}, nil, err
	}
	if Digest(text) != digest {
		return Manifest{}, nil, fmt.Errorf("the manifest %.12s is damaged", digest)
	}
	m, err := parseManifest(text)
	return m, text, err
}

// newFolder returns the beginning of keys for objects in store.Blobs that no other object has.
func newFolder() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	return Folder + id.String()[34:] + "/" + id.String() + "/", nil
}

// Folder begins the keys of all objects of facts.
const Folder = "facts/"
