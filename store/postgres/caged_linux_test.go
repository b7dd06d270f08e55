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
	// Statements work in the processes of store/sqlite, whose test gives them longer.
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
