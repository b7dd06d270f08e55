package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// renaming is a transaction in which a repository gets another name. It records the statements.
type renaming struct{ statements []string }

func (r *renaming) Exec(_ context.Context, text string, _ ...any) error {
	r.statements = append(r.statements, text)
	return nil
}

// Row answers that the repository is enrolled under another name, and that no data is stored under the new name.
func (*renaming) Row(_ context.Context, text string, _ []any, into ...any) (bool, error) {
	switch to := into[0].(type) {
	case *string:
		*to = "acme/old"
		return strings.Contains(text, "FROM directory_repos"), nil
	case *bool:
		*to = true
	}
	return true, nil
}

func (*renaming) ForUpdate() string                                { return "" }
func (*renaming) Lock(context.Context, ...string) error            { return nil }
func (*renaming) MoveUsage(context.Context, string, string) error  { return nil }
func (*renaming) MoveTokens(context.Context, string, string) error { return nil }

// Each table with a column repo follows a repository to its new name, with a few exceptions.
func TestAllTablesFollowARepository(t *testing.T) {
	t.Parallel()
	var tx renaming
	taker := store.EnrolledRepo{Host: "github.com", ID: 1, Name: "acme/new"}
	if err := store.GiveName(t.Context(), &tx, taker); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "blq.db")
	sqlitetest.OpenAt(t, path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `
		SELECT m.name
		FROM sqlite_schema m
		JOIN pragma_table_info(m.name) c ON c.name = 'repo'
		WHERE m.type = 'table' AND m.name NOT IN ('usage', 'queue')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n, moves := 0, strings.Join(tx.statements, "\n")
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		if n++; !strings.Contains(moves, "UPDATE "+table+" SET") {
			t.Errorf("%s does not follow a repository to its new name: see movedTables of package store", table)
		}
	}
	if err := rows.Err(); err != nil || n == 0 {
		t.Errorf("%d tables: %v", n, err)
	}
}
