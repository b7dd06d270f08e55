package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/store"
)

const runColumns = store.RunSQL + `, r.output_at, r.undated`

// row is a run with its ID in the file.
type row struct {
	store.Run
	id int64
}

func scanRun(scan func(...any) error) (row, error) {
	var r row
	var started, opened, heartbeat, finished, output int64
	var ci sql.NullString
	err := scan(&r.id, &r.Attempt, &r.Repo, &r.Serial, &r.Source,
		&r.Command, &r.Cwd, &started, &r.Hostname, &r.Platform, &r.Arch,
		&r.Git.Commit, &r.Git.Branch, &r.Git.Dirty, &r.Git.Root, &ci, &r.Format, &r.Shape,
		&r.State, &opened, &heartbeat, &finished, &r.ExitCode, &r.Signal, &r.Reason, &r.Lost,
		&r.Errors, &r.Warnings, &r.Bytes, &r.Lines, &output, &r.Undated)
	if err != nil {
		return row{}, err
	}
	r.StartedAt, r.OpenedAt, r.HeartbeatAt, r.FinishedAt = fromMicros(started), fromMicros(opened), fromMicros(heartbeat),
		fromMicros(finished)
	r.OutputAt = fromMicros(output)
	if ci.Valid {
		if err := json.Unmarshal([]byte(ci.String), &r.CI); err != nil {
			return row{}, fmt.Errorf("read ci of run %s: %w", r.Ref(), err)
		}
	}
	step.Fill(&r.Run)
	return r, nil
}

// byAttempt returns the run of an attempt, or the error sql.ErrNoRows.
func byAttempt(ctx context.Context, db querier, attempt string) (row, error) {
	return scanRun(db.QueryRowContext(ctx, `
		SELECT `+runColumns+`
		FROM runs r
		WHERE r.attempt = ?`, attempt).Scan)
}

// mustFind returns the run of an attempt. NotFound: there is no such run.
func mustFind(ctx context.Context, db querier, attempt string) (row, error) {
	r, err := byAttempt(ctx, db, attempt)
	if errors.Is(err, sql.ErrNoRows) {
		var gone bool
		if gone, err = isPruned(ctx, db, attempt); err == nil {
			err = store.NoAttempt(attempt, gone)
		}
	}
	return r, err
}

func isPruned(ctx context.Context, db querier, attempt string) (bool, error) {
	var gone bool
	err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pruned WHERE attempt = ?)`, attempt).Scan(&gone)
	return gone, err
}

// StartRun implements store.Store.
func (s *Store) StartRun(ctx context.Context, r store.Run) (store.Run, error) {
	r, err := r.Checked()
	if err != nil {
		return store.Run{}, err
	}
	step.Fill(&r)
	var started row
	err = s.write(ctx, func(tx *sql.Tx) error {
		// The database is locked for this transaction, so nothing below waits for other processes. A statement that
		// can be cancelled costs two goroutines.
		ctx := context.WithoutCancel(ctx)
		var known, gone bool
		err := tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM runs WHERE attempt = ?1), EXISTS (SELECT 1 FROM pruned WHERE attempt = ?1)`,
			r.Attempt).Scan(&known, &gone)
		if err == nil && !known {
			if err = r.CheckNew(gone); err == nil {
				err = insertRun(ctx, tx, r)
			}
		}
		if err == nil {
			started, err = byAttempt(ctx, tx, r.Attempt)
		}
		if err != nil {
			return err
		}
		return r.CheckSame(started.Run)
	})
	if err != nil {
		return store.Run{}, fmt.Errorf("start run: %w", err)
	}
	return started.Run, nil
}

func insertRun(ctx context.Context, tx *sql.Tx, r store.Run) error {
	var serial, source int64
	err := tx.QueryRowContext(ctx, `
		INSERT INTO repos (name, last_serial) VALUES (?, 1)
		ON CONFLICT (name) DO UPDATE SET last_serial = last_serial + 1
		RETURNING last_serial`, r.Repo).Scan(&serial)
	if err != nil {
		return err
	}
	err = tx.QueryRowContext(ctx, `
		INSERT INTO sources (repo, name) VALUES (?, ?)
		ON CONFLICT (repo, name) DO UPDATE SET name = name
		RETURNING id`, r.Repo, r.Source).Scan(&source)
	if err != nil {
		return err
	}
	var ci any
	pr := 0
	if r.CI != nil {
		b, err := json.Marshal(r.CI)
		if err != nil {
			return fmt.Errorf("write ci: %w", err)
		}
		ci, pr = string(b), r.CI.PR
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO runs (
			attempt, repo, serial, source_id, source,
			command, cwd, started_at, hostname, platform, arch,
			git_commit, git_branch, git_dirty, git_root, ci, pr, leg, shape, step, format, state, opened_at, heartbeat_at,
			undated, text_bytes
		) VALUES (?, ?, ?, ?, ?,  ?, ?, ?, ?, ?, ?,  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)`,
		r.Attempt, r.Repo, serial, source, r.Source,
		r.Command, r.Cwd, micros(r.StartedAt), r.Hostname, r.Platform, r.Arch,
		r.Git.Commit, r.Git.Branch, r.Git.Dirty, r.Git.Root, ci, pr, r.Leg(), r.Shape, r.Step().Key(),
		r.Format, micros(r.OpenedAt), micros(r.HeartbeatAt), r.Undated, r.TextBytes())
	return err
}

// Heartbeat implements store.Store.
func (s *Store) Heartbeat(ctx context.Context, attempt string, at time.Time) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		r, err := mustFind(ctx, tx, attempt)
		if err != nil {
			return err
		}
		if err := r.CheckOpen(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE runs
			SET state = 'running', heartbeat_at = max(heartbeat_at, ?)
			WHERE id = ?`, micros(at), r.id)
		return err
	})
	if err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	return nil
}

// OrphanRun implements store.Store.
func (s *Store) OrphanRun(ctx context.Context, attempt string, seen time.Time) (bool, error) {
	var marked bool
	err := s.write(ctx, func(tx *sql.Tx) error {
		r, err := mustFind(ctx, tx, attempt)
		if err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `
			UPDATE runs
			SET state = 'orphaned'
			WHERE id = ? AND state = 'running' AND heartbeat_at <= ?`, r.id, micros(seen))
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		marked = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("orphan run: %w", err)
	}
	return marked, nil
}

// CapHeartbeats implements store.Store.
func (s *Store) CapHeartbeats(ctx context.Context, latest time.Time) (n int, err error) {
	var some bool
	at := micros(latest)
	err = s.reader.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM runs WHERE state = 'running' AND heartbeat_at > ?)`, at).Scan(&some)
	if err == nil && some { // otherwise do not wait for the write lock
		err = s.write(ctx, func(tx *sql.Tx) error {
			r, err := tx.ExecContext(ctx, `
				UPDATE runs SET heartbeat_at = ?1 WHERE state = 'running' AND heartbeat_at > ?1`, at)
			if err != nil {
				return err
			}
			capped, err := r.RowsAffected()
			n = int(capped)
			return err
		})
	}
	if err != nil {
		return 0, fmt.Errorf("cap heartbeats: %w", err)
	}
	return n, nil
}

// FinishRun implements store.Store.
func (s *Store) FinishRun(ctx context.Context, attempt string, f store.Finish) (store.Run, error) {
	var r row
	files := f.Files.Text()
	err := s.write(ctx, func(tx *sql.Tx) error {
		var err error
		if r, err = mustFind(ctx, tx, attempt); err != nil || r.State == store.StateCompleted {
			return err
		}
		if err := complete(ctx, tx, r, f); err != nil {
			return err
		}
		if f.Cut {
			if err := cutLog(ctx, tx, r.id, f.Chunks); err != nil {
				return err
			}
		}
		if err := dropLive(ctx, tx, r.id, 0); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE runs
			SET state = 'completed', finished_at = ?, exit_code = ?, signal = ?, reason = ?, lost = ?,
			    lines = max(lines, ?), files = ?, text_bytes = text_bytes + ?
			WHERE id = ?`,
			micros(f.FinishedAt), f.ExitCode, f.Signal, f.Reason, f.Lost, f.Lines, files, len(f.Lost)+len(files), r.id)
		if err != nil {
			return err
		}
		r, err = byAttempt(ctx, tx, attempt)
		return err
	})
	if err != nil {
		return store.Run{}, fmt.Errorf("finish run: %w", err)
	}
	return r.Run, nil
}

// complete checks that all data from the client has arrived.
func complete(ctx context.Context, tx *sql.Tx, r row, f store.Finish) error {
	chunks, batches, err := sequences(ctx, tx, r.id)
	if err != nil {
		return err
	}
	return store.Incomplete(r.Ref(), f, chunks, batches)
}
