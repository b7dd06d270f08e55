package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// What Query looks at: the newest runs in the caller's scope, with all of
// their events, until one of these is reached; of a run that alone has too many
// events the first ones. The answer says which part it
// was, if it was not all.
const (
	SliceRuns   = 2_000
	SliceEvents = 20_000
	SliceDays   = 90 // before the newest of the runs
)

// Query implements store.Store. The statement runs in SQLite over a copy of a
// bounded slice of rows in memory, so that it is of the same dialect
// everywhere, reaches nothing else, and costs the same however many rows there are.
func (s *Store) Query(ctx context.Context, sc store.Scope, q store.Query) (store.Table, error) {
	select {
	case s.queries <- struct{}{}:
		defer func() { <-s.queries }()
	case <-ctx.Done():
		return store.Table{}, ctx.Err()
	}
	slice, err := sqlite.NewSlice(ctx)
	if err != nil {
		return store.Table{}, fmt.Errorf("query: %w", err)
	}
	defer slice.Close()
	var part *store.Slice
	err = s.read(ctx, func(tx pgx.Tx) error {
		var err error
		part, err = fill(ctx, tx, sc, slice)
		return err
	})
	if err != nil {
		return store.Table{}, fmt.Errorf("query: %w", err)
	}
	t, err := slice.Query(ctx, q)
	if err != nil {
		return store.Table{}, err
	}
	t.Slice = part
	return t, nil
}

// fill copies the slice's rows. It says which part they are, nil for all.
func fill(ctx context.Context, tx pgx.Tx, sc store.Scope, slice *sqlite.Slice) (*store.Slice, error) {
	rows, err := listRuns(ctx, tx, sc, store.RunFilter{Limit: SliceRuns + 1})
	if err != nil {
		return nil, err
	}
	kept, part := bound(rows)
	ids := make([]int64, len(kept))
	for i, r := range kept {
		ids[i] = r.id
		if err := slice.AddRun(ctx, r.id, r.Run); err != nil {
			return nil, err
		}
	}
	return part, copyInto(ctx, tx, slice, ids)
}

// bound returns those of the runs, newest first, that fit into a slice.
func bound(rows []row) ([]row, *store.Slice) {
	events := 0
	for i, r := range rows {
		if i == 0 && r.events > SliceEvents {
			return rows[:1], &store.Slice{Runs: 1, Events: SliceEvents, Since: r.StartedAt}
		}
		old := r.StartedAt.Before(rows[0].StartedAt.Add(-SliceDays * 24 * time.Hour))
		if i == SliceRuns || (old || events+r.events > SliceEvents) {
			return rows[:i], &store.Slice{Runs: i, Events: events, Since: rows[i-1].StartedAt}
		}
		events += r.events
	}
	return rows, nil
}

// copyInto copies the events of runs.
func copyInto(ctx context.Context, tx pgx.Tx, slice *sqlite.Slice, ids []int64) error {
	rows, err := tx.Query(ctx, `
		SELECT `+eventColumns+`
		FROM events e
		WHERE e.run_id = ANY($1::bigint[])
		ORDER BY e.run_id DESC, e.id
		LIMIT $2`, ids, SliceEvents)
	if err != nil {
		return err
	}
	defer rows.Close()
	var run int64
	var batch []store.Event
	for rows.Next() {
		e, err := scanEvent(rows.Scan)
		if err != nil {
			return err
		}
		if e.run != run || len(batch) == sliceBatch {
			if err := slice.AddEvents(ctx, run, batch); err != nil {
				return err
			}
			run, batch = e.run, batch[:0]
		}
		batch = append(batch, e.Event)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return slice.AddEvents(ctx, run, batch)
}

// sliceBatch is how many events are held between the two databases.
const sliceBatch = 1000
