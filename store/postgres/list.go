package postgres

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// Runs implements store.Store.
func (s *Store) Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error) {
	rows, err := listRuns(store.Cutting(ctx), s.pool, sc, f)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", failure(ctx, err))
	}
	runs := make([]store.Run, len(rows))
	for i, r := range rows {
		runs[i] = r.Run
	}
	return runs, nil
}

func listRuns(ctx context.Context, db querier, sc store.Scope, f store.RunFilter) ([]row, error) {
	if f.Newest {
		return newestRuns(ctx, db, sc, f)
	}
	q, err := selectRuns(ctx, db, sc, f)
	if err != nil || q.none() {
		return nil, err
	}
	text, args := q.sql(runColumns)
	return query(ctx, db, scanRun, text, args...)
}

// Branches implements store.Store. It reads only the newest run of each branch.
func (s *Store) Branches(ctx context.Context, sc store.Scope, repo string, limit int) ([]string, error) {
	var w where
	w.scope(sc, "p.name")
	if repo != "" {
		w.and("p.name = ?", encode(repo))
	}
	names, err := query(ctx, s.pool, store.ScanOne[string], `
		WITH RECURSIVE branches (repo, name) AS (
			SELECT p.name, b.git_branch
			FROM repos p
			CROSS JOIN LATERAL (
				SELECT r.git_branch
				FROM runs r
				WHERE r.repo = p.name AND r.git_branch > ''
				ORDER BY r.git_branch
				LIMIT 1
			) b
			`+w.String()+`
			UNION ALL
			SELECT b.repo, n.git_branch
			FROM branches b
			CROSS JOIN LATERAL (
				SELECT r.git_branch
				FROM runs r
				WHERE r.repo = b.repo AND r.git_branch > b.name
				ORDER BY r.git_branch
				LIMIT 1
			) n
		)
		SELECT b.name
		FROM branches b
		CROSS JOIN LATERAL (
			SELECT r.id
			FROM runs r
			WHERE r.repo = b.repo AND r.git_branch = b.name
			ORDER BY r.id DESC
			LIMIT 1
		) r
		GROUP BY b.name
		ORDER BY max(r.id) DESC
		`+w.bind("LIMIT ?::bigint", limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", failure(ctx, err))
	}
	for i := range names {
		names[i] = decode(names[i])
	}
	return names, nil
}
