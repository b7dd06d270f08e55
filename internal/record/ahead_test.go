package record

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// commit makes a repository with one commit, and returns the commit.
func commit(t *testing.T, dir, file string) string {
	t.Helper()
	check(t, os.WriteFile(filepath.Join(dir, file), nil, 0o644))
	for _, args := range []string{"init -q", "add " + file,
		"-c user.name=a -c user.email=a@example.com -c commit.gpgsign=false commit -q -m x"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	head := exec.Command("git", "rev-parse", "HEAD")
	head.Dir = dir
	out, err := head.Output()
	check(t, err)
	return strings.TrimSpace(string(out))
}

func TestLookingAheadIsOnlyForItsDirectory(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w, other := newProject(t), t.TempDir()
	here, there := commit(t, w.Root(), "a"), commit(t, other, "b")
	if here == there {
		t.Fatalf("both repositories are at %s", here)
	}
	for _, dir := range []string{w.Root(), other} {
		spec := sh(w, "echo hello")
		spec.Ahead = LookAhead(ctx, dir, false)
		rec, err := Command(ctx, w, spec)
		check(t, err)
		check(t, rec.Err)
		if rec.Run.Git.Commit != here {
			t.Errorf("looking ahead at %s: commit %q, want %s", dir, rec.Run.Git.Commit, here)
		}
	}
}
