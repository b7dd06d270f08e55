package record

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestFilesThatEventsNameHaveDigests(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	check(t, os.WriteFile(filepath.Join(w.Root(), "a.c"), []byte("before"), 0o600))
	check(t, os.WriteFile(filepath.Join(w.Root(), "big.c"), make([]byte, maxDigested+1), 0o600))
	check(t, os.Mkdir(filepath.Join(w.Root(), "dir.c"), 0o700))
	run, err := Command(context.Background(), w, sh(w, `printf 'after' >a.c
		for f in a.c big.c dir.c none.c; do echo "$f:1:1: error: 'x' undeclared"; done; exit 1`))
	check(t, err)
	digest, err := store.FileDigest(strings.NewReader("after"))
	check(t, err)
	got, err := w.Store.FileDigests(context.Background(), everything, run.Run.Attempt)
	check(t, err)
	if diff := cmp.Diff(store.FileDigests{"a.c": digest}, got); diff != "" {
		t.Error(diff)
	}
}
