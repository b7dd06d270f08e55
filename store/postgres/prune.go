package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

// runsAtOnce and eventsAtOnce are the max numbers of rows that one transaction of Prune removes.
const (
	runsAtOnce   = 500
	eventsAtOnce = 100_000
)

// Prune implements store.Store. If a policy removes all runs of a past month, Prune drops the month's partition.
// Dropping a partition is as cheap as removing a few rows.
func (s *Store) Prune(ctx context.Context, sc store.Scope, p store.Policy) (store.Pruned, error) {
	var total store.Pruned
	err := p.Prune(s.candidates(ctx, sc, p), func(list []store.Candidate) error { return s.removeAll(ctx, list, &total) })
	if err == nil {
		err = testpack.RemovePages(s.packing(ctx, ""))
	}
	if err == nil {
		total.Snapshots, err = s.pruneSnapshots(ctx, sc, p)
	}
	if err != nil {
		return total, fmt.Errorf("prune: %w", failure(ctx, err))
	}
	return total, nil
}

// removeAll removes runs, oldest first, month by month.
func (s *Store) removeAll(ctx context.Context, list []store.Candidate, total *store.Pruned) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	for len(list) > 0 {
		m := monthOf(list[0].ID)
		n := 0
		for n < len(list) && monthOf(list[n].ID) == m {
			n++
		}
		if err := s.pruneMonth(ctx, m, list[:n], m < now, total); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// errKept makes dropMonth roll back, because the month has other runs.
var errKept = errors.New("runs of the month are left")

// candidates reads the runs that a policy may remove.
func (s *Store) candidates(ctx context.Context, sc store.Scope, p store.Policy) store.Candidates {
	within := func(w *where) {
		w.scope(sc, "r.repo")
		if p.Source != "" {
			w.and("r.source = ?", encode(p.Source))
		}
	}
	rank := "0"
	if p.KeepPerSource > 0 {
		rank = "row_number() OVER (PARTITION BY r.source_id, r.step, r.state = 'running' ORDER BY r.id DESC)"
	}
	page := func(condition string, args []any) func(int64) ([]store.Candidate, error) {
		return func(after int64) ([]store.Candidate, error) {
			var w where
			within(&w)
			all, old := w.String(), w.old(p)
			return query(ctx, s.pool, scanCandidate, `
				SELECT id, stored, events
				FROM (
					SELECT r.*, `+rank+` AS rank, `+old+` AS old
					FROM runs r
					`+all+`
					WINDOW of_step AS (PARTITION BY r.source_id, r.step)
				) r
				WHERE state <> 'running' AND `+w.bind("id > ?::bigint AND ("+condition+")", append([]any{after}, args...)...)+`
				ORDER BY id
				`+w.bind("LIMIT ?::bigint", store.PrunePage), w.args...)
		}
	}
	return store.Candidates{
		Over: page(isOver(p)),
		All:  page("true", nil),
		Size: func() (size int64, err error) {
			var w where
			within(&w)
			err = s.pool.QueryRow(ctx, `SELECT coalesce(sum(r.stored), 0)::bigint FROM runs r `+w.String(),
				w.args...).Scan(&size)
			return size, err
		},
	}
}

// isOver returns an SQL condition, and its arguments, for runs that a policy removes regardless of their size.
func isOver(p store.Policy) (condition string, args []any) {
	either := []string{"false"}
	if p.All {
		either = append(either, "true")
	}
	if !p.Before.IsZero() {
		either = append(either, "old")
	}
	if p.KeepPerSource > 0 {
		either, args = append(either, "rank > ?"), append(args, p.KeepPerSource)
	}
	return strings.Join(either, " OR "), args
}

// old returns an SQL expression that is true for a run r that a policy removes because of its age.
func (w *where) old(p store.Policy) string {
	if p.Before.IsZero() {
		return "false"
	}
	return w.bind(`r.id <= max(r.id) FILTER (WHERE r.started_at IS NULL OR r.started_at < ?) OVER of_step
		AND r.id < coalesce(min(r.id) FILTER (WHERE r.started_at BETWEEN ? AND now()) OVER of_step, r.id + 1)`,
		p.Before, p.Before)
}

func scanCandidate(scan func(...any) error) (store.Candidate, error) {
	var c store.Candidate
	err := scan(&c.ID, &c.Size, &c.Events)
	return c, err
}

// pruneMonth removes runs of one month.
func (s *Store) pruneMonth(ctx context.Context, m month, list []store.Candidate, over bool, total *store.Pruned) error {
	if over {
		dropped, err := s.dropMonth(ctx, m, list, total)
		if err != nil || dropped {
			return err
		}
	}
	for len(list) > 0 {
		n, events := 0, 0
		for n < len(list) && n < runsAtOnce && events < eventsAtOnce {
			events += list[n].Events
			n++
		}
		var done store.Pruned
		err := s.write(ctx, func(tx pgx.Tx) error {
			ids, err := forget(ctx, tx, list[:n], &done)
			if err == nil {
				_, err = tx.Exec(ctx, `DELETE FROM events WHERE run_id = ANY($1)`, ids)
			}
			return err
		})
		if err != nil {
			return err
		}
		total.Add(done)
		list = list[n:]
	}
	return nil
}

// dropMonth removes all runs of a month and the month's partition, in one transaction. It returns false if the month
// has other runs, or if other transactions use the events for too long.
func (s *Store) dropMonth(ctx context.Context, m month, list []store.Candidate, total *store.Pruned) (bool, error) {
	var runs int
	err := s.pool.QueryRow(ctx, `SELECT count(*) FROM runs WHERE id >= $1 AND id < $2`,
		m.first(), (m + 1).first()).Scan(&runs)
	if err != nil || runs != len(list) {
		return false, err
	}
	var done store.Pruned
	var dropped bool
	err = s.transact(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = '10min'`); err != nil {
			return err
		}
		if _, err := forget(ctx, tx, list, &done); err != nil {
			return err
		}
		var err error
		if dropped, err = dropIfEmpty(ctx, tx, m); err == nil && !dropped {
			return errKept
		}
		return err
	})
	if err == nil {
		total.Add(done)
		return true, nil
	}
	if errors.Is(err, errKept) || lockNotFree(err) {
		return false, nil
	}
	return false, err
}

// forget removes runs, except runs that are running again. It does not remove their events. It adds the objects of
// their logs to the table garbage, for later deletion. It returns the IDs of the removed runs.
func forget(ctx context.Context, tx pgx.Tx, list []store.Candidate, done *store.Pruned) ([]int64, error) {
	*done = store.Pruned{}
	all := make([]int64, len(list))
	for i, c := range list {
		all[i] = c.ID
	}
	slices.Sort(all)
	ids, err := query(ctx, tx, func(scan func(...any) error) (int64, error) {
		var id int64
		var events int
		err := scan(&id, &events)
		done.Runs++
		done.Events += events
		return id, err
	}, `
		SELECT id, events
		FROM runs
		WHERE id = ANY($1) AND state <> 'running'
		ORDER BY id
		FOR UPDATE`, all)
	if err != nil {
		return nil, err
	}
	err = tx.QueryRow(ctx, `SELECT count(*), coalesce(sum(stored), 0)::bigint FROM chunks WHERE run_id = ANY($1)`,
		ids).Scan(&done.Blobs, &done.Bytes)
	if err != nil {
		return nil, err
	}
	for _, q := range []string{
		`INSERT INTO pruned (repo, serial, source, attempt)
		SELECT repo, serial, source, attempt FROM runs WHERE id = ANY($1) ON CONFLICT DO NOTHING`,
		`INSERT INTO garbage (key) SELECT key FROM chunks WHERE run_id = ANY($1) ON CONFLICT DO NOTHING`,
		`DELETE FROM chunks WHERE run_id = ANY($1)`,
		`DELETE FROM batches WHERE run_id = ANY($1)`,
		`DELETE FROM runs WHERE id = ANY($1)`,
	} {
		if _, err := tx.Exec(ctx, q, ids); err != nil {
			return nil, err
		}
	}
	return ids, nil
}
