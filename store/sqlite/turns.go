package sqlite

import (
	"context"
	"database/sql"
)

// Enter waits until the caller may take a connection. The caller calls leave after it has returned the connection.
type Enter func(ctx context.Context) (leave func(), err error)

// TakeTurns sets two functions: read decides which call reads next, and write decides which call writes next. Without
// TakeTurns, calls are served in the order of their arrival. Call it before the first use of the store. readers is the
// max number of calls that read at the same time, including paused calls.
func (s *Store) TakeTurns(read, write Enter, readers int) {
	s.enterRead, s.enterWrite = read, write
	s.reader.SetMaxOpenConns(readers)
	s.reader.SetMaxIdleConns(4)
}

// read waits for a turn, and returns the database for reading. The caller must call leave after it has read all rows.
func (s *Store) read(ctx context.Context) (db *sql.DB, leave func(), err error) {
	leave, err = s.enterRead(ctx)
	return s.reader, leave, err
}

// readList waits for a turn, and returns the results of scan for all rows.
func readList[T any](ctx context.Context, s *Store, scan func(scan func(...any) error) (T, error),
	q string, args ...any) ([]T, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return query(ctx, db, scan, q, args...)
}

// rowsBetween is the number of rows between two pauses. SQLite runs in this process, so reading rows takes processor
// time from other calls.
const rowsBetween = 64

// atOnce is an Enter that never waits.
func atOnce(context.Context) (leave func(), err error) { return func() {}, nil }
