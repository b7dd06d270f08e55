package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// Sightings implements store.Store.
func (s *Store) Sightings(ctx context.Context, sc store.Scope, repo string, limit int, fingerprints ...string) (
	store.Sightings, error) {
	hashes, err := store.FingerprintHashes(fingerprints...)
	if err != nil {
		return store.Sightings{}, err
	}
	var list store.Sightings
	err = s.read(ctx, func(tx pgx.Tx) error { // read counts and runs in one snapshot
		among, err := sources(ctx, tx, sc, store.RunFilter{Repo: repo})
		if err != nil || len(among) == 0 {
			return err
		}
		list, err = sightings(ctx, tx, among, limit, hashes)
		return err
	})
	if err != nil {
		return store.Sightings{}, fmt.Errorf("runs with %s: %w", strings.Join(fingerprints, ", "), err)
	}
	return list, nil
}

func sightings(ctx context.Context, tx pgx.Tx, sources []int32, limit int, hashes []int64) (store.Sightings, error) {
	const found = `
		SELECT run_id, count(*) AS n
		FROM events
		WHERE source_id = ANY($1::integer[]) AND fingerprint = ANY($2::bigint[])
		GROUP BY run_id`
	var list store.Sightings
	var first *int64
	err := tx.QueryRow(ctx, `SELECT coalesce(sum(n), 0)::bigint, count(*), min(run_id) FROM (`+found+`) AS f`, sources,
		hashes).Scan(&list.Occurrences, &list.Runs, &first)
	if err != nil || first == nil {
		return list, err
	}
	if list.First, err = byID(ctx, tx, *first); err != nil {
		return list, err
	}
	list.Newest, err = query(ctx, tx, func(scan func(...any) error) (store.Sighting, error) {
		n := 0
		r, err := scanRun(func(to ...any) error { return scan(append(to, &n)...) })
		return store.Sighting{Run: r.Run, Events: n}, err
	}, `
		SELECT `+runColumns+`, f.n
		FROM (`+found+` ORDER BY run_id DESC LIMIT $3) AS f
		JOIN runs r ON r.id = f.run_id
		ORDER BY r.id DESC`, sources, hashes, limit)
	return list, err
}
