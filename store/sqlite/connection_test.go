package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/blq-ci/blq/store"
)

// keepingConn returns a connection to a new database with a table of three rows, and the database's path.
func keepingConn(t *testing.T) (conn *sql.Conn, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "kept.db")
	db, err := openDB(dsn(path, "&_journal_mode=WAL"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if conn, err = db.Conn(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	run(t, conn, `CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT`)
	for a, b := range []string{"x", "y", "z"} {
		run(t, conn, `INSERT INTO t VALUES (?, ?)`, a, b)
	}
	return conn, path
}

func run(t *testing.T, conn *sql.Conn, q string, args ...any) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), q, args...); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

// idle returns the number of statements that the connection keeps for reuse, and whether one of them has the text q.
func idle(t *testing.T, conn *sql.Conn, q string) (n int, has bool) {
	t.Helper()
	err := conn.Raw(func(c any) error {
		kept := c.(*connection).idle
		n = len(kept)
		_, has = kept[q]
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n, has
}

// words returns the rows of a query as one text. If the function meanwhile is not nil, words calls it after the first
// row.
func words(t *testing.T, conn *sql.Conn, meanwhile func(), q string, args ...any) (all string) {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), q, args...)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		if all == "" && meanwhile != nil {
			meanwhile()
		}
		all += s
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

const inOrder = `SELECT b FROM t WHERE a >= ? ORDER BY a`

func TestAStatementInUseIsNotShared(t *testing.T) {
	t.Parallel()
	conn, _ := keepingConn(t)
	var second string
	first := words(t, conn, func() { second = words(t, conn, nil, inOrder, 1) }, inOrder, 0)
	if first != "xyz" || second != "yz" {
		t.Errorf("the first has %q, and the second %q", first, second)
	}
	if _, has := idle(t, conn, inOrder); !has {
		t.Error("the statement is not kept")
	}
}

func TestAKeptStatementStartsAnew(t *testing.T) {
	t.Parallel()
	conn, _ := keepingConn(t)
	var first string
	if err := conn.QueryRowContext(t.Context(), inOrder, 0).Scan(&first); err != nil || first != "x" { // reads one row
		t.Fatal(first, err)
	}
	if got := words(t, conn, nil, inOrder, 1); got != "yz" {
		t.Errorf("then it has %q", got)
	}
}

func TestAKeptStatementSeesAChangeOfTheSchema(t *testing.T) {
	t.Parallel()
	conn, path := keepingConn(t)
	const all = `SELECT * FROM t WHERE a = 2`
	columns := func() int {
		rows, err := conn.QueryContext(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err != nil || !rows.Next() {
			t.Fatal(err, rows.Err())
		}
		return len(names)
	}
	before := columns()
	other, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), `ALTER TABLE t ADD COLUMN c TEXT`); err != nil {
		t.Fatal(err) // this also fails if a kept statement has locked the table
	}
	if after := columns(); before != 2 || after != 3 {
		t.Errorf("%d columns, then %d", before, after)
	}
}

func TestWhichStatementsAreKept(t *testing.T) {
	t.Parallel()
	conn, _ := keepingConn(t)
	const twice = `INSERT INTO t (b) VALUES ('v'); INSERT INTO t (b) VALUES ('w')`
	run(t, conn, twice)
	run(t, conn, twice)
	if got := words(t, conn, nil, inOrder, 0); got != "xyzvwvw" {
		t.Errorf("a text of two statements stores %q", got)
	}
	const taken = `INSERT INTO t VALUES (0, 'again')`
	if _, err := conn.ExecContext(t.Context(), taken); !isTaken(err) {
		t.Error(err)
	}
	const pragma = `PRAGMA busy_timeout = 7`
	run(t, conn, pragma)
	for _, q := range []string{taken, pragma} {
		if _, has := idle(t, conn, q); has {
			t.Errorf("%s is kept", q)
		}
	}
	for i := range 2 * maxKept {
		words(t, conn, nil, fmt.Sprintf(`SELECT %d`, i))
		words(t, conn, nil, inOrder, 0) // often used
	}
	if n, has := idle(t, conn, inOrder); n != maxKept || !has {
		t.Errorf("%d statements are kept, the often used one: %v", n, has)
	}
	if _, has := idle(t, conn, fmt.Sprintf(`SELECT %d`, 2*maxKept-1)); !has {
		t.Error("the newest is not kept")
	}
}

func TestAnInterruptedStatementIsNotKept(t *testing.T) {
	t.Parallel()
	conn, path := keepingConn(t)
	const endless = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n`
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var max int
	if err := conn.QueryRowContext(ctx, endless).Scan(&max); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	conn.Close()
	db, err := openDB(dsn(path, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM t`).Scan(&n); err != nil || n != 3 {
		t.Error(n, err)
	}
}

// SQLite removes the file of the write-ahead log only if the last connection is closed with all of its statements.
func TestAConnectionIsClosedWithItsStatements(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kept.db")
	db, err := openDB(dsn(path, "&_journal_mode=WAL"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE t (a)`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `INSERT INTO t VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	if !exists(path + "-wal") {
		t.Error("there is no log while the database is open")
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + "-wal"); !os.IsNotExist(err) {
		t.Errorf("the log is still there: %v", err)
	}
}

func TestSetBusy(t *testing.T) {
	t.Parallel()
	conn, _ := keepingConn(t)
	for _, step := range []struct {
		set  time.Duration
		want int
	}{
		{time.Minute, 60000},
		{50 * time.Second, 50000}, // never longer than asked for
		{time.Minute, 50000},      // close enough
		{2 * time.Minute, 120000}, // much longer
		{1500 * time.Millisecond, 1500},
		{5999 * time.Millisecond, 5000},
		{300 * time.Millisecond, 300},
		{-time.Second, 0},
		{time.Minute, 60000},
	} {
		err := conn.Raw(func(c any) error { return c.(*connection).setBusy(t.Context(), step.set) })
		var got int
		if also := conn.QueryRowContext(t.Context(), `PRAGMA busy_timeout`).Scan(&got); err != nil || also != nil {
			t.Fatal(err, also)
		}
		if got != step.want {
			t.Errorf("%v sets %d ms, not %d", step.set, got, step.want)
		}
	}
}

// SQLite prepares a kept statement again if the value of a parameter could change the plan. That often takes longer
// than running the statement.
func TestAKeptStatementIsPreparedOnce(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "blq.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.reader.SetMaxOpenConns(1)
	now, all, print := time.Unix(1e9, 0), store.Everything(), store.Fingerprint(store.Event{Tool: "gcc", Message: "m"})
	for range 3 {
		if _, err := s.PutWork(t.Context(), now, store.Work{Key: "a", Kind: "a", Repo: "o/a", Wakes: true}); err != nil {
			t.Fatal(err)
		}
		for _, ask := range []func() error{
			func() error { return errorOf(s.ClaimWork(t.Context(), "me", 8, now, now)) },
			func() error { return errorOf(s.Works(t.Context(), store.WorkFilter{Limit: 5})) },
			func() error { return errorOf(s.Tests(t.Context(), all, store.TestFilter{Repo: "o/a", Limit: 5})) },
			func() error { return errorOf(s.TestHistory(t.Context(), all, store.Test{ID: 1})) },
			func() error { return errorOf(s.Events(t.Context(), all, store.EventFilter{Limit: 5})) },
			func() error { return errorOf(s.Sightings(t.Context(), all, "o/a", 5, print)) },
			func() error { return errorOf(s.Branches(t.Context(), all, "o/a", 5)) },
			func() error {
				return errorOf(s.Snapshots(t.Context(), all, store.SnapshotFilter{Repo: "o/a", Limit: 5}))
			},
		} {
			if err := ask(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, db := range []*sql.DB{s.writer, s.reader} {
		for _, q := range preparedAgain(t, db) {
			t.Errorf("this statement was prepared again: %s", q)
		}
	}
}

// preparedAgain returns the statements that SQLite has prepared again on a connection of a database.
func preparedAgain(t *testing.T, db *sql.DB) (list []string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var h uintptr
	err = conn.Raw(func(c any) error {
		h = uintptr(reflect.ValueOf(c.(*connection).driverConn).Elem().FieldByName("db").Uint())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tls := libc.NewTLS()
	defer tls.Close()
	for p := sqlite3.Xsqlite3_next_stmt(tls, h, 0); p != 0; p = sqlite3.Xsqlite3_next_stmt(tls, h, p) {
		if sqlite3.Xsqlite3_stmt_status(tls, p, sqlite3.SQLITE_STMTSTATUS_REPREPARE, 0) > 0 {
			list = append(list, libc.GoString(sqlite3.Xsqlite3_sql(tls, p)))
		}
	}
	return list
}

func errorOf[T any](_ T, err error) error { return err }
