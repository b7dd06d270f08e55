package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/cage"
)

// init calls Serve in every program that links this package, so no main function can forget the call. If the program
// was started as a child process for one statement (see cage.Run), the child does not initialize any package after
// this one.
func init() { cage.Serve(serve) }

// serve runs one statement in its own process.
func serve(j *cage.Jail) error {
	var o opening
	b, err := payload(j.Conn, frameOpen)
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	if err != nil {
		return err
	}
	h, err := o.open(j)
	if err != nil {
		return answerError(j, err, true)
	}
	text, err := payload(j.Conn, frameStatement)
	if err != nil {
		return err
	}
	if err := h.answer(j, string(text), o); err != nil {
		return answerError(j, err, false)
	}
	return j.Flush()
}

// payload reads a frame of the given kind, and returns its payload.
func payload(c *cage.Conn, want byte) ([]byte, error) {
	kind, size, err := c.Next()
	if err == nil && kind != want {
		err = errFrame
	}
	if err != nil {
		return nil, err
	}
	return c.Payload(size)
}

func answerError(j *cage.Jail, err error, preparing bool) error {
	reported := &engineError{text: err.Error()}
	if code := extendedCode(err); code != 0 {
		reported.code = code
	}
	if err := j.Send(frameError, reported.encode(preparing)); err != nil {
		return err
	}
	return j.Flush()
}

// open opens the database and creates the relations. Then it gives up the process's rights to open files and to start
// processes.
func (o opening) open(j *cage.Jail) (handle, error) {
	ctx := context.Background()
	if err := countMemory(); err != nil {
		return 0, err
	}
	db, err := o.database(j)
	if err != nil {
		return 0, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	// The wait for a locked database is shorter than the time limit of a statement. So the caller gets SQLite's error.
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 5000`); err != nil {
		return 0, err
	}
	heap := j.Memory() * 5 / 8 // the allocator and Go need the rest
	if o.DSN == "" {
		heap = j.Memory() * 3 / 8 // the rows need the rest
		for _, table := range []string{"runs", "events"} {
			if _, err := conn.ExecContext(ctx, fmt.Sprintf(`CREATE VIRTUAL TABLE %s USING %s`, table, module)); err != nil {
				return 0, err
			}
		}
	}
	sc := store.Repos(o.Repos...)
	if o.All {
		sc = store.Everything()
	}
	if err := relate(ctx, conn, sc); err != nil {
		return 0, err
	}
	for _, statement := range []string{
		`PRAGMA query_only = 1`, fmt.Sprintf(`PRAGMA soft_heap_limit = %d`, heap*3/4),
		fmt.Sprintf(`PRAGMA hard_heap_limit = %d`, heap),
		`SELECT datetime('now', 'localtime')`,                 // makes the process load the time zone before Seal
		`BEGIN`, `SELECT count(*) FROM blq_load_runs LIMIT 0`, // makes SQLite open all database files before Seal
	} {
		if o.DSN == "" && statement == `BEGIN` {
			break
		}
		if err := exhaust(ctx, conn, statement); err != nil {
			return 0, err
		}
	}
	if err := j.Seal(); err != nil {
		return 0, err
	}
	return confine(conn)
}

// countMemory makes SQLite count the memory that it allocates. Otherwise SQLite could not limit its memory.
func countMemory() error {
	tls := libc.NewTLS()
	defer tls.Close()
	list := libc.NewVaList(int32(1))
	if list == 0 {
		return errMemory
	}
	if rc := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MEMSTATUS, list); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("count memory: result %d", rc)
	}
	return nil
}

// database opens the database file. For a slice, it opens an in-memory database, and registers the module of the
// slice's tables.
func (o opening) database(j *cage.Jail) (*sql.DB, error) {
	if o.DSN != "" {
		return sql.Open("sqlite", o.DSN)
	}
	if err := register(&loaded{j: j, runs: newRows(sliceRuns), events: newRows(sliceEvents)}); err != nil {
		return nil, err
	}
	return sql.Open(module, "file::memory:?_dqs=0"+caged)
}

// exhaust runs one of this package's own statements to its end.
func exhaust(ctx context.Context, conn *sql.Conn, text string) error {
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		continue
	}
	return rows.Err()
}

// relate creates the relations of a scope.
func relate(ctx context.Context, conn *sql.Conn, sc store.Scope) error {
	for _, r := range relations() {
		for _, statement := range r.statements(sc) {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("create %s: %w", r.name, err)
			}
		}
	}
	return nil
}

// maxValue is the max length in bytes of a value. It is also the max length of a row that SQLite sorts.
const maxValue = 8 << 20

// confine sets the limits of a connection for an untrusted statement.
func confine(conn *sql.Conn) (handle, error) {
	for _, l := range [...][2]int{
		{sqlite3.SQLITE_LIMIT_LENGTH, maxValue},
		{sqlite3.SQLITE_LIMIT_SQL_LENGTH, maxStatement},
		{sqlite3.SQLITE_LIMIT_COLUMN, 500},
		{sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 200},
		{sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 50},
		{sqlite3.SQLITE_LIMIT_VDBE_OP, 100_000},
		{sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 100},
		{sqlite3.SQLITE_LIMIT_ATTACHED, 0},
		{sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
		{sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 0},
		{sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0},
	} {
		if _, err := sqlite.Limit(conn, l[0], l[1]); err != nil {
			return 0, fmt.Errorf("set limit: %w", err)
		}
	}
	h, err := handleOf(conn)
	if err != nil {
		return 0, err
	}
	return h, h.guard()
}

// answer runs a statement and sends its rows. It stops when the statement ends or reaches a limit.
func (h handle) answer(j *cage.Jail, text string, o opening) error {
	s, err := h.prepare(text)
	if err != nil {
		return err
	}
	if s.columns == 0 {
		return j.Send(frameNothing)
	}
	names, err := s.names(nil)
	if err != nil {
		return err
	}
	if err := j.Send(frameColumns, names); err != nil {
		return err
	}
	left := o.MaxAnswer - int64(len(names))
	var b []byte
	var size int64
	for n := 0; ; n++ {
		more, err := s.step()
		if err != nil || !more {
			return errors.Join(err, finish(j, b, false, err))
		}
		bytes, costs := s.size()
		size, left = size+bytes, left-costs
		if o.MaxRows > 0 && n == o.MaxRows || o.MaxBytes > 0 && size > int64(o.MaxBytes) || left < 0 {
			return finish(j, b, true, nil)
		}
		if b, err = s.values(b); err != nil {
			return err
		}
		if len(b) >= batch {
			if err := j.Send(frameRows, b); err != nil {
				return err
			}
			if b = b[:0]; cap(b) > 8*batch {
				b = nil
			}
		}
	}
}

// finish sends the last rows and the end of an answer. It does nothing if the statement has failed.
func finish(j *cage.Jail, rows []byte, truncated bool, failed error) error {
	if failed != nil {
		return nil
	}
	if err := j.Send(frameRows, rows); err != nil {
		return err
	}
	end := []byte{0}
	if truncated {
		end[0] = 1
	}
	return j.Send(frameEnd, end)
}
