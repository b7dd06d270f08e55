package sqlite

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write schema.sql anew")

// A new database is made from schema.sql. Its schema equals that of a database made by all migrations.
func TestTheSchemaIsThatOfTheMigrations(t *testing.T) {
	t.Parallel()
	migrated := emptyDatabase(t)
	list, err := steps()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if err := m.apply(t.Context(), migrated); err != nil {
			t.Fatal(m.number, err)
		}
	}
	want := dump(t, migrated)
	if *update {
		if err := os.WriteFile("schema.sql", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		schema = want
	}
	created := emptyDatabase(t)
	if made, err := create(t.Context(), created); !made || err != nil {
		t.Fatal(made, err)
	}
	for name, got := range map[string]string{"schema.sql": schema, "the database": dump(t, created)} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs from the migrations: go test ./store/sqlite -run TestTheSchema -update\n%s", name, diff)
		}
	}
	if made, err := create(t.Context(), created); made || err != nil {
		t.Errorf("a database with a schema is made again: %v, %v", made, err)
	}
}

func emptyDatabase(t *testing.T) *sql.DB {
	t.Helper()
	db, err := openDB(dsn(filepath.Join(t.TempDir(), "blq.db"), "&_txlock=immediate"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// dump returns statements that make a database with the same schema and rows. It leaves out the columns tstamp.
func dump(t *testing.T, db *sql.DB) string {
	t.Helper()
	var b strings.Builder
	for _, q := range texts(t, db, `
		SELECT sql
		FROM sqlite_schema
		WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
		ORDER BY rowid`) {
		fmt.Fprintf(&b, "%s;\n", q)
	}
	for _, table := range texts(t, db, `
		SELECT name
		FROM sqlite_schema
		WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
		ORDER BY rowid`) {
		columns := texts(t, db, `
			SELECT name
			FROM pragma_table_info(?)
			WHERE name <> 'tstamp'
			ORDER BY cid`, table)
		for _, row := range texts(t, db, `
			SELECT quote(`+strings.Join(columns, `) || ', ' || quote(`)+`)
			FROM `+table+`
			ORDER BY `+columns[0]) {
			fmt.Fprintf(&b, "INSERT INTO %s (%s) VALUES (%s);\n", table, strings.Join(columns, ", "), row)
		}
	}
	return b.String()
}

func texts(t *testing.T, db *sql.DB, q string, args ...any) []string {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), q, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
