package blob_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/blob/blobtest"
)

func open(t *testing.T, dir string) store.Blobs {
	t.Helper()
	b, err := blob.Open(t.Context(), "file://"+filepath.ToSlash(dir))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFile(t *testing.T) {
	blobtest.Test(t, func(t *testing.T) store.Blobs { return open(t, filepath.Join(t.TempDir(), "new", "logs")) })
}

func TestOpenRefusesOtherPlaces(t *testing.T) {
	for _, url := range []string{"", "logs", "ftp://x", "file://"} {
		if _, err := blob.Open(t.Context(), url); store.CodeOf(err) != store.Invalid {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestFileIgnoresWhatACrashLeft(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".tmp-123"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, dir)
	if err := b.Put(t.Context(), "k", []byte("whole")); err != nil {
		t.Fatal(err)
	}
	if keys, err := b.List(t.Context(), ""); len(keys) != 1 || err != nil {
		t.Errorf("got %v, %v", keys, err)
	}
}

func TestFileInAPlaceThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := blob.Open(t.Context(), "file://"+filepath.ToSlash(file)+"/logs")
	if store.CodeOf(err) != store.Unavailable || store.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
}

func TestFileComesBackAfterItsDirectoryWasRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	b := open(t, dir)
	for range 2 {
		if err := b.Put(t.Context(), "a/k", []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFileDoesNotComeBackAfterWhatItIsInWasRemoved(t *testing.T) {
	top := filepath.Join(t.TempDir(), "project")
	b := open(t, filepath.Join(top, "logs"))
	if err := b.Put(t.Context(), "a/k", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(top); err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "a/k", []byte("x")); err == nil {
		t.Error("nothing says that the object is not stored")
	}
	if _, err := os.Stat(top); err == nil {
		t.Error("the directory is back")
	}
}
