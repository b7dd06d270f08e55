package ingest_test

import (
	"path/filepath"
	"testing"

	"github.com/blq-ci/blq/ingest/ingesttest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/sqlite"
)

func TestOnSQLiteAndFiles(t *testing.T) {
	ingesttest.Test(t, func(t *testing.T) (store.Store, store.Blobs, store.Directory) {
		dir := t.TempDir()
		s, err := sqlite.Open(t.Context(), filepath.Join(dir, "blq.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		b, err := blob.OpenFile(filepath.Join(dir, "objects"))
		if err != nil {
			t.Fatal(err)
		}
		return s, b, s
	})
}
