package main

import (
	"context"
	"errors"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

// openDatabase opens the store in PostgreSQL.
func openDatabase(ctx context.Context, url string) (engine, error) {
	s, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return nil, err
	}
	e, ok := any(s).(engine)
	if !ok {
		return nil, errors.Join(store.Errorf(store.Unavailable, "PostgreSQL does not keep tokens and repositories yet"), s.Close())
	}
	return e, nil
}
