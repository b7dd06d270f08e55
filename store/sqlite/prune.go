package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/testpack"
)

// runsAtOnce is the max number of runs that Prune removes before it lets other writers continue. It also lets them
// continue after it has removed eventsAtOnce events. Prune may exceed eventsAtOnce, because it removes a run with all
// its events.
const (
	runsAtOnce   = 100
	eventsAtOnce = 20_000
)

// Prune implements store.Store.
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
		return total, fmt.Errorf("prune: %w", err)
	}
	return total, nil
}

// removeAll removes runs, oldest first.
func (s *Store) removeAll(ctx context.Context, list []store.Candidate, total *store.Pruned) error {
	for len(list) > 0 {
		var done store.Pruned
		n := 0
		err := s.write(ctx, func(tx *sql.Tx) error {
			for n < len(list) && done.Events < eventsAtOnce && n < runsAtOnce {
				if err := remove(ctx, tx, list[n].ID, &done); err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil {
			return err
		}
		list = list[n:]
		total.Add(done)
	}
	return nil
}

// candidates reads the runs that a policy may remove.
func (s *Store) candidates(ctx context.Context, sc store.Scope, p store.Policy) store.Candidates {
	var within where
	within.scope(sc)
	if p.Source != "" {
		within.and("r.source = ?", p.Source)
	}
	rank, old, ages := "0", "false", []any(nil)
	if p.KeepPerSource > 0 {
		rank = "row_number() OVER (PARTITION BY r.source_id, r.step, r.state = 'running' ORDER BY r.id DESC)"
	}
	if !p.Before.IsZero() {
		old = `r.id <= max(r.id) FILTER (WHERE r.started_at < ?) OVER of_step
			AND r.id < coalesce(min(r.id) FILTER (WHERE r.started_at BETWEEN ? AND ?) OVER of_step, r.id + 1)`
		ages = []any{micros(p.Before), micros(p.Before), micros(time.Now())}
	}
	page := func(condition string, args ...any) func(int64) ([]store.Candidate, error) {
		return func(after int64) ([]store.Candidate, error) {
			return query(ctx, s.reader, scanCandidate, `
				SELECT id, stored, events
				FROM (
					SELECT r.*, `+rank+` AS rank, `+old+` AS old
					FROM runs r
					`+within.String()+`
					WINDOW of_step AS (PARTITION BY r.source_id, r.step)
				)
				WHERE state <> 'running' AND id > ? AND (`+condition+`)
				ORDER BY id
				`+upTo(store.PrunePage), slices.Concat(ages, within.args, []any{after}, args)...)
		}
	}
	return store.Candidates{
		Over: page("? OR old OR ? > 0 AND rank > ?", p.All, p.KeepPerSource, p.KeepPerSource),
		All:  page("true"),
		Size: func() (size int64, err error) {
			err = s.reader.QueryRowContext(ctx, `SELECT coalesce(sum(r.stored), 0) FROM runs r `+within.String(),
				within.args...).Scan(&size)
			return size, busyError(err)
		},
	}
}

func scanCandidate(scan func(...any) error) (store.Candidate, error) {
	var c store.Candidate
	err := scan(&c.ID, &c.Size, &c.Events)
	return c, err
}

// remove removes a run. It does nothing if the run is running again.
func remove(ctx context.Context, tx *sql.Tx, id int64, done *store.Pruned) error {
	res, err := tx.ExecContext(ctx, `
		INSERT OR IGNORE INTO pruned (repo, serial, source, attempt)
		SELECT repo, serial, source, attempt
		FROM runs
		WHERE id = ? AND state <> 'running'`, id)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); n == 0 || err != nil {
		return err
	}
	var blobs int
	var bytes int64
	err = tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(stored), 0) FROM chunks WHERE run_id = ?`, id).Scan(
		&blobs, &bytes)
	if err != nil {
		return err
	}
	var events int64
	for _, q := range []string{
		`INSERT OR IGNORE INTO garbage (key) SELECT key FROM chunks WHERE run_id = ?`,
		`DELETE FROM chunks WHERE run_id = ?`,
		`DELETE FROM batches WHERE run_id = ?`,
		`DELETE FROM events WHERE run_id = ?`,
		`DELETE FROM runs WHERE id = ?`,
	} {
		res, err := tx.ExecContext(ctx, q, id)
		if err != nil {
			return err
		}
		if q == `DELETE FROM events WHERE run_id = ?` {
			if events, err = res.RowsAffected(); err != nil {
				return err
			}
		}
	}
	done.Runs++
	done.Events += int(events)
	done.Blobs += blobs
	done.Bytes += bytes
	return nil
}

// Garbage implements store.Store.
func (s *Store) Garbage(ctx context.Context, limit int) ([]string, error) {
	keys, err := query(ctx, s.reader, store.ScanOne[string], `
		SELECT key
		FROM garbage
		WHERE key NOT IN (SELECT key FROM chunks)
		ORDER BY key
		`+upTo(limit))
	if err != nil {
		return nil, fmt.Errorf("list garbage: %w", err)
	}
	return keys, nil
}

// LogObjects implements store.Store.
func (s *Store) LogObjects(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	most := upTo(limit)
	keys, err := query(ctx, s.reader, store.ScanOne[string], `
		SELECT key FROM (
			SELECT DISTINCT key FROM chunks WHERE key >= ?1 AND key < ?2 AND key > ?3 ORDER BY key `+most+`
		) AS c
		UNION ALL
		SELECT key FROM (
			SELECT key FROM fact_objects WHERE key >= ?1 AND key < ?2 AND key > ?3 ORDER BY key `+most+`
		) AS f
		UNION ALL
		SELECT key FROM (
			SELECT key FROM doc_sources WHERE key >= ?1 AND key < ?2 AND key > ?3 ORDER BY key `+most+`
		) AS s
		ORDER BY key
		`+most, prefix, prefix+"~", after)
	if err != nil {
		return nil, fmt.Errorf("list log objects: %w", err)
	}
	return keys, nil
}

// Collected implements store.Store.
func (s *Store) Collected(ctx context.Context, keys []string) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		for _, key := range keys {
			if _, err := tx.ExecContext(ctx, `DELETE FROM garbage WHERE key = ?`, key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("forget garbage: %w", err)
	}
	return nil
}
