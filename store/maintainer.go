package store

import (
	"context"
	"time"
)

// Maintainer keeps a Store in order: it marks runs that died and removes old ones.
type Maintainer interface {
	SnapshotMaintainer

	// OrphanRun marks a running run as orphaned and reports whether it did. It does not change a run whose heartbeat
	// is newer than seen. NotFound: no such attempt.
	OrphanRun(ctx context.Context, attempt string, seen time.Time) (bool, error)

	// Prune removes completed and orphaned runs that the policy does not keep.
	// Their serials stay taken. The objects of their logs become garbage. Unless the policy names a source, it also
	// removes the snapshots that are older than the policy allows, or than all runs that it leaves to their repository.
	// The newest trusted one of each kind on the default branch stays, unless everything goes.
	Prune(ctx context.Context, sc Scope, p Policy) (Pruned, error)

	// Garbage returns the keys of objects that nothing refers to any more, up to limit, 0 for all.
	Garbage(ctx context.Context, limit int) ([]string, error)

	// LogObjects returns the keys of objects that runs and repositories refer to: those that begin with prefix and follow
	// after, sorted, each once, up to limit. Keys have no characters after z, see CheckKey of store/blob.
	LogObjects(ctx context.Context, prefix, after string, limit int) ([]string, error)

	// Collected forgets garbage after its objects were deleted.
	Collected(ctx context.Context, keys []string) error
}
