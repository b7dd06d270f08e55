package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/blq-ci/blq/store"
)

// Running implements store.Store.
func (s *Store) Running(ctx context.Context, sc store.Scope, repo string) (store.Running, error) {
	var w where
	w.and("r.state = 'running'")
	w.in(sc, store.Ref{Repo: repo})
	var n store.Running
	var heartbeat *time.Time
	err := s.pool.QueryRow(ctx, `
		SELECT count(*), max(r.heartbeat_at)
		FROM runs r
		`+w.String(), w.args...).Scan(&n.Runs, &heartbeat)
	if err != nil {
		return store.Running{}, fmt.Errorf("count running runs: %w", failure(ctx, err))
	}
	n.Heartbeat = fromTime(heartbeat)
	return n, nil
}
