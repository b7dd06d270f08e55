package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// FingerprintHistory implements store.Store.
func (s *Store) FingerprintHistory(ctx context.Context, sc store.Scope, r store.Run, fingerprints ...string) (
	store.FingerprintHistory, error) {
	hashes, err := store.FingerprintHashes(fingerprints...)
	if err != nil {
		return store.FingerprintHistory{}, err
	}
	var h store.FingerprintHistory
	err = s.read(ctx, func(tx pgx.Tx) error {
		at, err := s.lookup(ctx, tx, sc, store.Ref{Attempt: r.Attempt})
		if err != nil {
			return err
		}
		h, err = history(ctx, tx, at, hashes)
		return err
	})
	if err != nil && store.CodeOf(err) != store.NotFound {
		err = fmt.Errorf("history of %s: %w", strings.Join(fingerprints, ", "), err)
	}
	if err != nil {
		return store.FingerprintHistory{}, err
	}
	return h, nil
}

func history(ctx context.Context, tx pgx.Tx, at row, hashes []int64) (store.FingerprintHistory, error) {
	var h store.FingerprintHistory
	var first, last, here *int64
	err := tx.QueryRow(ctx, `
		SELECT
			coalesce(sum(n), 0)::bigint, count(*), min(run_id),
			max(run_id) FILTER (WHERE run_id < $1), max(run_id) FILTER (WHERE run_id = $1)
		FROM (
			SELECT run_id, count(*) AS n
			FROM events
			WHERE source_id = $2 AND fingerprint = ANY($3::bigint[]) AND run_id <= $1
			GROUP BY run_id
		) AS r`,
		at.id, at.source, hashes).Scan(&h.Occurrences, &h.Runs, &first, &last, &here)
	if err != nil || first == nil {
		return h, err
	}
	if h.First, err = byID(ctx, tx, *first); err != nil || last == nil {
		return h, err
	}
	if h.Last, err = byID(ctx, tx, *last); err != nil || here == nil {
		return h, err
	}
	const line = `(r.source_id, r.git_branch, r.step) = (SELECT source_id, git_branch, step FROM runs WHERE id = $1)`
	err = tx.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT 1
			FROM runs r
			WHERE `+line+`
			  AND r.id < $1
			  AND r.id > (
				SELECT max(r.id)
				FROM runs r
				WHERE `+line+`
				  AND r.id < $1
				  AND r.id IN (
					SELECT run_id
					FROM events
					WHERE source_id = $2 AND fingerprint = ANY($3::bigint[]) AND run_id < $1))
			  AND `+store.PassedSQL+`)`, at.id, at.source, hashes).Scan(&h.Regression)
	return h, err
}

func byID(ctx context.Context, db querier, id int64) (store.Run, error) {
	r, err := scanRun(db.QueryRow(ctx, `
		SELECT `+runColumns+`
		FROM runs r
		WHERE r.id = $1`, id).Scan)
	return r.Run, err
}
