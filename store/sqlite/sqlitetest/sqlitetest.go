// Package sqlitetest makes SQLite stores for tests. It runs the migrations once, and copies the resulting file for each
// store. Running the migrations takes longer than most tests.
package sqlitetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/blq-ci/blq/store/sqlite"
)

// Open returns an empty store. The store is closed at the end of the test.
func Open(t testing.TB) *sqlite.Store {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "blq.db"))
}

// OpenAt does the same as Open, but with a file at the given path. The file must not exist yet.
func OpenAt(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	text, err := empty()
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(context.Background(), path)
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

// empty returns the content of the file of a store without runs.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sqlitetest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "blq.db")
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return nil, fmt.Errorf("make a template: %w", err)
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s-wal is left: the file is not whole", path)
	}
	return os.ReadFile(path)
})
