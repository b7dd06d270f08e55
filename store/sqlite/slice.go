package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/blq-ci/blq/store"
)

// Slice is a copy in memory of some runs and events of another store, on which
// statements run as on a Store: with the same relations, under the same guard.
// It is filled first, asked once, and closed.
type Slice struct {
	db   *sql.DB
	conn *sql.Conn
	tx   *sql.Tx
}

// NewSlice returns an empty slice. Its rows are gone when it is closed.
func NewSlice(ctx context.Context) (*Slice, error) {
	db, err := sql.Open("sqlite", "file::memory:?_dqs=0"+caged)
	if err != nil {
		return nil, fmt.Errorf("make a slice: %w", err)
	}
	s := &Slice{db: db}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("make a slice: %w", err), s.Close())
	}
	return s, nil
}

// begin makes the tables as the migrations do, without a record of versions.
func (s *Slice) begin(ctx context.Context) error {
	var err error
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return err
	}
	if s.tx, err = s.conn.BeginTx(ctx, nil); err != nil {
		return err
	}
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := migrations.ReadFile(path.Join("migrations", f.Name()))
		if err != nil {
			return err
		}
		if _, err := s.tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	// Few are asked for by fingerprint, and all would pay for it.
	_, err = s.tx.ExecContext(ctx, `DROP INDEX events_fingerprint`)
	return err
}

// AddRun adds a run under a number that is higher for newer runs.
func (s *Slice) AddRun(ctx context.Context, id int64, r store.Run) error {
	var ci any
	pr := 0
	if r.CI != nil {
		b, err := json.Marshal(r.CI)
		if err != nil {
			return fmt.Errorf("write ci: %w", err)
		}
		ci, pr = string(b), r.CI.PR
	}
	_, err := s.tx.ExecContext(ctx, `
		INSERT INTO runs (
			id, attempt, repo, serial, source_id, source,
			command, cwd, started_at, hostname, platform, arch,
			git_commit, git_branch, git_dirty, git_root, ci, pr, leg, format, state, heartbeat_at,
			finished_at, exit_code, signal, reason, lost, errors, warnings, bytes, lines
		) VALUES (?, ?, ?, ?, 0, ?,  ?, ?, ?, ?, ?, ?,  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,  ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, r.Attempt, r.Repo, r.Serial, r.Source,
		r.Command, r.Cwd, micros(r.StartedAt), r.Hostname, r.Platform, r.Arch,
		r.Git.Commit, r.Git.Branch, r.Git.Dirty, r.Git.Root, ci, pr, r.Leg(), r.Format, r.State, micros(r.HeartbeatAt),
		micros(r.FinishedAt), r.ExitCode, r.Signal, r.Reason, r.Lost, r.Errors, r.Warnings, r.Bytes, r.Lines)
	return err
}

// AddEvents adds events of a run that was added.
func (s *Slice) AddEvents(ctx context.Context, run int64, events []store.Event) error {
	return insertEventsOf(ctx, s.tx, run, 0, events)
}

// Query runs a statement over all that was added; it ends the filling. Errors
// are those of store.Store.
func (s *Slice) Query(ctx context.Context, q store.Query) (store.Table, error) {
	text, err := statement(q.SQL)
	if err != nil {
		return store.Table{}, err
	}
	if err := s.tx.Commit(); err != nil {
		return store.Table{}, fmt.Errorf("query: %w", err)
	}
	h, err := confine(ctx, s.conn, store.Everything())
	if err != nil {
		return store.Table{}, fmt.Errorf("query: %w", err)
	}
	return h.answer(ctx, s.conn, text, q)
}

// Close forgets the slice.
func (s *Slice) Close() error {
	if s.tx != nil {
		_ = s.tx.Rollback() // the rows go anyway
	}
	if s.conn != nil {
		_ = s.conn.Close()
	}
	return s.db.Close()
}
