package sqlite

import (
	"context"
	"fmt"
)

// Compact gives the space of removed rows back to the file system. It needs
// as much free space as the database has bytes, and waits for writers.
func (s *Store) Compact(ctx context.Context) error {
	if s.ReadOnly() {
		return s.unwritable()
	}
	if _, err := s.writer.ExecContext(ctx, `VACUUM`); err != nil {
		return fmt.Errorf("compact the database: %w", err)
	}
	_, err := s.writer.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}
