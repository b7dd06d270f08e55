package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// eventsAtOnce bounds how long pruning keeps other writers waiting.
const eventsAtOnce = 20_000

// Prune implements store.Store.
func (s *Store) Prune(ctx context.Context, sc store.Scope, p store.Policy) (store.Pruned, error) {
	var total store.Pruned
	ids, err := s.prunable(ctx, sc, p)
	for len(ids) > 0 && err == nil {
		var done store.Pruned
		err = s.write(ctx, func(tx *sql.Tx) error {
			done = store.Pruned{}
			n := 0
			for n < len(ids) && done.Events < eventsAtOnce && n < 100 {
				if err := remove(ctx, tx, ids[n], &done); err != nil {
					return err
				}
				n++
			}
			ids = ids[n:]
			return nil
		})
		if err == nil {
			total.Runs += done.Runs
			total.Events += done.Events
			total.Blobs += done.Blobs
			total.Bytes += done.Bytes
		}
	}
	if err != nil {
		return total, fmt.Errorf("prune: %w", err)
	}
	return total, nil
}

// prunable returns the runs that a policy does not keep, oldest first.
func (s *Store) prunable(ctx context.Context, sc store.Scope, p store.Policy) ([]int64, error) {
	var w where
	w.scope(sc)
	type candidate struct {
		id, rank, stored int64
		started          int64
		running          bool
	}
	all, err := query(ctx, s.reader, func(scan func(...any) error) (candidate, error) {
		var c candidate
		err := scan(&c.id, &c.rank, &c.stored, &c.started, &c.running)
		return c, err
	}, `
		SELECT
			r.id,
			row_number() OVER (PARTITION BY r.source_id, r.state = 'running' ORDER BY r.id DESC),
			coalesce((SELECT sum(stored) FROM chunks c WHERE c.run_id = r.id), 0),
			r.started_at,
			r.state = 'running'
		FROM runs r
		`+w.String()+`
		ORDER BY r.id`, w.args...)
	if err != nil {
		return nil, err
	}
	var size int64
	gone := make([]bool, len(all))
	for i, c := range all {
		gone[i] = !c.running && (p.All ||
			!p.Before.IsZero() && c.started < micros(p.Before) ||
			p.KeepPerSource > 0 && c.rank > int64(p.KeepPerSource))
		if !gone[i] {
			size += c.stored
		}
	}
	var ids []int64
	for i, c := range all {
		if !gone[i] && !c.running && p.MaxBytes > 0 && size > p.MaxBytes && c.stored > 0 {
			gone[i] = true
			size -= c.stored
		}
		if gone[i] {
			ids = append(ids, c.id)
		}
	}
	return ids, nil
}

// remove removes a run unless it came to life meanwhile.
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
	err = tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(stored), 0) FROM chunks WHERE run_id = ?`, id).Scan(&blobs, &bytes)
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
	keys, err := query(ctx, s.reader, scanOne[string], `
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
