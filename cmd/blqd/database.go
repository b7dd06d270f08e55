package main

import (
	"context"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite"
)

// openPostgres opens the store in PostgreSQL.
func openPostgres(ctx context.Context, c *Config) (engine, error) {
	var turns *fair.Queue
	enter := func(ctx context.Context) (func(), error) { return inTurn(ctx, turns) }
	s, err := postgres.Open(ctx, c.Database, postgres.Options{Queries: c.Statements.cage(), Enter: enter, Warm: true})
	if err != nil {
		return nil, err // otherwise the result would be an interface that is not nil
	}
	most := s.Stats().Max
	most -= max(1, most/4)
	more := most / 4
	rest := most - 2*more
	turns = fair.NewQueue(rest, maxTurns).Spare(rest-max(2, more), more).Modest(more).Brief(briefQuery)
	return s, nil
}

// briefQuery is the max time of a brief turn. Tenants whose turns are brief wait less. The limit for SQLite is lower,
// because SQLite works in this process. PostgreSQL works elsewhere, and answers all callers slowly when it is busy.
const briefQuery = 100 * time.Millisecond

// shareSQLite makes tenants take turns at the SQLite store. SQLite works in this process. So its readers and its writer
// share the turns with all other work that needs CPU time.
func shareSQLite(s *sqlite.Store, work *fair.Queue) {
	writer := fair.NewQueue(1, maxTurns)
	read := func(ctx context.Context) (func(), error) { return inTurn(ctx, work) }
	write := func(ctx context.Context) (func(), error) {
		leave, err := inTurn(ctx, writer)
		if err != nil {
			return nil, err
		}
		rest, err := read(ctx)
		if err != nil {
			leave()
			return nil, err
		}
		return func() { rest(); leave() }, nil
	}
	const others = 4 // connections for maintenance and probes, which take no turns
	s.TakeTurns(read, write, work.MaxHolders()+others)
}

// inTurn waits for the turn of a tenant. Probes and maintenance do not wait, because some connections are reserved for
// them.
func inTurn(ctx context.Context, turns *fair.Queue) (leave func(), err error) {
	if tenant := httpserver.Tenant(ctx); tenant != "" {
		return turns.Enter(ctx, tenant)
	}
	return func() {}, nil
}

// maxTurns is the max number of a tenant's requests that wait for a database connection.
const maxTurns = 1000

// cause returns the original error of a failed dependency. Only operators may see this error. Callers get fewer
// details.
func cause(err error) error {
	if said := postgres.Cause(err); said != nil {
		return said
	}
	return err
}
