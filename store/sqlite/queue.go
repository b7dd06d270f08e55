//go:build !job

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/blq-ci/blq/store"
)

var _ store.Queue = (*Store)(nil)

func scanWork(scan func(...any) error) (store.Work, error) {
	var w store.Work
	var due, ended sql.NullInt64
	var created int64
	err := scan(append(w.Columns(), &w.Body, &due, &created, &ended)...)
	w.DueAt, w.CreatedAt, w.EndedAt = fromMicros(due.Int64), fromMicros(created), fromMicros(ended.Int64)
	return w, err
}

// PutWork implements store.Queue.
func (s *Store) PutWork(ctx context.Context, now time.Time, jobs ...store.Work) (added int, err error) {
	err = s.writeTogether(ctx, func(tx *sql.Tx) error {
		added, err = putWork(ctx, tx, now, jobs)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("queue jobs: %w", err)
	}
	return added, nil
}

func putWork(ctx context.Context, tx *sql.Tx, now time.Time, jobs []store.Work) (added int, err error) {
	for _, w := range jobs {
		var calls int
		// If a job is queued again while it is leased, it keeps its lease, and EndWork sees the change when the job
		// ends. A failed job keeps its delay.
		err := tx.QueryRowContext(ctx, `
			INSERT INTO queue (key, kind, repo, body, state, tries, error, lease, calls, due_at, created_at)
			VALUES (?1, ?2, ?3, ?4, 'open', 0, '', '', 1, ?5, ?6)
			ON CONFLICT (key) DO UPDATE SET
				calls = calls + 1, body = excluded.body, state = 'open', ended_at = NULL,
				tries = iif(lease = '', 0, tries),
				due_at = CASE
					WHEN due_at IS NULL THEN excluded.due_at
					WHEN lease = '' AND error = '' THEN min(excluded.due_at, due_at)
					ELSE due_at END
			WHERE ?7
			RETURNING calls`, w.Key, w.Kind, w.Repo, notNil(w.Body), micros(later(w.DueAt, now)), micros(now),
			w.Wakes).Scan(&calls)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return added, err
		}
		if err == nil && calls == 1 {
			added++
		}
	}
	return added, nil
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func later(t, now time.Time) time.Time {
	if t.Before(now) {
		return now
	}
	return t
}

// ClaimWork implements store.Queue.
func (s *Store) ClaimWork(ctx context.Context, holder string, limit int, now, until time.Time) (list []store.Work,
	err error) {
	for range claims { // another process may claim the same jobs first
		var ids []int64
		if ids, err = s.nextWork(ctx, holder, limit, now); err != nil || len(ids) == 0 {
			break // there is no work, so do not wait for the write lock
		}
		err = s.write(ctx, func(tx *sql.Tx) error {
			list = nil
			for _, id := range ids {
				some, err := query(ctx, tx, scanWork, `
					UPDATE queue SET lease = ?1, due_at = ?2, tries = tries + 1
					WHERE id = ?3 AND due_at <= ?4
					RETURNING `+store.WorkSQL+`, body, due_at, created_at, ended_at`,
					holder, micros(until), id, micros(now))
				if err != nil {
					return err
				}
				list = append(list, some...)
			}
			return nil
		})
		if err != nil || len(list) > 0 {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("claim jobs: %w", err)
	}
	return list, nil
}

// claims is the max number of attempts to find jobs while other processes take them.
const claims = 5

// nextWork returns the IDs of the jobs that a holder should start next. It reads the owners one by one from an index.
// So the time does not depend on the number of an owner's jobs.
func (s *Store) nextWork(ctx context.Context, holder string, limit int, now time.Time) ([]int64, error) {
	atWork, err := query(ctx, s.reader, store.ScanOne[string], `
		SELECT owner FROM queue WHERE lease = ?1 AND lease <> '' AND due_at > ?2`, holder, micros(now))
	if err != nil {
		return nil, err
	}
	waiting, err := query(ctx, s.reader, func(scan func(...any) error) (w store.WaitingWork, err error) {
		var due int64
		err = scan(&w.ID, &w.Owner, &due)
		w.DueAt = fromMicros(due)
		return w, err
	}, `
		WITH RECURSIVE owners (name) AS (
			SELECT min(owner) FROM queue WHERE due_at IS NOT NULL
			UNION ALL
			SELECT (SELECT min(owner) FROM queue WHERE due_at IS NOT NULL AND owner > name)
			FROM owners WHERE name IS NOT NULL)
		SELECT q.id, q.owner, q.due_at
		FROM owners CROSS JOIN queue AS q
		WHERE q.id IN (
			SELECT id FROM queue WHERE owner = owners.name AND due_at IS NOT NULL AND due_at <= ?1
			ORDER BY due_at, id `+upTo(limit)+`)
		ORDER BY q.due_at, q.id`, micros(now))
	return store.ShareWork(limit, atWork, waiting), err
}

// HoldWork implements store.Queue.
func (s *Store) HoldWork(ctx context.Context, holder string, until time.Time) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE queue SET due_at = ?2 WHERE lease <> '' AND (lease = ?1 OR due_at > ?3)`, holder, micros(until),
			micros(until.Add(store.ReplicaSkew)))
		return err
	})
	if err != nil {
		return fmt.Errorf("hold jobs: %w", err)
	}
	return nil
}

// EndWork implements store.Queue.
func (s *Store) EndWork(ctx context.Context, w store.Work, now time.Time, then ...store.Work) error {
	return s.endLease(ctx, w, func(tx *sql.Tx) (sql.Result, error) {
		if _, err := putWork(ctx, tx, now, then); err != nil {
			return nil, err
		}
		return tx.ExecContext(ctx, `
			UPDATE queue SET lease = '', error = '',
				tries = iif(calls = ?3, tries, 0),
				state = iif(calls = ?3, 'done', 'open'),
				due_at = iif(calls = ?3, NULL, ?4), ended_at = iif(calls = ?3, ?4, NULL),
				body = iif(calls = ?3, x'', body)
			WHERE id = ?1 AND lease = ?2`, w.ID, w.Lease.Holder, w.Lease.Calls, micros(now))
	})
}

// endLease ends the lease of a job. The function f changes the job. Conflict: the worker has lost the lease.
func (s *Store) endLease(ctx context.Context, w store.Work, f func(tx *sql.Tx) (sql.Result, error)) error {
	err := s.writeTogether(ctx, func(tx *sql.Tx) error {
		res, err := f(tx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); n > 0 || err != nil {
			return err
		}
		return store.LeaseLost(w)
	})
	if err != nil {
		return fmt.Errorf("give a job back: %w", err)
	}
	return nil
}

// DelayWork implements store.Queue.
func (s *Store) DelayWork(ctx context.Context, w store.Work, at time.Time, why string) error {
	return s.endLease(ctx, w, func(tx *sql.Tx) (sql.Result, error) {
		return tx.ExecContext(ctx, `
			UPDATE queue SET lease = '', due_at = ?3, error = ?4 WHERE id = ?1 AND lease = ?2`, w.ID, w.Lease.Holder,
			micros(at), why)
	})
}

// BuryWork implements store.Queue.
func (s *Store) BuryWork(ctx context.Context, w store.Work, now time.Time, why string) error {
	return s.endLease(ctx, w, func(tx *sql.Tx) (sql.Result, error) {
		return tx.ExecContext(ctx, `
			UPDATE queue SET lease = '', due_at = NULL, ended_at = ?3, state = 'dead', error = ?4
			WHERE id = ?1 AND lease = ?2`, w.ID, w.Lease.Holder, micros(now), why)
	})
}

// Works implements store.Queue.
func (s *Store) Works(ctx context.Context, f store.WorkFilter) ([]store.Work, error) {
	list, err := query(ctx, s.reader, scanWork, `
		SELECT `+store.WorkSQL+`, x'', due_at, created_at, ended_at
		FROM queue
		WHERE (?1 = '' OR state = ?1) AND (?2 = '' OR kind = ?2)
		ORDER BY id DESC
		`+upTo(f.Limit), f.State, f.Kind)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	return list, nil
}

// Work implements store.Queue.
func (s *Store) Work(ctx context.Context, id int64) (store.Work, error) {
	list, err := query(ctx, s.reader, scanWork, `
		SELECT `+store.WorkSQL+`, body, due_at, created_at, ended_at FROM queue WHERE id = ?`, id)
	switch {
	case err != nil:
		return store.Work{}, fmt.Errorf("look up job %d: %w", id, err)
	case len(list) == 0:
		return store.Work{}, store.NoWork(id)
	}
	return list[0], nil
}

// ReplayWork implements store.Queue.
func (s *Store) ReplayWork(ctx context.Context, id int64, now time.Time) error {
	return s.changeWork(ctx, id, "it is not dead", `
		UPDATE queue SET state = 'open', tries = 0, error = '', due_at = ?2, ended_at = NULL
		WHERE id = ?1 AND state = 'dead'`, id, micros(now))
}

// DropWork implements store.Queue.
func (s *Store) DropWork(ctx context.Context, id int64, now time.Time) error {
	return s.changeWork(ctx, id, "somebody works on it", `
		DELETE FROM queue WHERE id = ?1 AND (lease = '' OR due_at <= ?2)`, id, micros(now))
}

// changeWork changes a job by the statement q. NotFound: there is no such job. Conflict: the statement does not change
// the job. The parameter refusal says why.
func (s *Store) changeWork(ctx context.Context, id int64, refusal, q string, args ...any) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, q, args...)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); n > 0 || err != nil {
			return err
		}
		found, err := query(ctx, tx, store.ScanOne[int], `SELECT 1 FROM queue WHERE id = ?`, id)
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return store.NoWork(id)
		}
		return store.Errorf(store.Conflict, "job %d stays as it is: %s", id, refusal)
	})
	if err != nil && store.CodeOf(err) == "" {
		return fmt.Errorf("change job %d: %w", id, err)
	}
	return err
}

// CountWork implements store.Queue.
func (s *Store) CountWork(ctx context.Context) ([]store.WorkCount, error) {
	list, err := query(ctx, s.reader, func(scan func(...any) error) (c store.WorkCount, err error) {
		var oldest int64
		err = scan(&c.Kind, &c.State, &c.Jobs, &oldest)
		c.Oldest = fromMicros(oldest)
		return c, err
	}, `
		SELECT kind, state, count(*), min(due_at) FROM queue WHERE due_at IS NOT NULL GROUP BY kind, state
		UNION ALL
		SELECT kind, state, count(*), min(ended_at) FROM queue
		WHERE ended_at IS NOT NULL AND state = 'dead' GROUP BY kind, state
		ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	return list, nil
}

// ForgetWork implements store.Queue.
func (s *Store) ForgetWork(ctx context.Context, before time.Time) (n int, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `
			DELETE FROM queue WHERE ended_at IS NOT NULL AND state IN ('done', 'dead') AND ended_at < ?`,
			micros(before))
		if err != nil {
			return err
		}
		gone, err := res.RowsAffected()
		n = int(gone)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("forget jobs: %w", err)
	}
	return n, nil
}
