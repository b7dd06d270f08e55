package store

import "context"

// Remover removes single runs.
type Remover interface {
	// RemoveRuns removes runs of a repository by their attempts, and returns the number of removed runs. The serials of
	// these runs are never used again. RemoveRuns does not remove a running run. A missing run is not an error.
	RemoveRuns(ctx context.Context, repo string, attempts []string) (int, error)
}
