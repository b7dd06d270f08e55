package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/blq-ci/blq/store"
)

// ReadOnly reports whether the file could be opened only for reading, because the file or its directory is not writable
// or the disk is full. If so, calls that only read succeed, and calls that write return Unavailable.
func (s *Store) ReadOnly() bool { return s.writer == nil }

// isUnwritable reports whether the cause of err may be a file that can be read but not be written.
func isUnwritable(err error) bool {
	switch resultCode(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return true
	}
	return false
}

// isFull reports whether the cause of err may be a disk without room. Even for reading, SQLite needs room for the
// files that processes share.
func isFull(err error) bool {
	switch extendedCode(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE,
		sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE:
		return true
	}
	return false
}

// errReadOnly is the error of writable for a file that SQLite could open only for reading.
var errReadOnly = errors.New("the file cannot be written")

// writable checks that SQLite has opened the file for writing.
func writable(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		readOnly, err := c.(*connection).IsReadOnly("main")
		if err == nil && readOnly {
			err = errReadOnly
		}
		return err
	})
}

// openReadOnly opens a file that can only be read. If other processes use the database, it opens the file as usual. If
// no process uses the database, SQLite would have to create the files that processes share, and cannot. Then
// openReadOnly tells SQLite that the file does not change. This is correct only if there is no journal with newer rows.
func openReadOnly(ctx context.Context, path string) (*Store, error) {
	s := &Store{path: path, access: "&mode=ro"}
	err := s.openReader(ctx)
	if !isUnwritable(err) && !isFull(err) {
		return s, err
	}
	if info, statErr := os.Stat(path + "-wal"); statErr == nil && info.Size() > 0 {
		return nil, err
	}
	s.access = "&mode=ro&immutable=1"
	return s, s.openReader(ctx)
}

// openReader opens the connections for reading, and checks the schema.
func (s *Store) openReader(ctx context.Context) error {
	reader, err := openDB(dsn(s.path, s.access))
	if err != nil {
		return err
	}
	have, err := schemaVersion(ctx, reader, s.path)
	if err == nil {
		err = s.understands(have)
	}
	if err != nil {
		return errors.Join(err, reader.Close())
	}
	s.reader = reader
	return nil
}

// understands checks the schema of a file that cannot be changed: it must be this program's schema. have is the version
// of the file's schema.
func (s *Store) understands(have int64) error {
	want, err := store.NewestMigration(files())
	switch {
	case err != nil || have == want:
		return err
	case have > want:
		return newerSchema(s.path, have, want)
	}
	return store.Next(store.Errorf(store.Unavailable,
		"%s was written by an older blq and cannot be written, so it stays as it is", s.path),
		store.Shell{Line: "ls -l " + shellWord(s.path)})
}
