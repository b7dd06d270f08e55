// Package sqlite implements store.Store for a single machine, in one SQLite file. Several processes may use the file at
// the same time.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/cage"
)

// Store is a store.Store in a SQLite file. Its methods may be called from
// several goroutines.
type Store struct {
	path   string
	access string  // parameters for opening read-only connections
	writer *sql.DB // a single connection, so that writers in this process wait for each other; nil for a read-only file
	reader *sql.DB
	wrote  atomic.Int64 // time of this process's last commit, in nanoseconds since 1970
	cage   *cage.Cage   // limits the processes in which Query runs statements

	enterRead, enterWrite Enter
	together              together
}

var _ store.Store = (*Store)(nil)

// These are the max times that this process waits while other processes lock the database.
const (
	busy       = time.Minute     // for writing, if the context has no deadline; other blq processes write, too
	busyToRead = 4 * time.Second // for opening and reading: only programs other than blq lock out readers
)

// ownMemory is the max memory in bytes for statements and their answers on a user's own machine. Sorting a million
// events needs less than that.
const ownMemory = 256 << 20

// Open opens the database file at path. If there is no such file, it creates the file, but the directory must exist. If
// the file is not writable, Open opens it for reading; see ReadOnly. Invalid: the file is not a blq database, is
// damaged, or was written by a newer blq. Unavailable: the file cannot be opened.
func Open(ctx context.Context, path string) (*Store, error) { return openFor(ctx, path, false) }

// OpenToRead does the same as Open, for a process that mostly reads. If the schema is current, the connection for
// writing is opened only for the first write. Each new connection reads the schema, and this takes longer than most
// questions.
func OpenToRead(ctx context.Context, path string) (*Store, error) { return openFor(ctx, path, true) }

func openFor(ctx context.Context, path string, read bool) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s, err := open(ctx, path, read)
	if (isUnwritable(err) || errors.Is(err, errReadOnly) || read && isFull(err)) && exists(path) {
		s, err = openReadOnly(ctx, path)
	}
	if err != nil {
		return nil, openError(path, err)
	}
	s.cage = cage.New(cage.Options{Memory: ownMemory, Answer: ownMemory})
	s.TakeTurns(atOnce, atOnce, max(4, runtime.NumCPU()+2))
	return s, nil
}

func open(ctx context.Context, path string, read bool) (*Store, error) {
	writer, err := openDB(dsn(path, "&_txlock=immediate&_pragma=temp_store(memory)")) // undo logs stay in memory
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	reader, err := openDB(dsn(path, "&_query_only=1"))
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	if !read || !isCurrent(ctx, reader, path) {
		err = migrate(ctx, writer, path)
		if err == nil {
			err = writable(ctx, writer)
		}
	}
	if err != nil {
		return nil, errors.Join(err, reader.Close(), writer.Close())
	}
	return &Store{path: path, access: "&mode=ro", writer: writer, reader: reader}, nil
}

// isCurrent reports whether a file has this program's schema and can be written.
func isCurrent(ctx context.Context, db *sql.DB, path string) bool {
	want, err := store.NewestMigration(files())
	if err != nil || !exists(path) { // connecting would make the file
		return false
	}
	have, err := schemaVersion(ctx, db, path)
	return err == nil && have == want && writable(ctx, db) == nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// LimitQueries sets the limits of the processes in which Query runs statements. Call it before the first use of the
// store.
func (s *Store) LimitQueries(o cage.Options) { s.cage = cage.New(o) }

// Close releases the store.
func (s *Store) Close() error {
	s.cage.Close()
	err := s.reader.Close()
	if s.writer != nil {
		err = errors.Join(err, s.writer.Close())
	}
	return err
}

// maxLeft is the max size in bytes of a write-ahead log that Leave does not move into the database file. The next
// process reads the whole log.
const maxLeft = 400 << 10

// Leave replaces Close in a process that is about to end. All data is stored. If the write-ahead log is small, Leave
// neither closes the database nor moves the log into the database file. Moving the log would sync the disk several
// times, and the next process would make a new log. The next process that opens the database uses the log.
func (s *Store) Leave() error {
	info, err := os.Stat(s.path + "-wal")
	if err != nil || info.Size() > maxLeft || s.ReadOnly() {
		return s.Close()
	}
	s.cage.Close()
	return nil
}

func dsn(path, more string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	return fmt.Sprintf("%s?_dqs=0&_busy_timeout=%d&_foreign_keys=1&_synchronous=FULL%s", u.String(),
		busyToRead.Milliseconds(), more)
}

// write runs f in a transaction. The transaction holds the write lock from its start. So the data that f reads cannot
// change before f writes.
func (s *Store) write(ctx context.Context, f func(tx *sql.Tx) error) error {
	if s.ReadOnly() {
		return s.unwritable()
	}
	leave, err := s.enterWrite(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.transact(ctx, f)
}

// transact does the same as write, for a caller who already has a turn to write.
func (s *Store) transact(ctx context.Context, f func(tx *sql.Tx) error) error {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return busyError(err)
	}
	defer conn.Close()
	patience := busy
	if deadline, ok := ctx.Deadline(); ok { // SQLite checks ctx only between steps; a lock wait is one step
		patience = min(busy, time.Until(deadline))
	}
	err = conn.Raw(func(c any) error { return c.(*connection).setBusy(ctx, patience) })
	if err != nil {
		return busyError(err)
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return busyError(err)
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return busyError(err)
	}
	if err := tx.Commit(); err != nil {
		return busyError(err)
	}
	s.wrote.Store(time.Now().UnixNano())
	return nil
}

// querier runs queries. Transactions and databases implement it.
type querier interface {
	QueryContext(ctx context.Context, q string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, q string, args ...any) *sql.Row
}

// query returns the results of scan for all rows. eachRow does most of the work, because the program has a copy of this
// function for each type.
func query[T any](ctx context.Context, db querier, scan func(scan func(...any) error) (T, error),
	q string, args ...any) ([]T, error) {
	var list []T
	err := eachRow(ctx, db, func(columns func(...any) error) error {
		v, err := scan(columns)
		if err == nil {
			list = append(list, v)
		}
		return err
	}, q, args)
	return list, err
}

// eachRow calls a function for each row. It pauses after every rowsBetween rows, to let other calls work.
func eachRow(ctx context.Context, db querier, row func(columns func(...any) error) error, q string, args []any) error {
	rows, err := db.QueryContext(ctx, q, args...) //nolint:rowserrcheck // store.EachRow checks rows.Err
	if err != nil {
		return busyError(err)
	}
	defer rows.Close()
	n := 0
	return busyError(store.EachRow(ctx, rows, func(columns func(...any) error) error {
		if n++; n%rowsBetween == 0 {
			if err := store.Pause(ctx); err != nil {
				return err
			}
		}
		return row(columns)
	}))
}

// extendedCode returns SQLite's extended result code of err. It returns 0 if err is not from SQLite.
func extendedCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	var reported *engineError
	if errors.As(err, &reported) {
		return reported.code
	}
	return 0
}

// resultCode returns SQLite's primary result code of err. It returns 0 if err is not from SQLite.
func resultCode(err error) int { return extendedCode(err) & 0xff }

// isTaken reports whether SQLite refused a row because the row already exists.
func isTaken(err error) bool {
	code := extendedCode(err)
	return code == sqlite3.SQLITE_CONSTRAINT_UNIQUE || code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

// busyError returns an Unavailable error if the database is locked, full, damaged or read-only, or if the disk fails.
// It returns any other error unchanged.
func busyError(err error) error {
	switch resultCode(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return store.Next(store.Errorf(store.Unavailable, "another process keeps the database locked: %w", err),
			store.NewCall("status", "shows the runs that are being recorded; try again after them"))
	case sqlite3.SQLITE_FULL:
		return store.Next(store.Errorf(store.Unavailable, "no space is left for the database: %w", err),
			store.NewCall("clean", "or free space on the disk", "mode", "prune", "days", 30, "confirm", true))
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN: // also the error for a quota or a limit on file sizes
		return store.Next(store.Errorf(store.Unavailable, "the disk fails the database: %w", err),
			store.NewCall("clean", "if its space or quota is used up", "mode", "prune", "days", 30, "confirm", true))
	case sqlite3.SQLITE_READONLY:
		return store.Next(store.Errorf(store.Unavailable, "the database cannot be written: %w", err), elsewhere)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return store.Next(store.Errorf(store.Unavailable, "the database is damaged: %w", err), store.NewCall("clean",
			"makes it anew, without its runs; sqlite3 and its .recover may save them", "mode", "schema", "confirm", true))
	}
	return err
}

func openError(path string, err error) error {
	anew := store.NewCall("clean", "makes it anew; what it held is lost", "mode", "schema", "confirm", true)
	aside := store.Shell{Line: fmt.Sprintf("mv %[1]s %[1]s.bad", shellWord(path)),
		Why: "a new one is made then", Or: &anew}
	if isFull(err) {
		return store.Next(store.Errorf(store.Unavailable, "the disk has no room for the database %s, or fails: %w", path, err),
			store.Shell{Line: "df -h " + shellWord(filepath.Dir(path)),
				Why: "shows the room; a quota and ulimit -f are limits as well"})
	}
	switch resultCode(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return store.Next(
			store.Errorf(store.Unavailable, "another program keeps the database %s locked: waited for %s", path, busyToRead),
			store.Shell{Line: "fuser -v " + shellWord(path), Why: "names the programs that have it open"})
	case sqlite3.SQLITE_NOTADB:
		return store.Next(store.Errorf(store.Invalid, "%s is not a database", path), aside)
	case sqlite3.SQLITE_CORRUPT:
		return store.Next(store.Errorf(store.Invalid, "the database %s is damaged", path), aside)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
		return store.Next(store.Errorf(store.Unavailable, "cannot open the database %s: %w", path, err),
			store.Shell{Line: "ls -ld " + shellWord(path), Why: "it and its directory have to be readable and writable"})
	}
	if store.CodeOf(err) != "" {
		return err
	}
	return fmt.Errorf("open %s: %w", path, err)
}

// elsewhere is a next step: it records runs in another place.
var elsewhere = store.Shell{Line: `export BLQ_DIR="$(mktemp -d)"`, Why: "records there instead, in this shell"}

func (s *Store) unwritable() error {
	return store.Next(store.Errorf(store.Unavailable, "%s cannot be written", s.path), elsewhere)
}

// shellWord returns a path as one word of a shell command.
func shellWord(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// micros returns a time in microseconds since 1970, as the file stores it. It returns 0 for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}
