package store_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// Each table with a column repo follows a repository to its new name, but for those that need not.
func TestAllTablesFollowARepository(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blq.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
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
	n, moves := 0, strings.Join(store.Moves(), "\n")
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		if n++; !strings.Contains(moves, "UPDATE "+table+" SET") {
			t.Errorf("%s does not follow a repository to its new name: see store.Moves", table)
		}
	}
	if err := rows.Err(); err != nil || n == 0 {
		t.Errorf("%d tables: %v", n, err)
	}
}
