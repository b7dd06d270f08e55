package store

import (
	"context"
	"time"
)

// Maintainer does the maintenance of a Store: it marks dead runs and removes old ones.
type Maintainer interface {
	SnapshotMaintainer

	// OrphanRun marks a running run as orphaned, and reports whether it marked the run. It does not change a run with a
	// heartbeat after seen. NotFound: there is no such attempt.
	OrphanRun(ctx context.Context, attempt string, seen time.Time) (bool, error)

	// Prune removes completed and orphaned runs that the policy does not keep. The serials of removed runs are never
	// used again. The objects of their logs become garbage. Prune also removes old snapshots if the policy does not
	// name a source. A snapshot is old if it is older than the policy allows, or older than all remaining runs of its
	// repository. The newest trusted snapshot of each kind on the default branch stays, except if the policy removes
	// everything.
	Prune(ctx context.Context, sc Scope, p Policy) (Pruned, error)

	// Garbage returns up to limit keys of objects that are not needed any more; 0 means all.
	Garbage(ctx context.Context, limit int) ([]string, error)

	// LogObjects returns keys of objects to which runs and repositories refer. The keys begin with prefix and sort
	// after the key in after. It returns at most limit keys, in order and without duplicates. No character of a key
	// sorts after z; see CheckKey in store/blob.
	LogObjects(ctx context.Context, prefix, after string, limit int) ([]string, error)

	// Collected removes keys from the garbage after their objects were deleted.
	Collected(ctx context.Context, keys []string) error
}
