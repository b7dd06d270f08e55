package facts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/blq-ci/blq/store"
)

// Sweeping is the part of a store that Sweep needs.
type Sweeping interface {
	store.SnapshotMaintainer
	Objects
	Snapshots(ctx context.Context, sc store.Scope, f store.SnapshotFilter) ([]store.Snapshot, error)
}

// Safe is the time for which an object without references is kept after its last request. During this time, the upload
// of a snapshot that needs the object may continue.
const Safe = 7 * 24 * time.Hour

// reposAtOnce is the number of repositories per batch.
const reposAtOnce = 100

// Sweep drops the objects that no snapshot refers to and that were last requested before the given time. It returns
// the number of dropped objects. Their contents become garbage in the object storage.
func Sweep(ctx context.Context, s Sweeping, blobs Getter, before time.Time) (int, error) {
	n := 0
	for {
		repos, err := s.Unswept(ctx, before, reposAtOnce)
		if err != nil || len(repos) == 0 {
			return n, err
		}
		was := n
		var failed []error
		for _, repo := range repos {
			dropped, err := sweepRepo(ctx, s, blobs, repo, before)
			n += dropped
			if err != nil {
				failed = append(failed, fmt.Errorf("sweep the facts of %s: %w", repo, err))
			}
		}
		if n == was || failed != nil { // the remaining objects are needed, or must wait
			return n, errors.Join(failed...)
		}
	}
}

// SweepFull is like Sweep, for repositories with an exhausted quota. It drops objects sooner than Sweep: when their
// last request is no longer recent (see store.Stale). The store need not record each request. So SweepFull waits twice
// that time after the last recorded request.
func SweepFull(ctx context.Context, s Sweeping, blobs Getter, full func(repo string) bool, now time.Time) (int, error) {
	before := store.Stale(store.Stale(now))
	repos, err := s.Unswept(ctx, before, math.MaxInt32)
	n := 0
	failed := []error{err}
	for _, repo := range repos {
		if !full(repo) {
			continue
		}
		dropped, err := sweepRepo(ctx, s, blobs, repo, before)
		n += dropped
		failed = append(failed, err)
	}
	return n, errors.Join(failed...)
}

func sweepRepo(ctx context.Context, s Sweeping, blobs Getter, repo string, before time.Time) (int, error) {
	snapshots, err := s.Snapshots(ctx, store.Repos(repo), store.SnapshotFilter{})
	if err != nil {
		return 0, err
	}
	live := map[string]bool{}
	for _, snapshot := range snapshots {
		if live[snapshot.Manifest] {
			continue
		}
		live[snapshot.Manifest], live[indexDigest(snapshot.Manifest)] = true, true
		m, _, err := ReadManifest(ctx, s, blobs, repo, snapshot.Manifest, nil)
		if err != nil {
			return 0, err
		}
		for _, e := range m.Entries {
			live[e.Digest] = true
		}
	}
	return s.DropObjects(ctx, repo, before, func(digest string) bool { return live[digest] })
}
