package postgres

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// Volatile returns the names of the database settings that may lose committed data. It returns nil if the database
// keeps all committed data. The store asks for synchronous commits, but a connection pooler may drop that setting.
func (s *Store) Volatile(ctx context.Context) ([]string, error) {
	names, err := query(ctx, s.pool, store.ScanOne[string], `
		SELECT name
		FROM pg_settings
		WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
		ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("read the database's settings: %w", failure(ctx, err))
	}
	return names, nil
}
