package sqlite

import (
	"context"
	"fmt"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// Query implements store.Store. Each statement runs in a process of its own. The process sees the rows in the scope
// through views, and can only read them.
func (s *Store) Query(ctx context.Context, sc store.Scope, q store.Query) (store.Table, error) {
	return ask(ctx, s.cage, opening{DSN: dsn(s.path, s.access+caged), All: sc.All(), Repos: sc.Names()}, q, nil)
}

// caged holds the connection settings for untrusted statements.
const caged = "&_defensive=1&_pragma=trusted_schema(0)&_pragma=cache_size(-8000)&_pragma=temp_store(2)"

// maxStatement is the max length of a statement in bytes.
const maxStatement = 100_000

// statement returns the SQL for SQLite from the SQL of a caller.
func statement(written string) (string, error) {
	if len(written) > maxStatement {
		return "", queryError(errLarge)
	}
	text, err := rewrite(written)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", store.Next(store.Errorf(store.Invalid, "the statement is empty"), anExample())
	}
	return text, nil
}

func tookTooLong(q store.Query) error {
	return store.Next(store.Errorf(store.TooLarge, "stopped after %s: fewer runs or fewer joins take less", q.Timeout),
		narrower())
}

var noise = lazyregexp.New(`^(SQL logic error|authorization denied): |( \(\d+\))+$`)

// queryError converts an error of SQLite. For an unknown relation or column, the new error names the existing relations
// or columns. SQLite has one code for most mistakes in statements, so queryError also looks at the text of the error.
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
		return store.Next(store.Errorf(store.TooLarge, "the statement or one of its values is too large"), narrower())
	case code == sqlite3.SQLITE_AUTH || strings.HasPrefix(message, "no such table") ||
		strings.HasPrefix(message, "not authorized"):
		return store.Next(store.Errorf(store.Invalid, "%s: only SELECT from %s works", message, relationNames()), anExample())
	case dialect(message) != "":
		return store.Next(store.Errorf(store.Invalid, "%s; %s", message, dialect(message)), likeExample())
	case strings.HasPrefix(message, "no such column"):
		var parts []string
		for _, r := range relations() {
			parts = append(parts, r.name+" has "+strings.Join(r.columns(), ", "))
		}
		return store.Next(store.Errorf(store.Invalid, "%s; %s", message, strings.Join(parts, "; ")), anExample())
	}
	return store.Next(store.Errorf(store.Invalid, "%s", message), anExample())
}

// otherDialects maps words from the SQL of other databases to explanations with the alternatives in SQLite.
var otherDialects = map[string]string{
	"ilike":   "SQLite has no ILIKE: its LIKE ignores the case of ASCII letters",
	"similar": "SQLite has no SIMILAR TO: use LIKE, or GLOB for [abc]",
}

// dialect returns an explanation if a word from another database's SQL caused a syntax error. It returns "" for any
// other error.
func dialect(message string) string {
	_, rest, _ := strings.Cut(message, `near "`)
	word, _, found := strings.Cut(rest, `": syntax error`)
	if !found {
		return ""
	}
	return otherDialects[strings.ToLower(word)]
}

// anExample returns a call with a working statement, for next steps.
func anExample() store.Call {
	return store.NewCall("query", "", "sql", "SELECT * FROM blq_load_runs() LIMIT 10")
}

func likeExample() store.Call {
	return store.NewCall("query", "",
		"sql", "SELECT ref, message FROM blq_load_events() WHERE message LIKE '%undefined%'")
}

func narrower() store.Call {
	return store.NewCall("query", "", "sql",
		"SELECT ref, message FROM blq_load_events() WHERE run_id = (SELECT max(run_id) FROM blq_load_runs()) LIMIT 100")
}

func relationNames() string { return "blq_load_events(), blq_load_runs() and lq_events" }
