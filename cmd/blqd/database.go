package main

import (
	"context"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite"
)

// openPostgres opens the store in PostgreSQL.
func openPostgres(ctx context.Context, c *Config) (engine, error) {
	var turns *fair.Queue
	enter := func(ctx context.Context) (func(), error) { return inTurn(ctx, turns) }
	s, err := postgres.Open(ctx, c.Database, postgres.Options{Queries: c.Statements.cage(), Enter: enter})
	if err != nil {
		return nil, err // not a nil *postgres.Store in an engine
	}
	most := s.Stats().Max
	most -= max(1, most/4)
	turns = fair.NewQueue(most, maxTurns).Spare(max(1, most/4))
	return s, nil
}

// shareSQLite lets tenants take turns at the store in SQLite. It reads in this process, so its readers take turns at
// the processors together with all other work.
func shareSQLite(s *sqlite.Store, work *fair.Queue) {
	writer := fair.NewQueue(1, maxTurns)
	s.TakeTurns(
		func(ctx context.Context) (func(), error) { return inTurn(ctx, work) },
		func(ctx context.Context) (func(), error) { return inTurn(ctx, writer) })
}

// inTurn waits for the turn of a tenant. Probes and maintenance do not wait: the reserve is for them.
func inTurn(ctx context.Context, turns *fair.Queue) (leave func(), err error) {
	if tenant := httpserver.Tenant(ctx); tenant != "" {
		return turns.Enter(ctx, tenant)
	}
	return func() {}, nil
}

// maxTurns is the max number of requests of a tenant that wait for a connection to the database.
const maxTurns = 1000

// cause returns the error of a dependency, for operators. Callers get less.
func cause(err error) error {
	if said := postgres.Cause(err); said != nil {
		return said
	}
	return err
}
