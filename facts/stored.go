package facts

import (
	"context"
	"fmt"
	"slices"
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
	// Sets caches sets for later questions. It may be nil.
	Sets *Sets
	// Turn limits the concurrent parsing of manifests. It may be nil.
	Turn Turn
}

// Turn waits until the caller may begin CPU-intensive work. The caller calls the returned function when the work is
// done.
type Turn func(ctx context.Context) (leave func(), err error)

// enter waits for a turn. A nil Turn never waits.
func (t Turn) enter(ctx context.Context) (leave func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	return t(ctx)
}

var _ Source = Stored{}

// At implements Source.
func (s Stored) At(ctx context.Context, q Query) (Found, error) {
	at, err := s.point(ctx, q)
	if err != nil {
		return Found{}, err
	}
	at.Back = q.Back
	snapshot, distance, err := s.Store.NearestSnapshot(ctx, s.Scope, at)
	if err != nil {
		return Found{}, err
	}
	set, err := s.Set(ctx, snapshot)
	if err != nil {
		return Found{}, err
	}
	f := Found{Set: set, Repo: snapshot.Repo, Commit: at.Commit, Distance: distance, Untrusted: snapshot.Fork,
		Told: snapshot.CreatedAt}
	if distance > 0 {
		f.ResolvedFrom = snapshot.Commit
	}
	return f, nil
}

// Set returns the set of a snapshot.
func (s Stored) Set(ctx context.Context, snapshot store.Snapshot) (Set, error) {
	key := setKey{snapshot.Repo, snapshot.Manifest}
	if l := s.Sets.get(key); l != nil {
		return l, nil
	}
	m, text, err := ReadManifest(ctx, s.Store, s.Blobs, snapshot.Repo, snapshot.Manifest, s.Turn)
	if err != nil {
		return nil, err
	}
	r := &objectReader{objects: s.Store, blobs: s.Blobs, repo: snapshot.Repo, manifest: m}
	l := NewListed(m, text, r.read)
	s.Sets.put(key, l)
	return l, nil
}

// objectReader reads files of a repository's manifest.
type objectReader struct {
	objects  Objects
	blobs    Getter
	repo     string
	manifest Manifest

	turn sync.Mutex // serializes lookups; one lookup serves all waiting callers

	mu     sync.Mutex
	asks   int               // number of lookups
	keys   map[string]string // object keys by digest
	wanted []string          // digests that waiting callers need
}

// fewAsks limits the lookups of only the wanted keys. In lookup number fewAsks, a reader looks up all keys.
const fewAsks = 32

// read returns the content of a file. It looks up the key again if the object is missing, because an object that was
// removed and stored again has another key.
func (r *objectReader) read(ctx context.Context, f File) ([]byte, error) {
	for tries := 0; ; tries++ {
		key, err := r.key(ctx, f.Digest)
		if err != nil {
			return nil, err
		}
		if key == "" {
			return nil, store.Errorf(store.NotFound, "the content of %s is gone: its snapshot was removed", f.Path)
		}
		content, err := r.blobs.Get(ctx, key)
		if tries == 0 && store.CodeOf(err) == store.NotFound {
			r.forget()
			continue
		}
		return content, err
	}
}

func (r *objectReader) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asks, r.keys = 0, nil
}

// key returns the key of an object, "" if the repository does not have it.
func (r *objectReader) key(ctx context.Context, digest string) (string, error) {
	if key := r.known(digest); key != "" {
		return key, nil
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	digests := r.ask(digest)
	if digests == nil {
		return r.known(digest), nil
	}
	objects, err := r.objects.Objects(ctx, store.Repos(r.repo), r.repo, digests)
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys == nil {
		r.keys = make(map[string]string, len(objects))
	}
	for _, o := range objects {
		r.keys[o.Digest] = o.Key
	}
	return r.keys[digest], nil
}

// known returns the known key of an object. If the key is unknown, known adds the digest to the next lookup.
func (r *objectReader) known(digest string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := r.keys[digest]
	if key == "" {
		r.wanted = append(r.wanted, digest)
	}
	return key
}

// ask returns the digests for the next lookup. It returns nil if another caller has already looked up the key.
func (r *objectReader) ask(digest string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys[digest] != "" {
		return nil
	}
	digests := r.wanted
	if r.wanted = nil; !slices.Contains(digests, digest) { // the lookup by another caller has failed
		digests = append(digests, digest)
	}
	if r.asks++; r.asks == fewAsks {
		digests = r.manifest.Digests()
	}
	return digests
}

// Objects finds the objects of a repository.
type Objects interface {
	Objects(ctx context.Context, sc store.Scope, repo string, digests []string) ([]store.Object, error)
}

// ReadManifest reads a manifest of a repository. It waits for a turn before parsing; turn may be nil. The error is
// NotFound if the repository does not have the manifest.
func ReadManifest(ctx context.Context, from Objects, blobs Getter, repo, digest string, turn Turn) (
	Manifest, []byte, error) {
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
	leave, err := turn.enter(ctx)
	if err != nil {
		return Manifest{}, nil, err
	}
	defer leave()
	if Digest(text) != digest {
		return Manifest{}, nil, fmt.Errorf("the manifest %.12s is damaged", digest)
	}
	m, err := parseManifest(text)
	return m, text, err
}

// NewFolder returns a new, unique prefix for object keys below a folder. The prefix contains the time, so maintenance
// can delete old objects without references.
func NewFolder(below string) (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	return below + id.String()[34:] + "/" + id.String() + "/", nil
}

// These are the key prefixes of all fact objects, and of all fetched texts.
const (
	Folder        = "facts/"
	SourcesFolder = "sources/"
)
