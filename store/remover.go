package store

import "context"

// Remover removes single runs.
type Remover interface {
	// RemoveRuns removes runs of a repository, by their attempts, and returns their number. Their serials stay taken.
	// One that is running, or not there, stays as it is.
	RemoveRuns(ctx context.Context, repo string, attempts []string) (int, error)
}
