package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// FileDigests implements store.Store.
func (s *Store) FileDigests(ctx context.Context, sc store.Scope, attempt string) (store.FileDigests, error) {
	var w where
	w.and("r.attempt = ?", encode(attempt))
	w.in(sc, store.Ref{})
	var text string
	err := s.pool.QueryRow(ctx, `SELECT r.files FROM runs r `+w.String(), w.args...).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, store.NoAttempt(attempt, false)
	}
	if err != nil {
		return nil, fmt.Errorf("read digests of files: %w", failure(ctx, err))
	}
	return store.ReadFileDigests(decode(text))
}
