package sqlite

import (
	"context"
	"fmt"

	"github.com/blq-ci/blq/store"
)

// Running implements store.Store.
func (s *Store) Running(ctx context.Context, sc store.Scope, repo string) (store.Running, error) {
	db, leave, err := s.read(ctx)
	if err != nil {
		return store.Running{}, err
	}
	defer leave()
	var w where
	w.and("r.state = 'running'")
	w.in(sc, store.Ref{Repo: repo})
	var n store.Running
	var heartbeat int64
	err = db.QueryRowContext(ctx, `
		SELECT count(*), coalesce(max(r.heartbeat_at), 0)
		FROM runs r
		`+w.String(), w.args...).Scan(&n.Runs, &heartbeat)
	if err != nil {
		return store.Running{}, fmt.Errorf("count running runs: %w", busyError(err))
	}
	n.Heartbeat = fromMicros(heartbeat)
	return n, nil
}
