package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// lineSQL is store.LineSQL with SQLite's parameters.
var lineSQL = strings.ReplaceAll(store.LineSQL, "$", "?")

// pruneSnapshots removes the snapshots that a policy does not keep.
func (s *Store) pruneSnapshots(ctx context.Context, sc store.Scope, p store.Policy) (int, error) {
	var w where
	switch {
	case p.Source != "":
		return 0, nil
	case p.All:
	case !p.Before.IsZero():
		w.and("s.created_at < ?", micros(p.Before))
	case p.KeepPerSource > 0 || p.MaxBytes > 0:
		w.and("s.created_at < (SELECT min(r.opened_at) FROM runs r WHERE r.repo = s.repo)")
	default:
		return 0, nil
	}
	if !sc.All() {
		c, args := in("s.repo", sc.Names())
		w.and(c, args...)
	}
	if !p.All {
		w.and("s.id NOT IN (" + newestSnapshots + ")")
	}
	var n int
	err := s.write(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM snapshots s `+w.String(), w.args...).Scan(&n)
		if err != nil || n == 0 {
			return err
		}
		return dropSnapshots(ctx, tx, strings.TrimPrefix(w.String()+" ", "WHERE "), w.args...)
	})
	return n, err
}

// newestSnapshots selects the newest snapshot of each kind on the default branch of each repository. If the default
// branch is unknown, each branch of store.DefaultBranches counts as the default branch. Forks are ignored.
var newestSnapshots = `
	SELECT max(k.id)
	FROM snapshots k
	WHERE k.fork = 0 AND k.branch IN (
		SELECT d.default_branch FROM directory_repos d WHERE d.name = k.repo AND d.default_branch <> ''
		UNION ALL
		SELECT value FROM json_each('` + jsonList(store.DefaultBranches) + `')
		WHERE NOT EXISTS (SELECT 1 FROM directory_repos d WHERE d.name = k.repo AND d.default_branch <> '')
	)
	GROUP BY k.repo, k.kind`

// dropSnapshots removes the snapshots s that match a condition. If a manifest no longer has a snapshot, it is marked as
// unused, so that its repository is swept.
func dropSnapshots(ctx context.Context, tx *sql.Tx, condition string, args ...any) error {
	condition = "WHERE " + strings.TrimSpace(condition)
	if condition == "WHERE " {
		condition = ""
	}
	type manifest struct{ repo, digest string }
	list, err := query(ctx, tx, func(scan func(...any) error) (m manifest, err error) {
		err = scan(&m.repo, &m.digest)
		return m, err
	}, `SELECT DISTINCT s.repo, s.manifest FROM snapshots s `+condition, args...)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM snapshots AS s `+condition, args...); err != nil {
		return err
	}
	for _, m := range list {
		_, err := tx.ExecContext(ctx, `
			UPDATE fact_objects
			SET used = 0
			WHERE repo = ?1 AND digest = ?2 AND NOT EXISTS (SELECT 1 FROM snapshots s WHERE s.repo = ?1 AND s.manifest = ?2)`,
			m.repo, m.digest)
		if err != nil {
			return err
		}
	}
	for _, table := range []string{"commits", "commit_names"} {
		q := `DELETE FROM ` + table + ` WHERE NOT EXISTS (SELECT 1 FROM snapshots s WHERE s.repo = ` + table + `.repo)`
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// Unswept implements store.Store.
func (s *Store) Unswept(ctx context.Context, before time.Time, limit int) ([]string, error) {
	list, err := query(ctx, s.reader, store.ScanOne[string], `
		SELECT DISTINCT repo
		FROM fact_objects
		WHERE used = 0 AND asked_at < ?
		ORDER BY repo
		`+upTo(limit), micros(before))
	if err != nil {
		return nil, fmt.Errorf("list repositories to sweep: %w", err)
	}
	return list, nil
}

// DropObjects implements store.Store.
func (s *Store) DropObjects(ctx context.Context, repo string, before time.Time, live func(string) bool) (int, error) {
	list, err := query(ctx, s.reader, store.ScanOne[string], `
		SELECT digest
		FROM fact_objects
		WHERE repo = ? AND asked_at < ?`, repo, micros(before))
	if err != nil {
		return 0, fmt.Errorf("list objects: %w", err)
	}
	var dead []string
	for _, digest := range list {
		if !live(digest) {
			dead = append(dead, digest)
		}
	}
	n := 0
	err = s.write(ctx, func(tx *sql.Tx) error {
		keys, err := query(ctx, tx, store.ScanOne[string], `
			DELETE FROM fact_objects
			WHERE repo = ? AND asked_at < ? AND digest IN (SELECT value FROM json_each(?))
			RETURNING key`, repo, micros(before), jsonList(dead))
		if err != nil {
			return err
		}
		n = len(keys)
		_, err = tx.ExecContext(ctx, `INSERT OR IGNORE INTO garbage (key) SELECT value FROM json_each(?)`, jsonList(keys))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("drop objects: %w", err)
	}
	return n, nil
}
