package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// SetLive implements store.Store.
func (s *Store) SetLive(ctx context.Context, attempt string, from int, events []store.Event) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		r, err := mustFind(ctx, tx, attempt)
		if err != nil {
			return err
		}
		if err := store.CheckLive(r.Run, from, events); err != nil {
			return err
		}
		if err := dropLive(ctx, tx, r.id, from); err != nil {
			return err
		}
		return addLive(ctx, tx, r, from, events)
	})
	if err != nil {
		return fmt.Errorf("set live events: %w", err)
	}
	return nil
}

func addLive(ctx context.Context, tx *sql.Tx, r row, from int, events []store.Event) error {
	var taken int
	err := tx.QueryRowContext(ctx, `
		SELECT count(*)
		FROM (
			SELECT 1
			FROM events e
			JOIN runs r ON r.id = e.run_id
			WHERE e.run_id = ? AND e.id >= ? AND (r.live_from = 0 OR e.id < r.live_from)
			LIMIT 1
		)`,
		r.id, from).Scan(&taken)
	switch {
	case err != nil:
		return err
	case taken > 0:
		return store.LiveTaken(from)
	case len(events) == 0:
		return nil
	}
	if err := insertEvents(ctx, tx, r.id, events); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `
		UPDATE runs
		SET live_from = CASE live_from WHEN 0 THEN ? ELSE min(live_from, ?) END
		WHERE id = ?`, from, from, r.id); err != nil {
		return err
	}
	return addUp(ctx, tx, r.id, events, 0)
}

// dropLive removes live events of a run: the events whose number is at least from.
func dropLive(ctx context.Context, tx *sql.Tx, run int64, from int) error {
	var events, errors, warnings, live int
	var bytes int64
	err := tx.QueryRowContext(ctx, `
		SELECT r.live_from, count(*) FILTER (WHERE e.severity = 'error'), count(*) FILTER (WHERE e.severity = 'warning'),
			count(e.id), coalesce(sum(octet_length(e.file) + octet_length(e.message) + octet_length(e.tool)
				+ octet_length(e.category) + octet_length(e.code) + octet_length(e.test) + octet_length(e.stream)), 0)
		FROM runs r
		LEFT JOIN events e ON e.run_id = r.id AND r.live_from > 0 AND e.id >= max(r.live_from, ?)
		WHERE r.id = ?`, from, run).Scan(&live, &errors, &warnings, &events, &bytes)
	if err != nil || live == 0 {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM events WHERE run_id = ? AND id >= max(?, ?)`, run,
		live, from); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE runs
		SET events = events - ?, errors = errors - ?, warnings = warnings - ?, text_bytes = text_bytes - ?,
		    live_from = CASE WHEN ? <= live_from THEN 0 ELSE live_from END
		WHERE id = ?`, events, errors, warnings, bytes, from, run)
	return err
}
