package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// SetLive implements store.Store.
func (s *Store) SetLive(ctx context.Context, attempt string, from int, events []store.Event) error {
	err := s.writeEvents(ctx, locked(ctx, attempt, func(tx pgx.Tx, r row) error {
		if err := store.CheckLive(r.Run, from, events); err != nil {
			return err
		}
		counts, err := checkEvents(events)
		if err != nil {
			return err
		}
		if err := dropLive(ctx, tx, r, from); err != nil {
			return err
		}
		return addLive(ctx, tx, r, from, events, counts)
	}))
	if err != nil {
		return fmt.Errorf("set live events: %w", err)
	}
	return nil
}

// addLive adds live events to a run. Conflict: the run has an event that is not live, and the number of this event is
// at least from.
func addLive(ctx context.Context, tx pgx.Tx, r row, from int, events []store.Event, counts [4]int) error {
	var taken bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT 1
			FROM events
			WHERE run_id = $1 AND id >= $2::integer AND ($3::integer = 0 OR id < $3::integer)
		)`, r.id, from, r.live).Scan(&taken)
	switch {
	case err != nil:
		return err
	case taken:
		return store.LiveTaken(from)
	case len(events) == 0:
		return nil
	}
	if err := copyEvents(ctx, tx, r, events); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `
		UPDATE runs
		SET live_from = CASE live_from WHEN 0 THEN $2::integer ELSE least(live_from, $2::integer) END
		WHERE id = $1`, r.id, from); err != nil {
		return err
	}
	return addUp(ctx, tx, r.id, len(events), counts, textBytes(events))
}

// dropLive removes the live events of a locked run whose numbers are at least from.
func dropLive(ctx context.Context, tx pgx.Tx, r row, from int) error {
	if r.live == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `
		WITH gone AS (
			DELETE FROM events
			WHERE run_id = $1 AND id >= greatest($2::integer, $3::integer)
			RETURNING severity, octet_length(file) + octet_length(message) + octet_length(tool) + octet_length(category)
				+ octet_length(code) + octet_length(test) + octet_length(stream) AS bytes
		)
		UPDATE runs
		SET events = events - (SELECT count(*) FROM gone),
		    errors = errors - (SELECT count(*) FROM gone WHERE severity = 1),
		    warnings = warnings - (SELECT count(*) FROM gone WHERE severity = 2),
		    text_bytes = text_bytes - (SELECT coalesce(sum(bytes), 0) FROM gone),
		    live_from = CASE WHEN $3::integer <= live_from THEN 0 ELSE live_from END
		WHERE id = $1`, r.id, r.live, from)
	return err
}
