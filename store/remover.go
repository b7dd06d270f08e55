package store

import "context"

// Remover removes single runs.
type Remover interface {
	// RemoveRuns removes runs of a repository, by their attempts, and returns their number. Their serials stay taken. A
	// run that is running stays, and a missing one is no error.
	RemoveRuns(ctx context.Context, repo string, attempts []string) (int, error)
}
