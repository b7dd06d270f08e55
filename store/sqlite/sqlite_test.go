package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
	"github.com/blq-ci/blq/store/storetest"
)

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestAddManyTests(t *testing.T) {
	t.Parallel()
	storetest.AddManyTests(t, func(t *testing.T) storetest.Adding {
		path := filepath.Join(t.TempDir(), "blq.db")
		s := open(t, path)
		return storetest.Adding{Store: s, Other: open(t, path), TakeTurns: func(enter func(context.Context) (func(), error)) {
			s.TakeTurns(enter, enter, 1)
		}}
	})
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Test(t, func(t *testing.T) store.Store { return sqlitetest.Open(t) })
	storetest.Queue(t, func(t *testing.T) store.Store { return sqlitetest.Open(t) })
	storetest.Notes(t, func(t *testing.T) store.Store { return sqlitetest.Open(t) })
	storetest.Remover(t, func(t *testing.T) store.Store { return sqlitetest.Open(t) })
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	storetest.Directory(t, func(t *testing.T) storetest.Shared { return sqlitetest.Open(t) })
}
