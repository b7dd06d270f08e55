package main

import (
	"context"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store/postgres"
)

// openDatabase opens the store in PostgreSQL.
func openDatabase(ctx context.Context, url string) (engine, error) {
	var turns *fair.Queue
	enter := func(ctx context.Context) (func(), error) {
		if tenant := httpserver.Tenant(ctx); tenant != "" {
			return turns.Enter(ctx, tenant)
		}
		return func() {}, nil // of probes and maintenance, for which the reserve is
	}
	s, err := postgres.Open(ctx, url, postgres.Options{Queries: statements, Enter: enter})
	if err != nil {
		return nil, err // not a nil *postgres.Store in an engine
	}
	most := s.Stats().Max
	turns = fair.NewQueue(most-max(1, most/4), maxTurns)
	return s, nil
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
