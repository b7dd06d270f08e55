package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// runsAtOnce and eventsAtOnce bound how long pruning keeps other writers waiting.
const (
	runsAtOnce   = 100
	eventsAtOnce = 20_000
)

// Prune implements store.Store.
func (s *Store) Prune(ctx context.Context, sc store.Scope, p store.Policy) (store.Pruned, error) {
	var total store.Pruned
	list, err := s.prunable(ctx, sc, p)
	if err == nil {
		err = s.removeAll(ctx, list, &total)
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

// prunable returns the runs that a policy does not keep, oldest first.
func (s *Store) prunable(ctx context.Context, sc store.Scope, p store.Policy) ([]store.Candidate, error) {
	var w where
	w.scope(sc)
	if p.Source != "" {
		w.and("r.source = ?", p.Source)
	}
	all, err := query(ctx, s.reader, scanCandidate, `
		SELECT
			r.id,
			row_number() OVER (PARTITION BY r.source_id, r.step, r.state = 'running' ORDER BY r.id DESC),
			coalesce((SELECT sum(stored) FROM chunks c WHERE c.run_id = r.id), 0),
			r.started_at,
			r.state = 'running'
		FROM runs r
		`+w.String()+`
		ORDER BY r.id`, w.args...)
	if err != nil {
		return nil, err
	}
	return p.Choose(all), nil
}

func scanCandidate(scan func(...any) error) (store.Candidate, error) {
	var c store.Candidate
	var started int64
	err := scan(&c.ID, &c.Rank, &c.Stored, &started, &c.Running)
	c.Started = fromMicros(started)
	return c, err
}

// remove removes a run unless it is running again.
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
	if limit <= 0 {
		limit = -1
	}
	keys, err := query(ctx, s.reader, store.ScanOne[string], `
		SELECT key
		FROM garbage
		WHERE key NOT IN (SELECT key FROM chunks)
		ORDER BY key
		LIMIT ?`, limit)
	if err != nil {
		return nil, fmt.Errorf("list garbage: %w", err)
	}
	return keys, nil
}

// LogObjects implements store.Store.
func (s *Store) LogObjects(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	keys, err := query(ctx, s.reader, store.ScanOne[string], `
		SELECT key FROM (
			SELECT DISTINCT key FROM chunks WHERE key >= ?1 AND key < ?2 AND key > ?3 ORDER BY key LIMIT ?4
		) AS c
		UNION ALL
		SELECT key FROM (
			SELECT key FROM fact_objects WHERE key >= ?1 AND key < ?2 AND key > ?3 ORDER BY key LIMIT ?4
		) AS f
		ORDER BY key
		LIMIT ?4`, prefix, prefix+"~", after, limit)
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
