package store

import "context"

// Remover removes single runs.
type Remover interface {
	// RemoveRuns removes the runs of a repository with the given attempts, and returns the number of removed runs. The
	// serials of removed runs are never used again. RemoveRuns does not remove running runs. It returns no error for a
	// missing run.
	RemoveRuns(ctx context.Context, repo string, attempts []string) (int, error)
}
