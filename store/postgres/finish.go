package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// Heartbeat implements store.Store.
func (s *Store) Heartbeat(ctx context.Context, attempt string, at time.Time) error {
	err := s.write(ctx, func(tx pgx.Tx) error {
		r, err := lockRun(ctx, tx, attempt)
		if err != nil {
			return err
		}
		if err := r.CheckOpen(); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			UPDATE runs
			SET state = 'running', heartbeat_at = greatest(heartbeat_at, $2)
			WHERE id = $1`, r.id, at)
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
	err := s.write(ctx, func(tx pgx.Tx) error {
		r, err := lockRun(ctx, tx, attempt)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			UPDATE runs
			SET state = 'orphaned'
			WHERE id = $1 AND state = 'running' AND coalesce(heartbeat_at, '-infinity') <= $2`, r.id, seen)
		marked = tag.RowsAffected() > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("orphan run: %w", err)
	}
	return marked, nil
}

// CapHeartbeats implements store.Store.
func (s *Store) CapHeartbeats(ctx context.Context, latest time.Time) (int, error) {
	tag, err := s.pool.Exec(ctx, `
		UPDATE runs SET heartbeat_at = $1
		WHERE id IN (SELECT id FROM runs WHERE state = 'running' AND heartbeat_at > $1 FOR UPDATE SKIP LOCKED)`, latest)
	if err != nil {
		return 0, fmt.Errorf("cap heartbeats: %w", failure(ctx, err))
	}
	return int(tag.RowsAffected()), nil
}

// FinishRun implements store.Store.
func (s *Store) FinishRun(ctx context.Context, attempt string, f store.Finish) (store.Run, error) {
	var r row
	err := s.write(ctx, func(tx pgx.Tx) error {
		var err error
		if r, err = lockRun(ctx, tx, attempt); err != nil || r.State == store.StateCompleted {
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
		if err := dropLive(ctx, tx, r, 0); err != nil {
			return err
		}
		r, err = scanRun(tx.QueryRow(ctx, `
			UPDATE runs AS r
			SET state = 'completed', finished_at = $2, exit_code = $3, signal = $4, reason = $5, lost = $6,
			    lines = greatest(r.lines, $7), files = $8,
			    text_bytes = text_bytes + octet_length($6::text) + octet_length($8::text)
			WHERE r.id = $1
			RETURNING `+runColumns,
			r.id, timeOf(f.FinishedAt), f.ExitCode, encode(f.Signal), encode(string(f.Reason)), encode(f.Lost), f.Lines,
			encode(f.Files.Text())).Scan)
		return err
	})
	if err != nil {
		return store.Run{}, fmt.Errorf("finish run: %w", err)
	}
	return r.Run, nil
}

// complete checks that all data from the client has arrived.
func complete(ctx context.Context, tx pgx.Tx, r row, f store.Finish) error {
	chunks, batches, err := sequences(ctx, tx, r.id)
	if err != nil {
		return err
	}
	return store.Incomplete(r.Ref(), f, chunks, batches)
}
