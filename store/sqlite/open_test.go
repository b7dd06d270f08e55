package sqlite_test

import (
	"bytes"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

func TestOpenAgainKeepsWhatThereIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b?c#d%20.db")
	if err := writeRuns(path, "x", false, io.Discard); err != nil {
		t.Fatal(err)
	}
	if r, err := open(t, path).Run(t.Context(), store.Everything(), store.Ref{}); err != nil || r.Serial != runsEach {
		t.Errorf("got %d, %v", r.Serial, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestOpenSaysWhatIsWrongWithAFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make func(t *testing.T, path string)
		code store.Code
		text string
	}{
		"text": {func(t *testing.T, path string) {
			write(t, path, bytes.Repeat([]byte("not a database\n"), 100))
		}, store.Invalid, "is not a database"},
		"a directory": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}, store.Unavailable, "cannot open"},
		"of another program": {func(t *testing.T, path string) {
			execute(t, path, "CREATE TABLE x (y)")
		}, store.Invalid, "another program"},
		"of a newer blq": {func(t *testing.T, path string) {
			if err := writeRuns(path, "x", false, io.Discard); err != nil {
				t.Fatal(err)
			}
			execute(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
		}, store.Invalid, "update blq"},
		"damaged": {func(t *testing.T, path string) {
			if err := writeRuns(path, "x", false, io.Discard); err != nil {
				t.Fatal(err)
			}
			execute(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, append(data[:100:100], bytes.Repeat([]byte{0xff}, len(data)-100)...))
		}, store.Invalid, "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "blq.db")
			test.make(t, path)
			s, err := sqlite.Open(t.Context(), path)
			if err == nil {
				s.Close()
			}
			if store.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.text) ||
				!strings.Contains(err.Error(), path) || store.NextOf(err) == nil {
				t.Errorf("got %v (code %q, hint %q)", err, store.CodeOf(err), cmdline.Of(store.NextOf(err)))
			}
		})
	}
	if _, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "none", "blq.db")); store.CodeOf(
		err) != store.Unavailable {
		t.Errorf("no directory: %v", err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, path, q string) {
	t.Helper()
	executeWith(t, path, q)
}

func executeWith(t *testing.T, path, q string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), q, args...); err != nil {
		t.Fatal(err)
	}
}

// In TestOpenNamesAnotherProgramsLock another program locks the file, like SQLite's shell with locking_mode=EXCLUSIVE.
func TestOpenNamesAnotherProgramsLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blq.db")
	if err := writeRuns(path, "x", false, io.Discard); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, q := range []string{`PRAGMA locking_mode = EXCLUSIVE`, `BEGIN EXCLUSIVE`} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	_, err = sqlite.Open(t.Context(), path)
	if store.CodeOf(err) != store.Unavailable ||
		!strings.Contains(err.Error(), "another program keeps the database "+path) ||
		!strings.HasPrefix(cmdline.Of(store.NextOf(err)), "fuser -v") {
		t.Errorf("%v, next %v", err, store.NextOf(err))
	}
}
