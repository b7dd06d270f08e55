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
	s, err := postgres.Open(t.Context(), url, postgres.Options{Connections: 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
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
