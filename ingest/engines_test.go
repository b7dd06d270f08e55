package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/blq-ci/blq/ingest/ingesttest"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/blob/gcs"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

func TestOnSQLiteAndFiles(t *testing.T) {
	t.Parallel()
	ingesttest.Test(t, func(t *testing.T) (store.Store, store.Blobs, store.Directory) {
		s := openSQLite(t)
		b, err := blob.OpenFile(filepath.Join(t.TempDir(), "objects"))
		if err != nil {
			t.Fatal(err)
		}
		return s, b, s
	})
}

func TestOnPostgresAndBuckets(t *testing.T) {
	t.Parallel()
	ingesttest.Test(t, func(t *testing.T) (store.Store, store.Blobs, store.Directory) {
		s := openPostgres(t)
		return s, openBucket(t), s
	})
}

func openSQLite(t *testing.T) *sqlite.Store {
	t.Helper()
	return sqlitetest.Open(t)
}

func openPostgres(t *testing.T) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), pgtest.Copy(t, migrate), postgres.Options{Connections: 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func migrate(ctx context.Context, url string) error {
	s, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Migrate(ctx)
}

// buckets starts the server for all buckets of this process. Google's client finds the server with an environment
// variable, which parallel tests share.
var buckets = sync.OnceValues(func() (*fakestorage.Server, error) {
	server, err := fakestorage.NewServerWithOptions(fakestorage.Options{Scheme: "http", Host: "127.0.0.1", Port: 0})
	if err != nil {
		return nil, err
	}
	return server, os.Setenv("STORAGE_EMULATOR_HOST", server.URL())
})

var made atomic.Int64 // number of buckets

func openBucket(t *testing.T) *gcs.Bucket {
	t.Helper()
	server, err := buckets()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprint("logs-", made.Add(1))
	server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: name})
	b, err := gcs.Open(t.Context(), "gs://"+name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}
