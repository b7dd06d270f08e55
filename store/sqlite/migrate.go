package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/blq-ci/blq/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the database to this program's schema. Usually that is one small query. Several processes may do
// it at once: a migration and its version are one transaction. The second process fails, looks again, and finds
// the migration done.
func migrate(ctx context.Context, db *sql.DB, file string) error {
	want, err := store.NewestMigration(files())
	if err != nil {
		return err
	}
	var failed error
	for wait := time.Millisecond; wait < 5*time.Second; wait *= 2 {
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
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
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

// isDisk reports whether the disk is full or fails, so that another try is useless.
func isDisk(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_FULL || code == sqlite3.SQLITE_IOERR || code == sqlite3.SQLITE_READONLY ||
		code == sqlite3.SQLITE_CANTOPEN
}

// schemaVersion returns the version of the database's schema, 0 for a new file.
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
	// The file keeps the mode, so only the process that creates it sets it.
	if _, err := db.ExecContext(ctx, `PRAGMA journal_mode = WAL`); err != nil {
		return err
	}
	if err := tryWriting(ctx, db); err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files(), goose.WithDisableGlobalRegistry(true),
		goose.WithGoMigrations(goose.NewGoMigration(markSteps, &goose.GoFunc{RunTx: markRuns}, nil)))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// tryWriting commits a change that leaves nothing behind. On a full disk goose would try for seconds to create its
// table, while a command waits.
func tryWriting(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `
		CREATE TABLE blq_room (x);
		INSERT INTO blq_room
		VALUES (zeroblob(65536));
		DROP TABLE blq_room`); err != nil {
		return err
	}
	return tx.Commit()
}

// files are the migrations.
func files() fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // only for a name that is no path
	}
	return sub
}
