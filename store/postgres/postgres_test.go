package postgres_test

import (
	"context"
	"testing"

	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/storetest"
)

// database returns the URL of a migrated database.
func database(t testing.TB) string {
	t.Helper()
	return pgtest.Copy(t, migrate)
}

func migrate(ctx context.Context, url string) error {
	s, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Migrate(ctx)
}

func open(t testing.TB, url string) *postgres.Store {
	t.Helper()
	return openWith(t, url, postgres.Options{Connections: 10})
}

func openWith(t testing.TB, url string, o postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestAddManyTests(t *testing.T) {
	t.Parallel()
	storetest.AddManyTests(t, func(t *testing.T) storetest.Adding {
		url, enter := database(t), func(context.Context) (func(), error) { return func() {}, nil }
		s := openWith(t, url, postgres.Options{Connections: 1, Enter: func(ctx context.Context) (func(), error) {
			return enter(ctx)
		}})
		return storetest.Adding{Store: s, Other: open(t, url), TakeTurns: func(f func(context.Context) (func(), error)) {
			enter = f
		}}
	})
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Test(t, func(t *testing.T) store.Store { return open(t, database(t)) })
	storetest.Queue(t, func(t *testing.T) store.Store { return open(t, database(t)) })
	storetest.Notes(t, func(t *testing.T) store.Store { return open(t, database(t)) })
	storetest.Remover(t, func(t *testing.T) store.Store { return open(t, database(t)) })
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	storetest.Directory(t, func(t *testing.T) storetest.Shared { return open(t, database(t)) })
}
