package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// AddObjects implements store.Store.
func (s *Store) AddObjects(ctx context.Context, repo string, objects []store.Object) ([]store.Object, error) {
	if err := store.CheckObjects(objects); err != nil || len(objects) == 0 {
		return nil, err
	}
	digests, keys := make([]string, len(objects)), make([]string, len(objects))
	sizes, times, used := make([]int64, len(objects)), make([]time.Time, len(objects)), make([]bool, len(objects))
	for i, o := range objects {
		digests[i], sizes[i], keys[i], times[i], used[i] = o.Digest, o.Size, encode(o.Key), o.At, o.Used
		if max(len(keys[i]), len(encode(repo))) > maxName {
			return nil, store.Errorf(store.Invalid, "a name of the object is longer than %d bytes", maxName)
		}
	}
	var added []store.Object
	err := s.write(ctx, func(tx pgx.Tx) error {
		if err := knowRepo(ctx, tx, repo); err != nil {
			return err
		}
		var err error
		// All callers add rows in the same order. Otherwise there could be deadlocks.
		added, err = query(ctx, tx, scanObject, `
			INSERT INTO fact_objects AS o (repo, digest, size, key, asked_at, used)
			SELECT $1, n.digest, n.size, n.key, n.asked_at, n.used
			FROM unnest($2::text[], $3::bigint[], $4::text[], $5::timestamptz[], $6::boolean[])
				AS n (digest, size, key, asked_at, used)
			ORDER BY n.digest
			ON CONFLICT (repo, digest) DO UPDATE SET asked_at = greatest(o.asked_at, excluded.asked_at)
			RETURNING o.digest, o.size, o.key, o.asked_at`, encode(repo), digests, sizes, keys, times, used)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("add objects: %w", err)
	}
	slices.SortFunc(added, func(a, b store.Object) int { return cmp.Compare(a.Digest, b.Digest) })
	return added, nil
}

// knowRepo stores a repository if it is not stored yet. The repository may have no runs.
func knowRepo(ctx context.Context, tx pgx.Tx, repo string) error {
	_, err := tx.Exec(ctx, `INSERT INTO repos (name, last_serial) VALUES ($1, 0) ON CONFLICT DO NOTHING`, encode(repo))
	return err
}

// AddSnapshot implements store.Store.
func (s *Store) AddSnapshot(ctx context.Context, snap store.Snapshot, ancestors, objects []string) (
	added store.Snapshot, missing []string, err error) {
	if snap, err = snap.Checked(); err != nil {
		return added, nil, err
	}
	if max(len(encode(snap.Repo)), len(encode(snap.Branch)), len(encode(snap.Tag))) > maxName {
		return added, nil, store.Errorf(store.Invalid, "a name of the snapshot is longer than %d bytes", maxName)
	}
	edges, err := snap.Edges(ancestors)
	if err != nil {
		return added, nil, err
	}
	err = s.write(ctx, func(tx pgx.Tx) error {
		added, missing = store.Snapshot{}, nil
		a := &adding{tx, snap}
		// Calls for the same repository run one at a time.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, $2))`, encode(snap.Repo),
			telling); err != nil {
			return err
		}
		var err error
		if missing, err = a.Put(ctx, a, objects); err != nil || len(missing) > 0 {
			return err
		}
		if err := a.tell(ctx, edges); err != nil {
			return err
		}
		added, err = a.stored(ctx)
		return err
	})
	if err != nil {
		return store.Snapshot{}, nil, fmt.Errorf("add snapshot: %w", err)
	}
	return added, missing, nil
}

// telling is the hash seed of the advisory lock that serializes the calls of AddSnapshot for a repository.
const telling = maintenance + 2

// adding is the state of AddSnapshot for one snapshot.
type adding struct {
	tx pgx.Tx
	store.Snapshot
}

// place returns the arguments of the SQL condition inPlace, which selects the row of the snapshot.
func (a *adding) place() []any {
	return []any{encode(a.Repo), a.Commit, string(a.Kind), a.Fork}
}

const inPlace = `s.repo = $1 AND s.commit_hash = $2 AND s.kind = $3 AND s.fork = $4`

// stored returns the stored snapshot of the same commit and kind, which the new snapshot would replace. The error is
// pgx.ErrNoRows if there is none.
func (a *adding) stored(ctx context.Context) (store.Snapshot, error) {
	return scanSnapshot(a.tx.QueryRow(ctx, `SELECT `+snapshotColumns+` FROM snapshots s WHERE `+inPlace+` FOR UPDATE`,
		a.place()...).Scan)
}

// Stored implements store.SnapshotPlace.
func (a *adding) Stored(ctx context.Context) (store.Snapshot, bool, error) {
	s, err := a.stored(ctx)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, false, nil
	}
	return s, err == nil, err
}

// Drop implements store.SnapshotPlace.
func (a *adding) Drop(ctx context.Context) error {
	_, err := dropSnapshots(ctx, a.tx, inPlace, a.place()...)
	return err
}

// Insert implements store.SnapshotPlace.
func (a *adding) Insert(ctx context.Context) error {
	if err := knowRepo(ctx, a.tx, a.Repo); err != nil {
		return err
	}
	_, err := a.tx.Exec(ctx, `
		INSERT INTO snapshots (repo, commit_hash, kind, fork, manifest, files, bytes, branch, tag, pr, verified, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		append(a.place(), a.Manifest, a.Files, a.Bytes, encode(a.Branch), encode(a.Tag), a.PR, a.Verified, a.CreatedAt)...)
	return err
}

// Rename implements store.SnapshotPlace.
func (a *adding) Rename(ctx context.Context) error {
	_, err := a.tx.Exec(ctx, `
		UPDATE snapshots s
		SET branch = CASE $5 WHEN '' THEN branch ELSE $5 END, tag = CASE $6 WHEN '' THEN tag ELSE $6 END,
			verified = verified OR $7
		WHERE `+inPlace, append(a.place(), encode(a.Branch), encode(a.Tag), a.Verified)...)
	return err
}

// Missing implements store.SnapshotPlace.
func (a *adding) Missing(ctx context.Context, objects []string) (missing []string, err error) {
	err = a.tx.QueryRow(ctx, `SELECT files, bytes FROM snapshots WHERE repo = $1 AND manifest = $2 LIMIT 1 FOR SHARE`,
		encode(a.Repo), a.Manifest).Scan(&a.Files, &a.Bytes)
	switch {
	case err == nil:
		return nil, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return nil, err
	case objects == nil:
		return []string{a.Manifest}, nil
	}
	all := append([]string{a.Manifest}, objects...)
	// Nobody can delete a locked row. A row that is not locked here was requested recently, and stays for days.
	_, err = a.tx.Exec(ctx, `
		UPDATE fact_objects o
		SET asked_at = greatest(o.asked_at, $1)
		FROM (
			SELECT f.digest
			FROM fact_objects f
			JOIN (`+eachOf("$3")+`) AS n ON f.digest = n.digest
			WHERE f.repo = $2 AND f.asked_at < $4
			ORDER BY f.digest
			FOR UPDATE OF f
		) AS k
		WHERE o.repo = $2 AND o.digest = k.digest`, a.CreatedAt, encode(a.Repo), all, store.Stale(a.CreatedAt))
	if err != nil {
		return nil, err
	}
	missing, err = query(ctx, a.tx, store.ScanOne[string], `
		SELECT n.digest
		FROM (`+eachOf("$1")+`) AS n
		WHERE NOT EXISTS (SELECT 1 FROM fact_objects o WHERE o.repo = $2 AND o.digest = n.digest)
		ORDER BY n.digest`, all, encode(a.Repo))
	if err != nil || len(missing) > 0 {
		return missing, err
	}
	_, err = a.tx.Exec(ctx, `
		UPDATE fact_objects o
		SET used = true
		FROM (`+eachOf("$2")+`) AS n
		WHERE o.repo = $1 AND o.digest = n.digest AND NOT o.used`, encode(a.Repo), all)
	return nil, err
}

// tell stores the commits and the names that the snapshot reports.
func (a *adding) tell(ctx context.Context, edges []store.Edge) error {
	hashes, parents := make([]string, len(edges)), make([]string, len(edges))
	for i, e := range edges {
		hashes[i], parents[i] = e.Hash, e.Parent
	}
	_, err := a.tx.Exec(ctx, `
		INSERT INTO commits AS c (repo, hash, parent, trust)
		SELECT $1, e.hash, e.parent, $4
		FROM unnest($2::text[], $3::text[]) AS e (hash, parent)
		ON CONFLICT (repo, hash) DO UPDATE
		SET parent = excluded.parent, trust = excluded.trust
		WHERE excluded.parent <> '' AND c.parent <> excluded.parent AND (excluded.trust > c.trust OR c.parent = '')`,
		encode(a.Repo), hashes, parents, a.Trust())
	if err != nil {
		return err
	}
	for _, n := range a.Names() {
		if err := a.name(ctx, n.Key()); err != nil {
			return err
		}
	}
	return nil
}

// name makes a name refer to the commit. It changes nothing in two cases: the name already refers to this commit or a
// later one, or a trusted caller has set the name and this caller is not trusted.
func (a *adding) name(ctx context.Context, key string) error {
	var head string
	var trust int
	err := a.tx.QueryRow(ctx, `SELECT commit_hash, trust FROM commit_names WHERE repo = $1 AND name = $2`, encode(a.Repo),
		encode(key)).Scan(&head, &trust)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	if err == nil {
		var behind bool
		err := a.tx.QueryRow(ctx, lineSQL+`SELECT EXISTS (SELECT 1 FROM line WHERE hash = $4)`, head, encode(a.Repo),
			store.MaxDistance, a.Commit).Scan(&behind)
		if err != nil || behind || a.Trust() == 0 && trust > 0 {
			return err
		}
	}
	_, err = a.tx.Exec(ctx, `
		INSERT INTO commit_names (repo, name, commit_hash, trust) VALUES ($1, $2, $3, $4)
		ON CONFLICT (repo, name) DO UPDATE SET commit_hash = excluded.commit_hash, trust = excluded.trust`,
		encode(a.Repo), encode(key), a.Commit, a.Trust())
	return err
}
