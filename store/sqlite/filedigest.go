package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// FileDigests implements store.Store.
func (s *Store) FileDigests(ctx context.Context, sc store.Scope, attempt string) (store.FileDigests, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var w where
	w.and("r.attempt = ?", attempt)
	w.in(sc, store.Ref{})
	var text string
	err = db.QueryRowContext(ctx, `SELECT r.files FROM runs r `+w.String(), w.args...).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, store.NoAttempt(attempt, false)
	}
	if err != nil {
		return nil, fmt.Errorf("read digests of files: %w", busyError(err))
	}
	return store.ReadFileDigests(text)
}
