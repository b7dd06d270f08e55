package sqlite

import (
	"context"
	"database/sql"
)

// Enter waits until the call that ctx belongs to may take a connection. The caller calls leave when the connection is
// free again.
type Enter func(ctx context.Context) (leave func(), err error)

// TakeTurns decides who reads and who writes next; without it, that is who comes first. It is called before the store
// is used.
func (s *Store) TakeTurns(read, write Enter) { s.enterRead, s.enterWrite = read, write }

// read waits for a turn and returns the database for reading. The caller calls leave when all rows are read.
func (s *Store) read(ctx context.Context) (db *sql.DB, leave func(), err error) {
	leave, err = s.enterRead(ctx)
	return s.reader, leave, err
}

// readList waits for a turn, and returns the result of scan for each row.
func readList[T any](ctx context.Context, s *Store, scan func(scan func(...any) error) (T, error),
	q string, args ...any) ([]T, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return query(ctx, db, scan, q, args...)
}

// atOnce lets everybody enter.
func atOnce(context.Context) (leave func(), err error) { return func() {}, nil }
