package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/blq-ci/blq/store"
)

// pruneSnapshots removes the snapshots that a policy does not keep.
func (s *Store) pruneSnapshots(ctx context.Context, sc store.Scope, p store.Policy) (int, error) {
	var w where
	switch {
	case p.Source != "":
		return 0, nil
	case p.All:
	case !p.Before.IsZero():
		w.and("s.created_at < ?", p.Before)
	case p.KeepPerSource > 0 || p.MaxBytes > 0:
		w.and("s.created_at < (SELECT min(r.opened_at) FROM runs r WHERE r.repo = s.repo)")
	default:
		return 0, nil
	}
	w.scope(sc, "s.repo")
	if !p.All {
		w.and("s.id NOT IN (" + newestSnapshots + ")")
	}
	var n int
	err := s.write(ctx, func(tx pgx.Tx) (err error) {
		n, err = dropSnapshots(ctx, tx, strings.TrimPrefix(w.String(), "WHERE "), w.args...)
		return err
	})
	return n, err
}

// newestSnapshots selects the newest snapshot of each kind on the default branch of each repository. If the default
// branch is unknown, all branches in store.DefaultBranches count.
var newestSnapshots = `
	SELECT max(k.id)
	FROM snapshots k
	WHERE NOT k.fork AND k.branch IN (
		SELECT d.default_branch FROM directory_repos d WHERE d.name = k.repo AND d.default_branch <> ''
		UNION ALL
		SELECT v FROM (VALUES ('` + strings.Join(store.DefaultBranches, `'), ('`) + `')) AS b (v)
		WHERE NOT EXISTS (SELECT 1 FROM directory_repos d WHERE d.name = k.repo AND d.default_branch <> '')
	)
	GROUP BY k.repo, k.kind`

// dropSnapshots removes the snapshots s that match a condition, and returns their number. If a manifest no longer has a
// snapshot, it is marked as unused, so that its repository is swept. If a repository no longer has a snapshot, its
// commits are removed.
func dropSnapshots(ctx context.Context, tx pgx.Tx, condition string, args ...any) (int, error) {
	if condition == "" {
		condition = "true"
	}
	var repos, manifests []string
	_, err := query(ctx, tx, func(scan func(...any) error) (struct{}, error) {
		var repo, manifest string
		err := scan(&repo, &manifest)
		repos, manifests = append(repos, repo), append(manifests, manifest)
		return struct{}{}, err
	}, `DELETE FROM snapshots s WHERE `+condition+` RETURNING s.repo, s.manifest`, args...)
	if err != nil || len(repos) == 0 {
		return 0, err
	}
	_, err = tx.Exec(ctx, `
		UPDATE fact_objects o
		SET used = false
		FROM unnest($1::text[], $2::text[]) AS m (repo, digest)
		WHERE o.repo = m.repo AND o.digest = m.digest
		  AND NOT EXISTS (SELECT 1 FROM snapshots s WHERE s.repo = m.repo AND s.manifest = m.digest)`, repos, manifests)
	if err != nil {
		return 0, err
	}
	n := len(repos)
	slices.Sort(repos)
	for _, table := range []string{"commits", "commit_names"} {
		_, err := tx.Exec(ctx, `
			DELETE FROM `+table+` t
			WHERE t.repo = ANY($1::text[]) AND NOT EXISTS (SELECT 1 FROM snapshots s WHERE s.repo = t.repo)`,
			slices.Compact(repos))
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

// Unswept implements store.Store.
func (s *Store) Unswept(ctx context.Context, before time.Time, limit int) ([]string, error) {
	list, err := query(ctx, s.pool, store.ScanOne[string], `
		SELECT DISTINCT repo
		FROM fact_objects
		WHERE NOT used AND asked_at < $1
		ORDER BY repo
		LIMIT $2`, before, limit)
	if err != nil {
		return nil, fmt.Errorf("list repositories to sweep: %w", failure(ctx, err))
	}
	for i := range list {
		list[i] = decode(list[i])
	}
	return list, nil
}

// DropObjects implements store.Store.
func (s *Store) DropObjects(ctx context.Context, repo string, before time.Time, live func(string) bool) (int, error) {
	dead, err := query(ctx, s.pool, store.ScanOne[string], `
		SELECT digest
		FROM fact_objects
		WHERE repo = $1 AND asked_at < $2
		ORDER BY digest`, encode(repo), before)
	if err != nil {
		return 0, fmt.Errorf("list objects: %w", failure(ctx, err))
	}
	dead = slices.DeleteFunc(dead, live)
	n := 0
	for some := range slices.Chunk(dead, objectsAtOnce) {
		err := s.write(ctx, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `
				WITH gone AS (
					DELETE FROM fact_objects o
					USING (`+eachOf("$3")+`) AS n
					WHERE o.repo = $1 AND o.asked_at < $2 AND o.digest = n.digest
					RETURNING o.key
				)
				INSERT INTO garbage (key) SELECT key FROM gone ON CONFLICT DO NOTHING`, encode(repo), before, some)
			if err == nil {
				n += int(tag.RowsAffected())
			}
			return err
		})
		if err != nil {
			return n, fmt.Errorf("drop objects: %w", err)
		}
	}
	return n, nil
}

// objectsAtOnce is the max number of objects that one statement drops.
const objectsAtOnce = 10_000
