package postgres_test

import (
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite/cage"
	"github.com/blq-ci/blq/store/storetest"
)

func TestCaged(t *testing.T) {
	// The attacks are shorter than in the test of store/sqlite, which also tests the package cage.
	storetest.Caged(t, 400*time.Millisecond, func(t *testing.T) store.Store {
		o := postgres.Options{Connections: 10, Queries: cage.Options{Tenant: storetest.Tenant}}
		s, err := postgres.Open(t.Context(), database(t), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	})
}
