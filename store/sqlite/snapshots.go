package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"github.com/blq-ci/blq/store"
)

const snapshotColumns = store.SnapshotSQL + `, s.created_at`

func scanSnapshot(scan func(...any) error) (store.Snapshot, error) {
	var s store.Snapshot
	var created int64
	err := scan(append(s.Columns(), &created)...)
	s.CreatedAt = fromMicros(created)
	return s, err
}

// nearest is a snapshot with its distance in commits.
type nearest struct {
	store.Snapshot
	distance int
}

// NearestSnapshot implements store.Store.
func (s *Store) NearestSnapshot(ctx context.Context, sc store.Scope, at store.SnapshotAt) (store.Snapshot, int, error) {
	if !sc.Has(at.Repo) {
		return store.Snapshot{}, 0, store.NoSnapshot(at)
	}
	found, err := readList(ctx, s, func(scan func(...any) error) (n nearest, err error) {
		var created int64
		err = scan(append(n.Columns(), &created, &n.distance)...)
		n.CreatedAt = fromMicros(created)
		return n, err
	}, lineSQL+`
		SELECT `+snapshotColumns+`, l.distance
		FROM line l
		JOIN snapshots s ON s.repo = ?2 AND s.commit_hash = l.hash AND s.kind = ?4
		WHERE (s.fork = 0 OR ?5 AND l.distance = 0) AND l.distance >= ?6
		ORDER BY l.distance, s.fork
		LIMIT 1`, at.Commit, at.Repo, store.MaxDistance, at.Kind, at.Forks, at.Back)
	if err != nil {
		return store.Snapshot{}, 0, fmt.Errorf("find the facts of %.12s: %w", at.Commit, err)
	}
	if len(found) == 0 {
		return store.Snapshot{}, 0, store.NoSnapshot(at)
	}
	return found[0].Snapshot, found[0].distance, nil
}

// FirstParents implements store.Store.
func (s *Store) FirstParents(ctx context.Context, sc store.Scope, repo, commit string) ([]string, error) {
	if !sc.Has(repo) {
		return []string{commit}, nil
	}
	list, err := query(ctx, s.reader, store.ScanOne[string], lineSQL+`SELECT hash FROM line ORDER BY distance`,
		commit, repo, store.MaxDistance)
	if err != nil {
		return nil, fmt.Errorf("list the ancestors of %.12s: %w", commit, err)
	}
	return list, nil
}

// Snapshots implements store.Store.
func (s *Store) Snapshots(ctx context.Context, sc store.Scope, f store.SnapshotFilter) ([]store.Snapshot, error) {
	var w where
	if !sc.All() {
		c, args := in("s.repo", sc.Names())
		w.and(c, args...)
	}
	if f.Repo != "" {
		w.and("s.repo = ?", f.Repo)
	}
	if f.Commit != "" {
		w.and("s.commit_hash = ?", f.Commit)
	}
	if f.Commits != nil {
		c, args := in("s.commit_hash", f.Commits)
		w.and(c, args...)
	}
	if f.Kind != "" {
		w.and("s.kind = ?", f.Kind)
	}
	list, err := readList(ctx, s, scanSnapshot, `
		SELECT `+snapshotColumns+`
		FROM snapshots s
		`+w.String()+`
		ORDER BY s.id DESC
		`+upTo(f.Limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	return list, nil
}

// NamedCommit implements store.Store.
func (s *Store) NamedCommit(ctx context.Context, sc store.Scope, n store.CommitName) (string, error) {
	q, args := `SELECT commit_hash FROM commit_names WHERE repo = ? AND name = ?`, []any{n.Repo, n.Key()}
	if n.Key() == "" {
		from, to, err := store.CommitRange(n.Prefix)
		if err != nil {
			return "", err
		}
		q, args = `SELECT hash FROM commits WHERE repo = ? AND hash >= ? AND hash < ? LIMIT 2`, []any{n.Repo, from, to}
	}
	if !sc.Has(n.Repo) {
		return "", store.NoCommit(n)
	}
	found, err := readList(ctx, s, store.ScanOne[string], q, args...)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", n, err)
	}
	return store.PickCommit(n, found)
}

// Objects implements store.Store.
func (s *Store) Objects(ctx context.Context, sc store.Scope, repo string, digests []string) ([]store.Object, error) {
	if !sc.Has(repo) {
		return nil, nil
	}
	list, err := readList(ctx, s, scanObject, `
		SELECT digest, size, key, asked_at
		FROM fact_objects
		WHERE repo = ? AND digest IN (SELECT value FROM json_each(?))
		ORDER BY digest`, repo, jsonList(digests))
	if err != nil {
		return nil, fmt.Errorf("find objects: %w", err)
	}
	return list, nil
}

func scanObject(scan func(...any) error) (store.Object, error) {
	var o store.Object
	var at int64
	err := scan(&o.Digest, &o.Size, &o.Key, &at)
	o.At = fromMicros(at)
	return o, err
}

// jsonList returns a list as JSON, for json_each.
func jsonList(list []string) string {
	if list == nil {
		return "[]"
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(text)
}

// AddObjects implements store.Store.
func (s *Store) AddObjects(ctx context.Context, repo string, objects []store.Object) ([]store.Object, error) {
	if err := store.CheckObjects(objects); err != nil || len(objects) == 0 {
		return nil, err
	}
	var added []store.Object
	err := s.write(ctx, func(tx *sql.Tx) error {
		added = make([]store.Object, 0, len(objects))
		if err := knowRepo(ctx, tx, repo); err != nil {
			return err
		}
		insert, err := tx.PrepareContext(ctx, `
			INSERT INTO fact_objects (repo, digest, size, key, asked_at, used) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (repo, digest) DO UPDATE SET asked_at = max(asked_at, excluded.asked_at)
			RETURNING digest, size, key, asked_at`)
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, o := range objects {
			have, err := scanObject(insert.QueryRowContext(ctx, repo, o.Digest, o.Size, o.Key, micros(o.At), o.Used).Scan)
			if err != nil {
				return err
			}
			added = append(added, have)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("add objects: %w", err)
	}
	sort.Slice(added, func(i, j int) bool { return added[i].Digest < added[j].Digest })
	return added, nil
}

// knowRepo stores a repository if it is not stored yet. The repository may have no runs.
func knowRepo(ctx context.Context, tx *sql.Tx, repo string) error {
	_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO repos (name, last_serial) VALUES (?, 0)`, repo)
	return err
}

// AddSnapshot implements store.Store.
func (s *Store) AddSnapshot(ctx context.Context, snap store.Snapshot, ancestors, objects []string) (
	added store.Snapshot, missing []string, err error) {
	if snap, err = snap.Checked(); err != nil {
		return added, nil, err
	}
	edges, err := snap.Edges(ancestors)
	if err != nil {
		return added, nil, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		added, missing = store.Snapshot{}, nil
		a := &adding{tx, snap}
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

// adding is the state of AddSnapshot for one snapshot.
type adding struct {
	tx *sql.Tx
	store.Snapshot
}

// stored returns the stored snapshot that the new snapshot would replace. The error is sql.ErrNoRows if there is none.
func (a *adding) stored(ctx context.Context) (store.Snapshot, error) {
	return scanSnapshot(a.tx.QueryRowContext(ctx, `
		SELECT `+snapshotColumns+`
		FROM snapshots s
		WHERE `+inPlace, a.Repo, a.Commit, a.Kind, a.Fork).Scan)
}

const inPlace = `s.repo = ? AND s.commit_hash = ? AND s.kind = ? AND s.fork = ?`

// Stored implements store.SnapshotPlace.
func (a *adding) Stored(ctx context.Context) (store.Snapshot, bool, error) {
	s, err := a.stored(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return s, false, nil
	}
	return s, err == nil, err
}

// Drop implements store.SnapshotPlace.
func (a *adding) Drop(ctx context.Context) error {
	return dropSnapshots(ctx, a.tx, inPlace, a.Repo, a.Commit, a.Kind, a.Fork)
}

// Insert implements store.SnapshotPlace.
func (a *adding) Insert(ctx context.Context) error {
	if err := knowRepo(ctx, a.tx, a.Repo); err != nil {
		return err
	}
	_, err := a.tx.ExecContext(ctx, `
		INSERT INTO snapshots (repo, commit_hash, kind, fork, manifest, files, bytes, branch, tag, pr, verified, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.Repo, a.Commit, a.Kind, a.Fork, a.Manifest, a.Files, a.Bytes, a.Branch, a.Tag, a.PR, a.Verified,
		micros(a.CreatedAt))
	return err
}

// Rename implements store.SnapshotPlace.
func (a *adding) Rename(ctx context.Context) error {
	_, err := a.tx.ExecContext(ctx, `
		UPDATE snapshots
		SET branch = iif(?1 <> '', ?1, branch), tag = iif(?2 <> '', ?2, tag), verified = max(verified, ?3)
		WHERE repo = ?4 AND commit_hash = ?5 AND kind = ?6 AND fork = ?7`, a.Branch, a.Tag, a.Verified, a.Repo, a.Commit,
		a.Kind, a.Fork)
	return err
}

// Missing implements store.SnapshotPlace.
func (a *adding) Missing(ctx context.Context, objects []string) (missing []string, err error) {
	err = a.tx.QueryRowContext(ctx, `SELECT files, bytes FROM snapshots WHERE repo = ? AND manifest = ? LIMIT 1`, a.Repo,
		a.Manifest).Scan(&a.Files, &a.Bytes)
	switch {
	case err == nil:
		return nil, nil
	case !errors.Is(err, sql.ErrNoRows):
		return nil, err
	case objects == nil:
		return []string{a.Manifest}, nil
	}
	all := jsonList(append([]string{a.Manifest}, objects...))
	missing, err = query(ctx, a.tx, store.ScanOne[string], `
		SELECT DISTINCT value
		FROM json_each(?)
		WHERE NOT EXISTS (SELECT 1 FROM fact_objects WHERE repo = ? AND digest = value)
		ORDER BY value`, all, a.Repo)
	if err != nil {
		return nil, err
	}
	_, err = a.tx.ExecContext(ctx, `
		UPDATE fact_objects
		SET used = max(used, ?1), asked_at = max(asked_at, ?2)
		WHERE repo = ?3 AND digest IN (SELECT value FROM json_each(?4)) AND (asked_at < ?5 OR used < ?1)`,
		len(missing) == 0, micros(a.CreatedAt), a.Repo, all, micros(store.Stale(a.CreatedAt)))
	return missing, err
}

// tell stores the commits and the names that the snapshot reports.
func (a *adding) tell(ctx context.Context, edges []store.Edge) error {
	for _, e := range edges {
		_, err := a.tx.ExecContext(ctx, `
			INSERT INTO commits AS c (repo, hash, parent, trust) VALUES (?, ?, ?, ?)
			ON CONFLICT (repo, hash) DO UPDATE
			SET parent = excluded.parent, trust = excluded.trust
			WHERE excluded.parent <> '' AND c.parent <> excluded.parent AND (excluded.trust > c.trust OR c.parent = '')`,
			a.Repo, e.Hash, e.Parent, a.Trust())
		if err != nil {
			return err
		}
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
	err := a.tx.QueryRowContext(ctx, `SELECT commit_hash, trust FROM commit_names WHERE repo = ? AND name = ?`, a.Repo,
		key).Scan(&head, &trust)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err == nil {
		var behind bool
		err := a.tx.QueryRowContext(ctx, lineSQL+`SELECT EXISTS (SELECT 1 FROM line WHERE hash = ?4)`, head, a.Repo,
			store.MaxDistance, a.Commit).Scan(&behind)
		if err != nil || behind || a.Trust() == 0 && trust > 0 {
			return err
		}
	}
	_, err = a.tx.ExecContext(ctx, `
		INSERT INTO commit_names (repo, name, commit_hash, trust) VALUES (?, ?, ?, ?)
		ON CONFLICT (repo, name) DO UPDATE SET commit_hash = excluded.commit_hash, trust = excluded.trust`,
		a.Repo, key, a.Commit, a.Trust())
	return err
}
