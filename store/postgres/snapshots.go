package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

const snapshotColumns = store.SnapshotSQL + `, s.created_at`

func scanSnapshot(scan func(...any) error) (store.Snapshot, error) {
	return scanSnapshotAnd(scan)
}

// scanSnapshotAnd scans the columns of a snapshot. The columns after them are scanned into the pointers in targets.
func scanSnapshotAnd(scan func(...any) error, targets ...any) (store.Snapshot, error) {
	var s store.Snapshot
	var created time.Time
	err := scan(append(append(s.Columns(), &created), targets...)...)
	decodeAll(&s.Repo, &s.Branch, &s.Tag)
	s.CreatedAt = created.UTC()
	return s, err
}

// lineSQL is store.LineSQL, with the collation that the table uses.
var lineSQL = strings.Replace(store.LineSQL, "AS text)", `AS text) COLLATE "C"`, 1)

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
	found, err := query(ctx, s.pool, func(scan func(...any) error) (n nearest, err error) {
		n.Snapshot, err = scanSnapshotAnd(scan, &n.distance)
		return n, err
	}, lineSQL+`
		SELECT `+snapshotColumns+`, l.distance
		FROM line l
		JOIN snapshots s ON s.repo = $2 AND s.commit_hash = l.hash AND s.kind = $4
		WHERE (NOT s.fork OR $5 AND l.distance = 0) AND l.distance >= $6
		ORDER BY l.distance, s.fork
		LIMIT 1`, encode(at.Commit), encode(at.Repo), store.MaxDistance, string(at.Kind), at.Forks, at.Back)
	if err != nil {
		return store.Snapshot{}, 0, fmt.Errorf("find the facts of %.12s: %w", at.Commit, failure(ctx, err))
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
	list, err := query(ctx, s.pool, store.ScanOne[string], lineSQL+`SELECT hash FROM line ORDER BY distance`,
		encode(commit), encode(repo), store.MaxDistance)
	if err != nil {
		return nil, fmt.Errorf("list the ancestors of %.12s: %w", commit, failure(ctx, err))
	}
	return list, nil
}

// Snapshots implements store.Store.
func (s *Store) Snapshots(ctx context.Context, sc store.Scope, f store.SnapshotFilter) ([]store.Snapshot, error) {
	var w where
	w.scope(sc, "s.repo")
	if f.Repo != "" {
		w.and("s.repo = ?", encode(f.Repo))
	}
	if f.Commit != "" {
		w.and("s.commit_hash = ?", encode(f.Commit))
	}
	if f.Commits != nil {
		w.and("s.commit_hash = ANY(?::text[])", encodeAll(f.Commits))
	}
	if f.Kind != "" {
		w.and("s.kind = ?", string(f.Kind))
	}
	end := ""
	if f.Limit > 0 {
		end = w.bind("LIMIT ?::bigint", f.Limit)
	}
	list, err := query(ctx, s.pool, scanSnapshot, `
		SELECT `+snapshotColumns+`
		FROM snapshots s
		`+w.String()+`
		ORDER BY s.id DESC
		`+end, w.args...)
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", failure(ctx, err))
	}
	return list, nil
}

// NamedCommit implements store.Store.
func (s *Store) NamedCommit(ctx context.Context, sc store.Scope, n store.CommitName) (string, error) {
	q := `SELECT commit_hash FROM commit_names WHERE repo = $1 AND name = $2`
	args := []any{encode(n.Repo), encode(n.Key())}
	if n.Key() == "" {
		from, to, err := store.CommitRange(n.Prefix)
		if err != nil {
			return "", err
		}
		q = `SELECT hash FROM commits WHERE repo = $1 AND hash >= $2 AND hash < $3 LIMIT 2`
		args = []any{encode(n.Repo), encode(from), encode(to)}
	}
	if !sc.Has(n.Repo) {
		return "", store.NoCommit(n)
	}
	found, err := query(ctx, s.pool, store.ScanOne[string], q, args...)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", n, failure(ctx, err))
	}
	return store.PickCommit(n, found)
}

// Objects implements store.Store.
func (s *Store) Objects(ctx context.Context, sc store.Scope, repo string, digests []string) ([]store.Object, error) {
	if !sc.Has(repo) {
		return nil, nil
	}
	list, err := query(ctx, s.pool, scanObject, `
		SELECT o.digest, o.size, o.key, o.asked_at
		FROM (`+eachOf("$2")+`) AS n
		JOIN fact_objects o ON o.repo = $1 AND o.digest = n.digest
		ORDER BY o.digest`, encode(repo), encodeAll(digests))
	if err != nil {
		return nil, fmt.Errorf("find objects: %w", failure(ctx, err))
	}
	return list, nil
}

// eachOf returns a subquery for the digests in an array, without duplicates. A join with the subquery takes constant
// time for each digest, even in a generic plan. With = ANY, a generic plan would compare each row with all elements of
// the array.
func eachOf(array string) string {
	return `SELECT DISTINCT digest COLLATE "C" AS digest FROM unnest(` + array + `::text[]) AS u (digest)`
}

func scanObject(scan func(...any) error) (store.Object, error) {
	var o store.Object
	err := scan(&o.Digest, &o.Size, &o.Key, &o.At)
	o.Key, o.At = decode(o.Key), o.At.UTC()
	return o, err
}
