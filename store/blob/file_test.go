package blob_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

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
	t.Parallel()
	blobtest.Test(t, func(t *testing.T) store.Blobs { return open(t, filepath.Join(t.TempDir(), "new", "logs")) })
}

func TestOpenRefusesOtherPlaces(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "logs", "ftp://x", "file://"} {
		if _, err := blob.Open(t.Context(), url); store.CodeOf(err) != store.Invalid {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestFileIgnoresWhatACrashLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".tmp-123"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, dir)
	if err := b.Put(t.Context(), "k", []byte("whole")); err != nil {
		t.Fatal(err)
	}
	if keys, err := b.List(t.Context(), "", "", 0); len(keys) != 1 || err != nil {
		t.Errorf("got %v, %v", keys, err)
	}
}

func TestFileInAPlaceThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := blob.Open(t.Context(), "file://"+filepath.ToSlash(file)+"/logs")
	if store.CodeOf(err) != store.Unavailable || store.NextOf(err) == nil {
		t.Errorf("got %v", err)
	}
}

func TestFileComesBackAfterItsDirectoryWasRemoved(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

func TestFileSurvivesThatItsDirectoriesComeAndGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 4 {
		b := open(t, dir) // opened anew, like another process
		wg.Go(func() {
			for n := range 100 {
				key := fmt.Sprintf("a/b/%d-%d", i, n)
				if err := b.Put(t.Context(), key, []byte(key)); err != nil {
					t.Error(err)
				}
				if got, err := b.Get(t.Context(), key); string(got) != key {
					t.Errorf("%s: got %q, %v", key, got, err)
				}
				if err := b.Delete(t.Context(), key); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// Put works even if other processes remove the empty directories of its object at any time.
func TestFilePutsWhileOthersRemoveItsEmptyDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	done := make(chan struct{})
	var removers sync.WaitGroup
	for range 2 {
		removers.Go(func() {
			for {
				select {
				case <-done:
					return
				default: // these fail, as they should, if a directory is in use
					os.Remove(filepath.Join(dir, "a", "b"))
					os.Remove(filepath.Join(dir, "a"))
				}
			}
		})
	}
	b := open(t, dir)
	for n := range 20 {
		key := fmt.Sprintf("a/b/%d", n)
		if err := b.Put(t.Context(), key, []byte(key)); err != nil {
			t.Error(err)
		}
		if got, err := b.Get(t.Context(), key); string(got) != key {
			t.Errorf("%s: got %q, %v", key, got, err)
		}
		if err := b.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
	close(done)
	removers.Wait()
}

func TestFileChecks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "logs")
	b, err := blob.OpenFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.CheckWrite(t.Context()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); len(left) != 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := b.CheckWrite(t.Context()); store.CodeOf(err) != store.Unavailable || store.NextOf(err) == nil {
		t.Errorf("got %v", err)
	}
}

func TestDeleteTakesWhatACrashLeftLongAgo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		age  time.Duration
		left bool
	}{"long ago": {48 * time.Hour, false}, "just now": {0, true}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			b := open(t, dir)
			if err := b.Put(t.Context(), "a/k", []byte("x")); err != nil {
				t.Fatal(err)
			}
			half, then := filepath.Join(dir, "a", ".tmp-123"), time.Now().Add(-c.age)
			if err := errors.Join(os.WriteFile(half, []byte("half"), 0o600), os.Chtimes(half, then, then)); err != nil {
				t.Fatal(err)
			}
			if err := b.Delete(t.Context(), "a/k"); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(half); (err == nil) != c.left {
				t.Errorf("the half object: %v", err)
			}
		})
	}
}

func TestAPlaceThatLeadsNowhereIsToldAtOnce(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "logs")
	if err := os.Symlink(filepath.Join(t.TempDir(), "gone", "volume"), link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{link, filepath.Join(link, "below")} {
		if _, err := blob.OpenFile(dir); store.CodeOf(err) != store.Unavailable {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
