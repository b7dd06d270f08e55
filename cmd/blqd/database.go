package main

import (
	"context"

	"github.com/blq-ci/blq/store/postgres"
)

// openDatabase opens the store in PostgreSQL.
func openDatabase(ctx context.Context, url string) (engine, error) {
	s, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return nil, err // not a nil *postgres.Store in an engine
	}
	return s, nil
}

// cause returns the error of a dependency, for operators. Callers get less.
func cause(err error) error {
	if said := postgres.Cause(err); said != nil {
		return said
	}
	return err
}
