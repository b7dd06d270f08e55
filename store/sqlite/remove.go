//go:build !job

package sqlite

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
)

var _ store.Remover = (*Store)(nil)

// RemoveRuns implements store.Remover.
func (s *Store) RemoveRuns(ctx context.Context, repo string, attempts []string) (int, error) {
	var done store.Pruned
	for _, attempt := range attempts {
		list, err := query(ctx, s.reader, scanCandidate, `
			SELECT id, stored, events FROM runs WHERE repo = ? AND attempt = ?`, repo, attempt)
		if err == nil {
			err = s.removeAll(ctx, list, &done)
		}
		if err != nil {
			return done.Runs, fmt.Errorf("remove runs: %w", err)
		}
	}
	return done.Runs, nil
}
