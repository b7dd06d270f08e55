package store

import (
	"context"
	"time"
)

// ReplicaSkew is the max difference between the clocks of replicas.
const ReplicaSkew = time.Minute

// Maintainer does the maintenance of a Store: it marks dead runs as orphaned, removes old runs, and lists the objects
// that are no longer needed.
type Maintainer interface {
	SnapshotMaintainer

	// OrphanRun marks a running run as orphaned, and reports whether it did so. seen is the time of the newest
	// heartbeat that the caller knows. OrphanRun does not change a run with a later heartbeat. NotFound: there is no
	// such attempt.
	OrphanRun(ctx context.Context, attempt string, seen time.Time) (bool, error)

	// CapHeartbeats sets the heartbeats of running runs that are later than the given time to this time, and returns
	// the number of these runs. Such heartbeats are from before the clock was set back. Without CapHeartbeats, a dead
	// run would look alive until the clock has reached the time of its heartbeat again.
	CapHeartbeats(ctx context.Context, latest time.Time) (int, error)

	// Prune removes completed and orphaned runs that the policy does not keep. The serials of removed runs are never
	// used again. The objects of their logs become garbage. If the policy names no source, Prune also removes old
	// snapshots. If Policy.Before is set, a snapshot from before this time is old. If only other limits are set, a
	// snapshot is old if it is older than all remaining runs of its repository. The newest trusted snapshot of each
	// kind on the default branch stays. A policy with All removes all snapshots.
	Prune(ctx context.Context, sc Scope, p Policy) (Pruned, error)

	// Garbage returns the keys of objects that are no longer needed, at most limit keys. A limit of 0 means all keys.
	Garbage(ctx context.Context, limit int) ([]string, error)

	// LogObjects returns keys of objects that runs and repositories use, in order and without duplicates. It returns
	// at most limit keys that begin with prefix and sort after the key in after. Keys have only characters up to z
	// (see CheckKey in store/blob), so the keys with a prefix sort before prefix+"~".
	LogObjects(ctx context.Context, prefix, after string, limit int) ([]string, error)

	// Collected removes keys from the garbage after their objects were deleted.
	Collected(ctx context.Context, keys []string) error
}
