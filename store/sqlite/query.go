package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// Query implements store.Store. Each statement has its own connection, which sees the scope's rows through views
// and can only read them.
func (s *Store) Query(ctx context.Context, sc store.Scope, q store.Query) (store.Table, error) {
	text, err := statement(q.SQL)
	if err != nil {
		return store.Table{}, err
	}
	db, err := sql.Open("sqlite", dsn(s.path, s.access+caged))
	if err != nil {
		return store.Table{}, fmt.Errorf("query: %w", err)
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return store.Table{}, fmt.Errorf("query: %w", busyError(err))
	}
	defer conn.Close()
	h, err := confine(ctx, conn, sc)
	if err != nil {
		return store.Table{}, fmt.Errorf("query: %w", err)
	}
	return h.answer(ctx, conn, text, q)
}

// caged are the settings of connections for untrusted statements.
const caged = "&_defensive=1&_pragma=trusted_schema(0)&_pragma=cache_size(-16000)"

// statement returns the SQL that SQLite runs for the SQL of a caller.
func statement(written string) (string, error) {
	text, err := rewrite(written)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", store.Next(store.Errorf(store.Invalid, "the statement is empty"), anExample)
	}
	return text, nil
}

// answer runs a statement on a confined connection, within its time.
func (h handle) answer(ctx context.Context, conn *sql.Conn, text string, q store.Query) (store.Table, error) {
	inner, cancel := ctx, context.CancelFunc(func() {})
	if q.Timeout > 0 {
		inner, cancel = context.WithTimeout(ctx, q.Timeout)
	}
	defer cancel()
	t, err := h.run(inner, conn, text, q)
	switch {
	case err == nil:
		return t, nil
	case ctx.Err() != nil:
		return store.Table{}, ctx.Err()
	case inner.Err() != nil:
		return store.Table{}, tookTooLong(q)
	}
	return store.Table{}, queryError(err)
}

func tookTooLong(q store.Query) error {
	return store.Next(store.Errorf(store.TooLarge, "stopped after %s: fewer runs or fewer joins take less", q.Timeout),
		narrower)
}

// confine prepares a connection for an untrusted statement.
func confine(ctx context.Context, conn *sql.Conn, sc store.Scope) (handle, error) {
	for _, r := range relations() {
		for _, statement := range r.statements(sc) {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return 0, fmt.Errorf("create %s: %w", r.name, busyError(err))
			}
		}
	}
	if _, err := conn.ExecContext(ctx, `PRAGMA query_only = 1`); err != nil {
		return 0, err
	}
	for _, l := range [...][2]int{
		{sqlite3.SQLITE_LIMIT_LENGTH, 16 << 20},
		{sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000},
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

// run runs a statement to its end or to its limits.
func (h handle) run(ctx context.Context, conn *sql.Conn, text string, q store.Query) (store.Table, error) {
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		h.interrupt()
	})
	defer func() {
		if !stop() {
			<-stopped // the connection must not be closed before
		}
	}()
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return store.Table{}, err
	}
	defer rows.Close()
	t := store.Table{Rows: [][]any{}}
	if t.Columns, err = rows.Columns(); err != nil {
		return store.Table{}, err
	}
	if len(t.Columns) == 0 {
		return store.Table{},
			store.Next(store.Errorf(store.Invalid, "the statement returns nothing: only SELECT works"), anExample)
	}
	size := 0
	for rows.Next() {
		row, n, err := scanValues(rows, len(t.Columns))
		if err != nil {
			return store.Table{}, err
		}
		size += n
		if q.MaxRows > 0 && len(t.Rows) == q.MaxRows || q.MaxBytes > 0 && size > q.MaxBytes {
			t.Truncated = true
			return t, nil
		}
		t.Rows = append(t.Rows, row)
	}
	return t, errors.Join(rows.Err(), ctx.Err())
}

// scanValues returns the values of a row and their size.
func scanValues(rows *sql.Rows, n int) ([]any, int, error) {
	values, targets := make([]any, n), make([]any, n)
	for i := range values {
		targets[i] = &values[i]
	}
	if err := rows.Scan(targets...); err != nil {
		return nil, 0, err
	}
	size := 0
	for i, v := range values {
		switch v := v.(type) {
		case string:
			size += len(v)
		case []byte:
			values[i] = string(v)
			size += len(v)
		default:
			size += 8
		}
	}
	return values, size, nil
}

var noise = lazyregexp.New(`^(SQL logic error|authorization denied): |( \(\d+\))+$`)

// queryError describes what is wrong with a statement, and which relations and columns exist. SQLite has one code
// for all mistakes in a statement, so its text decides which of them are named.
func queryError(err error) error {
	if store.CodeOf(err) != "" {
		return err
	}
	message := noise.ReplaceAllString(err.Error(), "")
	switch code := resultCode(err); {
	case code == 0:
		return fmt.Errorf("query: %w", err)
	case code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_IOERR:
		return fmt.Errorf("query: %w", busyError(err))
	case code == sqlite3.SQLITE_TOOBIG || code == sqlite3.SQLITE_NOMEM || code == sqlite3.SQLITE_FULL:
		return store.Next(store.Errorf(store.TooLarge, "the statement or one of its values is too large"), narrower)
	case code == sqlite3.SQLITE_AUTH || strings.HasPrefix(message, "no such table") ||
		strings.HasPrefix(message, "not authorized"):
		return store.Next(store.Errorf(store.Invalid, "%s: only SELECT from %s works", message, relationNames()), anExample)
	case strings.HasPrefix(message, "no such column"):
		var parts []string
		for _, r := range relations() {
			parts = append(parts, r.name+" has "+strings.Join(r.columns(), ", "))
		}
		return store.Next(store.Errorf(store.Invalid, "%s; %s", message, strings.Join(parts, "; ")), anExample)
	}
	return store.Next(store.Errorf(store.Invalid, "%s", message), anExample)
}

// These are statements that work, for next steps.
var (
	anExample = store.NewCall("query", "", "sql", "SELECT * FROM blq_load_runs() LIMIT 10")
	narrower  = store.NewCall("query", "", "sql",
		"SELECT ref, message FROM blq_load_events() WHERE run_id = (SELECT max(run_id) FROM blq_load_runs()) LIMIT 100")
)

func relationNames() string { return "blq_load_events(), blq_load_runs() and lq_events" }
