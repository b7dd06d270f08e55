//go:build unix

package ci

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// If files in .git are named pipes, Remote and Git do not wait for them. The remote and the commit are unknown.
func TestPipesInGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HEAD", "config", "packed-refs"} {
		if err := syscall.Mkfifo(filepath.Join(dir, ".git", name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if name := Remote(dir); name != "" {
		t.Errorf("the remote is %q", name)
	}
	if git := Git(t.Context(), dir); git.Commit != "" {
		t.Errorf("the commit is %+v", git)
	}
}
