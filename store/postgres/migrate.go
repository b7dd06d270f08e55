package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/blq-ci/blq/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// oldest is the oldest supported version of PostgreSQL, in the form of server_version_num.
const oldest = 150000

// Migrate updates the database to the schema of this program, and creates the partitions of the coming months. Replicas
// may call it at the same time: one replica updates the database, and the other replicas wait. Invalid: a newer blqd
// has migrated the database, or the database is not supported. Unavailable: the database does not answer.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.suits(ctx); err != nil {
		return fmt.Errorf("migrate: %w", failure(ctx, err))
	}
	want, err := store.NewestMigration(files())
	if err != nil {
		return err
	}
	have, err := s.schema(ctx)
	if err == nil && have > want {
		err = newerSchema(have, want)
	}
	if err == nil && have < want {
		err = s.up(ctx)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", failure(ctx, err))
	}
	return s.Maintain(ctx)
}

func newerSchema(have, want int64) error {
	return store.Hint(store.Errorf(store.Invalid,
		"the database was migrated by a newer blqd (schema %d, this program knows %d); a schema does not go back",
		have, want),
		"update blqd: run the newer blqd, or restore a backup from before it into another database")
}

// suits checks that the database server has a supported version, and that the database has the encoding UTF8.
func (s *Store) suits(ctx context.Context) error {
	var version int
	var encoding string
	err := s.pool.QueryRow(ctx,
		`SELECT current_setting('server_version_num')::int, current_setting('server_encoding')`).Scan(&version, &encoding)
	switch {
	case err != nil:
		return err
	case version < oldest:
		return store.Hint(store.Errorf(store.Invalid, "the database is PostgreSQL %d; 15 or later is needed", version/10000),
			"upgrade the database server")
	case encoding != "UTF8":
		return store.Next(store.Errorf(store.Invalid, "the database keeps text as %s; UTF8 is needed", encoding),
			store.Shell{Line: "createdb --encoding=UTF8 --template=template0 blq"})
	}
	return nil
}

// schema returns the version of the database's schema, or 0 for a new database.
func (s *Store) schema(ctx context.Context) (int64, error) {
	var table sql.NullString
	if err := s.pool.QueryRow(ctx, `SELECT to_regclass('goose_db_version')::text`).Scan(&table); err != nil ||
		!table.Valid {
		return 0, err
	}
	var version int64
	err := s.pool.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(
		&version)
	return version, err
}

// up runs the migrations on a connection without a statement timeout.
func (s *Store) up(ctx context.Context) error {
	c := s.pool.Config().ConnConfig.Copy()
	c.RuntimeParams["statement_timeout"] = "0"
	db := stdlib.OpenDB(*c)
	defer db.Close()
	one, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600)) // tries every second, for ten minutes
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files(), goose.WithDisableGlobalRegistry(true),
		goose.WithSessionLocker(one),
		goose.WithGoMigrations(
			goose.NewGoMigration(markSteps, &goose.GoFunc{RunDB: s.markRuns}, nil),
			goose.NewGoMigration(countUsage, &goose.GoFunc{RunDB: func(ctx context.Context, _ *sql.DB) error {
				return s.countRuns(ctx)
			}}, nil)))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	_, err = p.Up(ctx)
	return err
}

// files returns the migrations.
func files() fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the error is possible only for a name that is not a path
	}
	return sub
}

// Ready checks that the store can serve now. Unavailable: the database does not answer, cannot be written, or lacks a
// migration. The store is ready if the database has newer migrations, so that replicas can be replaced one by one.
func (s *Store) Ready(ctx context.Context) error {
	want, err := store.NewestMigration(files())
	if err != nil {
		return err
	}
	have, err := s.schema(ctx)
	if err != nil {
		return failure(ctx, err)
	}
	if have < want {
		return store.Next(store.Errorf(store.Unavailable, "the database has schema %d, this program needs %d", have, want),
			store.Shell{Line: "blqd migrate"})
	}
	_, err = s.pool.Exec(ctx, `
		INSERT INTO readiness (id, at) VALUES (1, clock_timestamp())
		ON CONFLICT (id) DO UPDATE SET at = excluded.at`)
	if stateOf(err) == readOnly {
		return store.Hint(store.Errorf(store.Unavailable, "the database cannot be written"),
			"name the primary server in the database URL, not a replica")
	}
	return failure(ctx, err)
}
