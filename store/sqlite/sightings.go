package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Sightings implements store.Store.
func (s *Store) Sightings(ctx context.Context, sc store.Scope, repo string, limit int, fingerprints ...string) (
	store.Sightings, error) {
	hashes, err := store.FingerprintHashes(fingerprints...)
	if err != nil {
		return store.Sightings{}, err
	}
	db, leave, err := s.read(ctx)
	if err != nil {
		return store.Sightings{}, err
	}
	defer leave()
	tx, err := db.BeginTx(ctx, nil) // read counts and runs in one snapshot
	if err != nil {
		return store.Sightings{}, busyError(err)
	}
	defer tx.Rollback()
	list, err := sightings(ctx, tx, sc, repo, limit, hashes)
	if err != nil {
		return store.Sightings{}, fmt.Errorf("runs with %s: %w", strings.Join(fingerprints, ", "), err)
	}
	return list, nil
}

func sightings(ctx context.Context, tx querier, sc store.Scope, repo string, limit int, hashes []int64) (
	store.Sightings, error) {
	var list store.Sightings
	var of where
	of.scope(sc)
	if repo != "" {
		of.and("r.repo = ?", repo)
	}
	among, args := in("e.fingerprint", hashes)
	found := `
		SELECT e.run_id, count(*) AS n
		FROM events e
		WHERE e.source_id IN (SELECT r.id FROM sources r ` + of.String() + `) AND ` + among + `
		GROUP BY e.run_id`
	args = append(of.args, args...)
	var first sql.NullInt64
	err := tx.QueryRowContext(ctx, `SELECT coalesce(sum(n), 0), count(*), min(run_id) FROM (`+found+`)`, args...).
		Scan(&list.Occurrences, &list.Runs, &first)
	if err != nil || !first.Valid {
		return list, busyError(err)
	}
	if list.First, err = byID(ctx, tx, first.Int64); err != nil {
		return list, err
	}
	list.Newest, err = query(ctx, tx, func(scan func(...any) error) (store.Sighting, error) {
		n := 0
		r, err := scanRun(func(to ...any) error { return scan(append(to, &n)...) })
		return store.Sighting{Run: r.Run, Events: n}, err
	}, `
		SELECT `+runColumns+`, f.n
		FROM (`+found+` ORDER BY e.run_id DESC `+upTo(limit)+`) AS f
		JOIN runs r ON r.id = f.run_id
		ORDER BY r.id DESC`, args...)
	return list, err
}
