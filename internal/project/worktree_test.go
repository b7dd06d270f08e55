package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// repositories creates a repository with two linked work trees, a submodule, and a repository in an ignored folder. The
// submodule has a linked work tree, too. repositories also creates a bare repository with two work trees, and a folder
// without a repository.
func repositories(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-ec", `
		git init -q -b main app; cd app; mkdir -p sub/deep; echo ignored >.gitignore; git add .; git commit -qm first
		git worktree add -q -b feature ../feature
		git worktree add -q -b inner wt/inner
		git init -q -b main ../lib; git -C ../lib commit -qm lib --allow-empty
		git -c protocol.file.allow=always submodule --quiet add ../lib lib
		git -C lib worktree add -q -b x ../../libx
		git init -q -b main ignored/nested; mkdir ignored/nested/src
		cd ..; git clone -q --bare app bare.git; git -C bare.git worktree add -q ../one main
		git -C bare.git worktree add -q -b two ../two; mkdir plain`)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func TestWorkTreesShareAFolder(t *testing.T) {
	dir := repositories(t)
	none := func(string) string { return "" }
	for from, want := range map[string]struct{ place, root string }{
		"app": {"app", "app"}, "app/sub/deep": {"app", "app"}, "feature": {"app", "feature"},
		"feature/sub": {"app", "feature"}, "app/wt/inner": {"app", "app/wt/inner"},
		"app/lib": {"app/lib", "app/lib"}, "libx": {"app/lib", "libx"},
		"app/ignored/nested/src": {"app/ignored/nested", "app/ignored/nested"}, "app/ignored": {"app", "app"},
		"one": {"bare.git", "one"}, "two": {"bare.git", "two"}, "plain": {"plain", "plain"},
	} {
		at := filepath.Join(dir, from)
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if got := Place(at, none); got != filepath.Join(dir, want.place, DirName) {
			t.Errorf("%s: the folder would be %s", from, got)
		}
		if got := Root(at, none); got != filepath.Join(dir, want.root) {
			t.Errorf("%s: the root would be %s", from, got)
		}
	}
	mkdir(t, dir, "app")
	for from, want := range map[string]string{
		"app": "app", "feature": "app", "app/wt/inner": "app", "app/lib": "", "app/ignored/nested": "", "one": "",
	} {
		got, err := Find(filepath.Join(dir, from), none)
		if want == "" && err == nil || want != "" && got != filepath.Join(dir, want, DirName) {
			t.Errorf("%s: found %q, %v", from, got, err)
		}
	}
}

func TestFolderOfALinkedWorkTreeIsFoundFromAll(t *testing.T) {
	dir := repositories(t)
	none := func(string) string { return "" }
	mkdir(t, dir, "feature")
	for _, from := range []string{"app", "app/sub", "feature", "app/wt/inner"} {
		if got := Place(filepath.Join(dir, from), none); got != filepath.Join(dir, "feature", DirName) {
			t.Errorf("%s: %s", from, got)
		}
	}
	mkdir(t, dir, "app")
	if got := Place(filepath.Join(dir, "feature"), none); got != filepath.Join(dir, "app", DirName) {
		t.Errorf("the main work tree's folder does not come first: %s", got)
	}
	mkdir(t, dir, "feature/sub")
	if got := Place(filepath.Join(dir, "feature/sub/deep"), none); got != filepath.Join(dir, "feature/sub", DirName) {
		t.Errorf("the nearest folder does not come first: %s", got)
	}
}

func TestFolderAboveRepositories(t *testing.T) {
	dir := repositories(t)
	none := func(string) string { return "" }
	mkdir(t, dir, "")
	for _, from := range []string{"app", "app/sub", "plain"} {
		if got := Place(filepath.Join(dir, from), none); got != filepath.Join(dir, DirName) {
			t.Errorf("%s: %s", from, got)
		}
	}
	if got := Place(filepath.Join(dir, "app/lib"), none); got != filepath.Join(dir, "app/lib", DirName) {
		t.Errorf("a submodule: %s", got)
	}
}

func mkdir(t *testing.T, dir, at string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, at, DirName), 0o755); err != nil {
		t.Fatal(err)
	}
}
