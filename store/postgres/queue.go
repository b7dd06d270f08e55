package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

var _ store.Queue = (*Store)(nil)

func scanWork(scan func(...any) error) (store.Work, error) {
	var w store.Work
	var due, ended *time.Time
	err := scan(append(w.Columns(), &w.Body, &due, &w.CreatedAt, &ended)...)
	decodeAll(&w.Key, &w.Repo, &w.Error)
	w.CreatedAt, w.DueAt, w.EndedAt = w.CreatedAt.UTC(), fromTime(due), fromTime(ended)
	return w, err
}

// PutWork implements store.Queue.
func (s *Store) PutWork(ctx context.Context, now time.Time, jobs ...store.Work) (added int, err error) {
	if len(jobs) == 1 {
		q, args := insertWork(now, jobs[0])
		var calls []int
		calls, err = s.writeTogether(ctx, jobs[0], q, args...)
		added = countNew(calls)
	} else {
		err = s.write(ctx, func(tx pgx.Tx) error {
			added, err = putWork(ctx, tx, now, jobs)
			return err
		})
	}
	if err != nil {
		return 0, fmt.Errorf("queue jobs: %w", failure(ctx, err))
	}
	return added, nil
}

func putWork(ctx context.Context, db querier, now time.Time, jobs []store.Work) (added int, err error) {
	for _, w := range jobs {
		q, args := insertWork(now, w)
		calls, err := query(ctx, db, store.ScanOne[int], q, args...)
		if err != nil {
			return added, err
		}
		added += countNew(calls)
	}
	return added, nil
}

// countNew returns 1 if the result of insertWork says that the job is new, and 0 otherwise.
func countNew(calls []int) int {
	if len(calls) == 1 && calls[0] == 1 {
		return 1
	}
	return 0
}

// insertWork returns a statement that queues a job, and the arguments of the statement. If the statement adds or
// changes the job, its result is the number of times that the job was queued. Otherwise it has no result.
func insertWork(now time.Time, w store.Work) (q string, args []any) {
	due := w.DueAt
	if due.Before(now) {
		due = now
	}
	body := w.Body
	if body == nil {
		body = []byte{}
	}
	// If a job is queued again while it is leased, it keeps its lease, and EndWork sees the change when the job
	// ends.
	return `
		INSERT INTO queue AS q (key, kind, repo, body, state, tries, error, lease, calls, due_at, created_at)
		VALUES ($1, $2, $3, $4, 'open', 0, '', '', 1, $5, $6)
		ON CONFLICT (key) DO UPDATE SET
			calls = q.calls + 1, body = excluded.body, state = 'open', ended_at = NULL,
			tries = CASE WHEN q.lease = '' THEN 0 ELSE q.tries END,
			due_at = CASE
				WHEN q.due_at IS NULL THEN excluded.due_at
				WHEN q.lease = '' AND q.error = '' THEN least(excluded.due_at, q.due_at)
				ELSE q.due_at END
		WHERE $7
		RETURNING calls`, []any{encode(w.Key), w.Kind, encode(w.Repo), body, due, now, w.Wakes}
}

// ClaimWork implements store.Queue.
func (s *Store) ClaimWork(ctx context.Context, holder string, limit int, now, until time.Time) (list []store.Work,
	err error) {
	for range claims { // another replica may claim the same jobs first
		var ids []int64
		if ids, err = s.nextWork(ctx, holder, limit, now); err != nil || len(ids) == 0 {
			break
		}
		list, err = query(ctx, s.pool, scanWork, `
			UPDATE queue SET lease = $1, due_at = $2, tries = tries + 1
			WHERE id IN (
				SELECT id FROM queue
				WHERE id = ANY ($4) AND due_at <= $3
				FOR UPDATE SKIP LOCKED)
			RETURNING `+store.WorkSQL+`, body, due_at, created_at, ended_at`, holder, until, now, ids)
		if err != nil || len(list) > 0 {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("claim jobs: %w", failure(ctx, err))
	}
	return list, nil
}

// claims is the max number of attempts to find jobs while other replicas take them.
const claims = 5

// nextWork returns the IDs of the jobs that a holder should start next. It reads the owners one by one from an index.
// So the time does not depend on the number of an owner's jobs.
func (s *Store) nextWork(ctx context.Context, holder string, limit int, now time.Time) ([]int64, error) {
	atWork, err := query(ctx, s.pool, store.ScanOne[string], `
		SELECT owner FROM queue WHERE lease = $1 AND lease <> '' AND due_at > $2`, holder, now)
	if err != nil {
		return nil, err
	}
	waiting, err := query(ctx, s.pool, func(scan func(...any) error) (w store.WaitingWork, err error) {
		err = scan(&w.ID, &w.Owner, &w.DueAt)
		return w, err
	}, `
		WITH RECURSIVE owners (name) AS (
			SELECT min(owner) FROM queue WHERE due_at IS NOT NULL
			UNION ALL
			SELECT (SELECT min(owner) FROM queue WHERE due_at IS NOT NULL AND owner > name)
			FROM owners WHERE name IS NOT NULL)
		SELECT q.id, q.owner, q.due_at
		FROM owners CROSS JOIN LATERAL (
			SELECT id, owner, due_at FROM queue
			WHERE owner = owners.name AND due_at <= $1
			ORDER BY due_at, id LIMIT $2) AS q
		ORDER BY q.due_at, q.id`, now, limit)
	return store.ShareWork(limit, atWork, waiting), err
}

// HoldWork implements store.Queue.
func (s *Store) HoldWork(ctx context.Context, holder string, until time.Time) error {
	_, err := s.pool.Exec(ctx, `UPDATE queue SET due_at = $2 WHERE lease <> '' AND (lease = $1 OR due_at > $3)`, holder,
		until, until.Add(store.ReplicaSkew))
	if err != nil {
		return fmt.Errorf("hold jobs: %w", failure(ctx, err))
	}
	return nil
}

// EndWork implements store.Queue.
func (s *Store) EndWork(ctx context.Context, w store.Work, now time.Time, then ...store.Work) error {
	q, args := `
		UPDATE queue SET lease = '', error = '',
			tries = CASE WHEN calls = $3 THEN tries ELSE 0 END,
			state = CASE WHEN calls = $3 THEN 'done' ELSE 'open' END,
			due_at = CASE WHEN calls = $3 THEN NULL ELSE $4::timestamptz END,
			ended_at = CASE WHEN calls = $3 THEN $4::timestamptz END,
			body = CASE WHEN calls = $3 THEN ''::bytea ELSE body END
		WHERE id = $1 AND lease = $2
		RETURNING calls`, []any{w.ID, w.Lease.Holder, w.Lease.Calls, now}
	if len(then) == 0 {
		return endLease(ctx, w, func() (int, error) {
			ended, err := s.writeTogether(ctx, w, q, args...)
			return len(ended), err
		})
	}
	return endLease(ctx, w, func() (ended int, err error) {
		err = s.write(ctx, func(tx pgx.Tx) error {
			if _, err := putWork(ctx, tx, now, then); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, q, args...)
			ended = int(tag.RowsAffected())
			if err == nil && ended == 0 {
				return store.LeaseLost(w) // the rollback also drops the new jobs
			}
			return err
		})
		return ended, err
	})
}

// endLease ends the lease of a job. The function f changes the job, and returns the number of changed rows. Conflict:
// the worker has lost the lease.
func endLease(ctx context.Context, w store.Work, f func() (changed int, err error)) error {
	changed, err := f()
	if err == nil && changed == 0 {
		err = store.LeaseLost(w)
	}
	if err != nil {
		return fmt.Errorf("give a job back: %w", failure(ctx, err))
	}
	return nil
}

// DelayWork implements store.Queue.
func (s *Store) DelayWork(ctx context.Context, w store.Work, at time.Time, why string) error {
	return endLease(ctx, w, func() (int, error) {
		tag, err := s.pool.Exec(ctx, `
			UPDATE queue SET lease = '', due_at = $3, error = $4 WHERE id = $1 AND lease = $2`, w.ID, w.Lease.Holder, at,
			encode(why))
		return int(tag.RowsAffected()), err
	})
}

// BuryWork implements store.Queue.
func (s *Store) BuryWork(ctx context.Context, w store.Work, now time.Time, why string) error {
	return endLease(ctx, w, func() (int, error) {
		tag, err := s.pool.Exec(ctx, `
			UPDATE queue SET lease = '', due_at = NULL, ended_at = $3, state = 'dead', error = $4
			WHERE id = $1 AND lease = $2`, w.ID, w.Lease.Holder, now, encode(why))
		return int(tag.RowsAffected()), err
	})
}

// Works implements store.Queue.
func (s *Store) Works(ctx context.Context, f store.WorkFilter) ([]store.Work, error) {
	var limit *int // NULL means no limit
	if f.Limit > 0 {
		limit = &f.Limit
	}
	list, err := query(ctx, s.pool, scanWork, `
		SELECT `+store.WorkSQL+`, ''::bytea, due_at, created_at, ended_at
		FROM queue
		WHERE ($1::text = '' OR state = $1) AND ($2::text = '' OR kind = $2)
		ORDER BY id DESC
		LIMIT $3`, string(f.State), f.Kind, limit)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", failure(ctx, err))
	}
	return list, nil
}

// Work implements store.Queue.
func (s *Store) Work(ctx context.Context, id int64) (store.Work, error) {
	return first(ctx, s.pool, scanWork, store.NoWork(id), "a job", `
		SELECT `+store.WorkSQL+`, body, due_at, created_at, ended_at FROM queue WHERE id = $1`, id)
}

// ReplayWork implements store.Queue.
func (s *Store) ReplayWork(ctx context.Context, id int64, now time.Time) error {
	return s.changeWork(ctx, id, "it is not dead", `
		UPDATE queue SET state = 'open', tries = 0, error = '', due_at = $2, ended_at = NULL
		WHERE id = $1 AND state = 'dead'`, id, now)
}

// DropWork implements store.Queue.
func (s *Store) DropWork(ctx context.Context, id int64, now time.Time) error {
	return s.changeWork(ctx, id, "somebody works on it", `
		DELETE FROM queue WHERE id = $1 AND (lease = '' OR due_at <= $2)`, id, now)
}

// changeWork changes a job by the statement q. If q does not change an existing job, the error has the text of refusal.
func (s *Store) changeWork(ctx context.Context, id int64, refusal, q string, args ...any) error {
	tag, err := s.pool.Exec(ctx, q, args...)
	if err != nil {
		return fmt.Errorf("change job %d: %w", id, failure(ctx, err))
	}
	if tag.RowsAffected() > 0 {
		return nil
	}
	if _, err := s.Work(ctx, id); err != nil {
		return err
	}
	return store.Errorf(store.Conflict, "job %d stays as it is: %s", id, refusal)
}

// CountWork implements store.Queue.
func (s *Store) CountWork(ctx context.Context) ([]store.WorkCount, error) {
	list, err := query(ctx, s.pool, func(scan func(...any) error) (c store.WorkCount, err error) {
		err = scan(&c.Kind, &c.State, &c.Jobs, &c.Oldest)
		c.Oldest = c.Oldest.UTC()
		return c, err
	}, `
		SELECT kind, state, count(*), min(due_at) FROM queue WHERE due_at IS NOT NULL GROUP BY kind, state
		UNION ALL
		SELECT kind, state, count(*), min(ended_at) FROM queue
		WHERE ended_at IS NOT NULL AND state = 'dead' GROUP BY kind, state
		ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", failure(ctx, err))
	}
	return list, nil
}

// ForgetWork implements store.Queue.
func (s *Store) ForgetWork(ctx context.Context, before time.Time) (int, error) {
	tag, err := s.pool.Exec(ctx, `
		DELETE FROM queue WHERE ended_at IS NOT NULL AND state IN ('done', 'dead') AND ended_at < $1`, before)
	if err != nil {
		return 0, fmt.Errorf("forget jobs: %w", failure(ctx, err))
	}
	return int(tag.RowsAffected()), nil
}
