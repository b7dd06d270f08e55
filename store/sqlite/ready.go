package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Ready checks that the database is writable. It writes a row, unless this process has committed in the last second. If
// it cannot write the row, but another call has committed in the meantime, Ready returns nil. Unavailable: the database
// is not writable.
func (s *Store) Ready(ctx context.Context) error {
	recent := time.Now().Add(-time.Second).UnixNano()
	if s.wrote.Load() >= recent {
		return nil
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO readiness (id, at) VALUES (1, unixepoch())
			ON CONFLICT (id) DO UPDATE SET at = excluded.at`)
		return err
	})
	if err != nil && s.wrote.Load() < recent {
		return fmt.Errorf("write the database: %w", err)
	}
	return nil
}
