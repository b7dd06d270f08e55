package postgres

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// Garbage implements store.Store.
func (s *Store) Garbage(ctx context.Context, limit int) ([]string, error) {
	var w where
	end := ""
	if limit > 0 {
		end = w.bind("LIMIT ?::bigint", limit)
	}
	keys, err := query(ctx, s.pool, store.ScanOne[string], `
		SELECT g.key
		FROM garbage g
		WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.key = g.key)
		ORDER BY g.key
		`+end, w.args...)
	if err != nil {
		return nil, fmt.Errorf("list garbage: %w", failure(ctx, err))
	}
	for i := range keys {
		keys[i] = decode(keys[i])
	}
	return keys, nil
}

// LogObjects implements store.Store.
func (s *Store) LogObjects(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	keys, err := query(ctx, s.pool, store.ScanOne[string], `
		SELECT key FROM (
			SELECT DISTINCT key FROM chunks WHERE key >= $1 AND key < $2 AND key > $3 ORDER BY key LIMIT $4
		) AS c
		UNION ALL
		SELECT key FROM (
			SELECT key FROM fact_objects WHERE key >= $1 AND key < $2 AND key > $3 ORDER BY key LIMIT $4
		) AS f
		UNION ALL
		SELECT key FROM (
			SELECT key FROM doc_sources WHERE key >= $1 AND key < $2 AND key > $3 ORDER BY key LIMIT $4
		) AS s
		ORDER BY key
		LIMIT $4`, encode(prefix), encode(prefix)+"~", encode(after), limit)
	if err != nil {
		return nil, fmt.Errorf("list log objects: %w", failure(ctx, err))
	}
	for i := range keys {
		keys[i] = decode(keys[i])
	}
	return keys, nil
}

// Collected implements store.Store.
func (s *Store) Collected(ctx context.Context, keys []string) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM garbage WHERE key = ANY($1::text[])`, encodeAll(keys))
	if err != nil {
		return fmt.Errorf("forget garbage: %w", failure(ctx, err))
	}
	return nil
}
