package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/store"
)

// FingerprintHistory implements store.Store.
func (s *Store) FingerprintHistory(ctx context.Context, sc store.Scope, r store.Run, fingerprints ...string) (
	store.FingerprintHistory, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return store.FingerprintHistory{}, err
	}
	defer leave()
	hashes, err := store.FingerprintHashes(fingerprints...)
	if err != nil {
		return store.FingerprintHistory{}, err
	}
	at, err := visible(ctx, db, sc, r.Attempt)
	if err != nil {
		return store.FingerprintHistory{}, err
	}
	h, err := history(ctx, db, at, hashes)
	if err != nil {
		return store.FingerprintHistory{}, fmt.Errorf("history of %s: %w", strings.Join(fingerprints, ", "), err)
	}
	return h, nil
}

// visible returns the run of an attempt. NotFound: there is no such run, or the run is not in the scope.
func visible(ctx context.Context, db querier, sc store.Scope, attempt string) (row, error) {
	return lookup(ctx, db, sc, store.Ref{Attempt: attempt})
}

func history(ctx context.Context, db querier, at row, hashes []int64) (store.FingerprintHistory, error) {
	var h store.FingerprintHistory
	var first, last, here sql.NullInt64
	among, args := in("fingerprint", hashes)
	err := db.QueryRowContext(ctx, `
		SELECT
			coalesce(sum(n), 0), count(*), min(run_id),
			max(run_id) FILTER (WHERE run_id < ?1), max(run_id) FILTER (WHERE run_id = ?1)
		FROM (
			SELECT run_id, count(*) AS n
			FROM events
			WHERE source_id = (SELECT source_id FROM runs WHERE id = ?1) AND run_id <= ?1 AND `+among+`
			GROUP BY run_id)`,
		append([]any{at.id}, args...)...).Scan(&h.Occurrences, &h.Runs, &first, &last, &here)
	if err != nil || !first.Valid {
		return h, busyError(err)
	}
	if h.First, err = byID(ctx, db, first.Int64); err != nil || !last.Valid {
		return h, err
	}
	if h.Last, err = byID(ctx, db, last.Int64); err != nil || !here.Valid {
		return h, err
	}
	const line = `(r.source_id, r.git_branch, r.step) = (SELECT source_id, git_branch, step FROM runs WHERE id = ?1)`
	err = db.QueryRowContext(ctx, `
		SELECT EXISTS (
			SELECT 1
			FROM runs r
			WHERE `+line+`
			  AND r.id < ?1
			  AND r.id > (
				SELECT max(r.id)
				FROM runs r
				WHERE `+line+`
				  AND r.id < ?1
				  AND r.id IN (SELECT run_id FROM events WHERE source_id = r.source_id AND `+among+`))
			  AND `+store.PassedSQL+`)`, append([]any{at.id}, args...)...).Scan(&h.Regression)
	return h, busyError(err)
}

func byID(ctx context.Context, db querier, id int64) (store.Run, error) {
	r, err := scanRun(db.QueryRowContext(ctx, `
		SELECT `+runColumns+`
		FROM runs r
		WHERE r.id = ?`, id).Scan)
	return r.Run, busyError(err)
}
