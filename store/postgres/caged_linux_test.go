package postgres_test

import (
	"testing"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite/cage"
	"github.com/blq-ci/blq/store/storetest"
)

func TestCaged(t *testing.T) {
	storetest.Caged(t, func(t *testing.T) store.Store {
		o := postgres.Options{Connections: 10, Queries: cage.Options{Tenant: storetest.Tenant}}
		s, err := postgres.Open(t.Context(), database(t), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	})
}
