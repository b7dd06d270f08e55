package sqlite_test

import (
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/cage"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
	"github.com/blq-ci/blq/store/storetest"
)

func TestCaged(t *testing.T) {
	storetest.Caged(t, time.Second, func(t *testing.T) store.Store {
		s := sqlitetest.Open(t)
		s.LimitQueries(cage.Options{Tenant: storetest.Tenant})
		return s
	})
}
