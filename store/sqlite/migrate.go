package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"sort"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schema is the SQL for a database in the state after all migrations. A test compares the database of this SQL with the
// database that the migrations create. With the flag -update, the test writes the file schema.sql.
//
//go:embed schema.sql
var schema string

// migrate updates the database to the schema of this program. If the schema is current, this needs only two small
// queries. Several processes may migrate at the same time. A transaction writes one migration and its number, and sees
// the migrations of other processes.
func migrate(ctx context.Context, db *sql.DB, file string) error {
	want, err := store.NewestMigration(files())
	if err != nil {
		return err
	}
	var failed error
	began := time.Now()
	for pause := time.Millisecond; failed == nil || time.Since(began) < busyToRead; pause *= 2 {
		have, err := schemaVersion(ctx, db, file)
		switch {
		case err != nil && !isBusy(err):
			return err
		case err != nil:
			failed = err
		case have == want:
			return nil
		case have > want:
			return newerSchema(file, have, want)
		default:
			if failed = migrateUp(ctx, db); failed == nil || isDisk(failed) {
				return failed
			}
		}
		if err := wait.For(ctx, pause); err != nil {
			return err
		}
	}
	return failed
}

func newerSchema(file string, have, want int64) error {
	return store.Next(
		store.Errorf(store.Invalid, "%s was written by a newer blq (schema %d, this one knows %d); update blq",
			file, have, want), store.Shell{Line: "blq version", Why: "is the one that is too old"})
}

func isBusy(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// isDisk reports whether a file cannot be opened or written: the disk is full, broken or read-only, or access is
// denied. In these cases a retry is useless.
func isDisk(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_FULL || code == sqlite3.SQLITE_IOERR || code == sqlite3.SQLITE_READONLY ||
		code == sqlite3.SQLITE_CANTOPEN
}

// schemaVersion returns the version of the database's schema, or 0 for a new file.
func schemaVersion(ctx context.Context, db *sql.DB, file string) (int64, error) {
	var tables, ours int
	err := db.QueryRowContext(ctx, `
		SELECT count(*), count(*) FILTER (WHERE name = 'goose_db_version')
		FROM sqlite_schema
		WHERE type = 'table'`).Scan(&tables, &ours)
	if err != nil || tables == 0 {
		return 0, err
	}
	if ours == 0 {
		return 0, store.Next(store.Errorf(store.Invalid, "%s is a database of another program", file),
			store.Shell{Line: "ls -l " + shellWord(file)})
	}
	var version sql.NullInt64
	err = db.QueryRowContext(ctx, `SELECT max(version_id) FROM goose_db_version WHERE is_applied`).Scan(&version)
	return version.Int64, err
}

func migrateUp(ctx context.Context, db *sql.DB) error {
	// The file stores the journal mode. So the mode is not set each time the file is opened.
	if _, err := db.ExecContext(ctx, `PRAGMA journal_mode = WAL`); err != nil {
		return err
	}
	if made, err := create(ctx, db); made || err != nil {
		return err
	}
	steps, err := steps()
	if err != nil {
		return err
	}
	for _, m := range steps {
		if err := m.apply(ctx, db); err != nil {
			return fmt.Errorf("migration %d: %w", m.number, err)
		}
	}
	return nil
}

// create writes the newest schema into an empty database. This takes less than half of the time of all migrations. It
// reports whether the database was empty.
func create(ctx context.Context, db *sql.DB) (bool, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	var empty bool
	err = tx.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT * FROM sqlite_schema)`).Scan(&empty)
	if err != nil || !empty {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, schema); err != nil {
		return true, fmt.Errorf("write the schema: %w", err)
	}
	return true, tx.Commit()
}

// migration changes the schema. It is either the text of a file or a function.
type migration struct {
	number int64
	text   string
	do     func(ctx context.Context, tx *sql.Tx) error
}

// steps returns all migrations in order.
func steps() ([]migration, error) {
	names, err := fs.Glob(files(), "*.sql")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	list := []migration{{number: markSteps, do: markRuns}}
	for _, name := range names {
		n, err := store.MigrationNumber(name)
		if err != nil {
			return nil, err
		}
		text, err := fs.ReadFile(files(), name)
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", name, err)
		}
		list = append(list, migration{number: n, text: string(text)})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].number < list[j].number })
	return list, nil
}

// apply runs the migration and records its number, in one transaction. If the number is already recorded, it does
// nothing.
func (m migration) apply(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var done bool
	err = tx.QueryRowContext(ctx, versions+`
		SELECT EXISTS (SELECT * FROM goose_db_version WHERE version_id = ?)`, m.number).Scan(&done)
	if err != nil || done {
		return err
	}
	if m.do != nil {
		err = m.do(ctx, tx)
	} else {
		_, err = tx.ExecContext(ctx, m.text)
	}
	if err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, `
		INSERT INTO goose_db_version (version_id, is_applied)
		VALUES (?, 1)`, m.number); err != nil {
		return err
	}
	return tx.Commit()
}

// versions creates the table of migrations. The table has the form of goose's table; the service uses goose for
// PostgreSQL. This package does not use goose, because goose would be a fiftieth of the program that every job
// downloads.
const versions = `
	CREATE TABLE IF NOT EXISTS goose_db_version (
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp     TIMESTAMP DEFAULT (datetime('now'))
	);`

// files returns the migrations.
func files() fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the error is possible only for a name that is not a path
	}
	return sub
}
