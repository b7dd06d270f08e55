package sqlite

import (
	"context"
	"database/sql"

	"github.com/blq-ci/blq/store"
)

// Enter waits until the call that ctx belongs to may take a connection. The caller calls leave when the connection is
// free again.
type Enter func(ctx context.Context) (leave func(), err error)

// TakeTurns decides who reads and who writes next; without it, whoever comes first does. It is called before the store
// is used. Up to readers calls read at a time, including those that pause.
func (s *Store) TakeTurns(read, write Enter, readers int) {
	s.enterRead, s.enterWrite = read, write
	s.reader.SetMaxOpenConns(readers)
	s.reader.SetMaxIdleConns(4)
}

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

// rowsBetween is how many rows are read before others may work. SQLite reads them on a processor of this process.
const rowsBetween = 64

// pausing returns a scan that lets others work between rows.
func pausing[T any](ctx context.Context, scan func(scan func(...any) error) (T, error)) func(func(...any) error) (
	T, error) {
	n := 0
	return func(columns func(...any) error) (T, error) {
		if n++; n%rowsBetween == 0 {
			if err := store.Pause(ctx); err != nil {
				var none T
				return none, err
			}
		}
		return scan(columns)
	}
}

// atOnce lets everybody enter.
func atOnce(context.Context) (leave func(), err error) { return func() {}, nil }
