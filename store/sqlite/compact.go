package sqlite

import (
	"context"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/blq-ci/blq/store"
)

// Compact returns the space of removed rows to the file system. It waits for writers, and needs free space of the size
// of the database. Unavailable: there is too little space, or the database is busy.
func (s *Store) Compact(ctx context.Context) error {
	if s.ReadOnly() {
		return s.unwritable()
	}
	if _, err := s.writer.ExecContext(ctx, `VACUUM`); err != nil {
		if resultCode(err) == sqlite3.SQLITE_FULL {
			return store.Next(store.Errorf(store.Unavailable,
				"the runs are removed, but the database keeps its size: no space is left to compact it: %w", err),
				store.NewCall("clean", "makes it anew, without any runs", "mode", "schema", "confirm", true))
		}
		return fmt.Errorf("compact the database: %w", busyError(err))
	}
	_, err := s.writer.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}
