package main

import (
	"context"

	"github.com/blq-ci/blq/store"
)

func openDatabase(_ context.Context, _ string) (engine, error) {
	return nil, store.Errorf(store.Invalid, "not yet")
}
