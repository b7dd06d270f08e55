package ci

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// sh runs a shell script in dir. Commits of the script have a fixed author and time.
func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE=2024-05-01T12:00:00Z",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org", "GIT_COMMITTER_DATE=2024-05-01T12:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// newRepo returns a repository with two commits of a.txt on main.
func newRepo(t *testing.T) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sh(t, dir, `git init -q -b main .
		printf 'one\ntwo\n' > a.txt; mkdir sub; git add .; git commit -qm first
		printf 'one\nTWO\n' > a.txt; git commit -qam 'second: with "quotes"

		and a body'`)
	return dir
}

func TestGit(t *testing.T) {
	for _, test := range []struct {
		name, script, at string // at is the directory for Git, relative to the repository
		branch           string
		dirty            bool
		root             string // expected root, relative to the repository
		commit           string // expected commit: "" for HEAD of at, "-" for none
	}{
		{name: "clean", branch: "main"},
		{name: "below the top", at: "sub", branch: "main"},
		{name: "changed", script: "echo x >> a.txt", branch: "main", dirty: true},
		{name: "staged", script: "echo x >> a.txt; git add .", branch: "main", dirty: true},
		{name: "untracked files do not count", script: "echo x > new.txt", branch: "main"},
		{name: "detached", script: "git checkout -q --detach"},
		{name: "branch with a slash", script: "git checkout -qb feature/x", branch: "feature/x"},
		{name: "packed refs", script: "git pack-refs --all", branch: "main"},
		{name: "work tree", script: "git worktree add -q -b other wt", at: "wt", root: "wt", branch: "other"},
		{name: "submodule", script: "git init -q -b inner m; git -C m commit -q --allow-empty -m x; git -c " +
			"protocol.file.allow=always submodule --quiet add ./m m; git submodule --quiet absorbgitdirs", at: "m", root: "m",
			branch: "inner"},
		{name: "no commits yet", script: "git init -q -b start fresh", at: "fresh", root: "fresh", branch: "start",
			commit: "-"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := newRepo(t)
			sh(t, dir, test.script)
			want := store.Git{Branch: test.branch, Dirty: test.dirty, Root: filepath.Join(dir, test.root)}
			at := filepath.Join(dir, test.at)
			if test.commit == "" {
				want.Commit = sh(t, at, "git rev-parse HEAD")
			}
			if diff := cmp.Diff(want, Git(t.Context(), at)); diff != "" {
				t.Errorf("with git:\n%s", diff)
			}
			t.Setenv("PATH", "")
			want.Dirty = false
			if diff := cmp.Diff(want, Git(t.Context(), at)); diff != "" {
				t.Errorf("without git:\n%s", diff)
			}
		})
	}
}

func TestGitOutsideARepository(t *testing.T) {
	if got := Git(t.Context(), t.TempDir()); got != (store.Git{}) {
		t.Errorf("got %+v", got)
	}
}

func TestGitWithoutTime(t *testing.T) {
	dir := newRepo(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := Git(ctx, dir); got.Branch != "main" || got.Commit == "" {
		t.Errorf("got %+v", got)
	}
}

// If git is too slow to look for changes, the work tree counts as changed. In CI it counts as unchanged, because a job
// usually has a fresh work tree.
func TestGitThatIsTooSlow(t *testing.T) {
	dir := newRepo(t)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("changed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	for _, inCI := range []bool{false, true} {
		for _, p := range providers {
			t.Setenv(p.mark, "")
		}
		if inCI {
			t.Setenv("CI", "true")
		}
		if got := Git(late, dir); got.Dirty == inCI || got.Commit == "" {
			t.Errorf("in CI %v: got %+v", inCI, got)
		}
	}
}

func TestGitOfAnotherOwner(t *testing.T) {
	dir := newRepo(t)
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1") // git's own test for a foreign owner
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	if _, err := git(t.Context(), dir, "status"); err == nil || !strings.Contains(err.Error(), "ownership") {
		t.Fatalf("git trusts the folder of another: %v", err)
	}
	if got := Git(t.Context(), dir); got.Branch != "main" || len(got.Commit) != 40 || got.Root != dir {
		t.Errorf("got %+v", got)
	}
}

func TestGitTakesNoLock(t *testing.T) {
	dir := newRepo(t)
	index := filepath.Join(dir, ".git", "index")
	sh(t, dir, "touch -d '2001-01-01' a.txt") // git status would write the new time to the index
	before, _ := os.ReadFile(index)
	Git(t.Context(), dir)
	if after, _ := os.ReadFile(index); string(before) != string(after) {
		t.Error("the index was written")
	}
}

func BenchmarkGit(b *testing.B) {
	wd, _ := os.Getwd()
	for b.Loop() {
		Git(b.Context(), wd)
	}
}

func TestBlame(t *testing.T) {
	dir := newRepo(t)
	got, err := Blame(t.Context(), dir, "", "a.txt", 2)
	if err != nil {
		t.Fatal(err)
	}
	if got.Author != "ada@example.org" || got.Commit != sh(t, dir, "git rev-parse HEAD") ||
		got.Time.Format("2006-01-02") != "2024-05-01" {
		t.Errorf("got %+v", got)
	}
	sh(t, dir, "echo three >> a.txt")
	for file, line := range map[string]int{"a.txt": 3, "absent": 1} {
		if _, err := Blame(t.Context(), dir, "", file, line); store.CodeOf(err) != store.NotFound {
			t.Errorf("%s:%d: %v", file, line, err)
		}
	}
	if _, err := Blame(t.Context(), dir, "", "a.txt", 99); store.CodeOf(err) != store.NotFound {
		t.Errorf("line that is not there: %v", err)
	}
}

func TestRecentCommits(t *testing.T) {
	dir := newRepo(t)
	got, err := RecentCommits(t.Context(), dir, "a.txt", 5)
	if err != nil {
		t.Fatal(err)
	}
	want := []Commit{
		{sh(t, dir, "git rev-parse HEAD"), `second: with "quotes"`, "ada@example.org"},
		{sh(t, dir, "git rev-parse HEAD~1"), "first", "ada@example.org"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := RecentCommits(t.Context(), dir, ":(top)*", 1); err != nil || got != nil {
		t.Errorf("a name is no pattern: %v %v", got, err)
	}
}

func TestRemote(t *testing.T) {
	for url, want := range map[string]string{
		"git@github.com:octo/hello.git":               "octo/hello",
		"https://github.com/octo/hello":               "octo/hello",
		"https://x:token@github.com/octo/hello.git/":  "octo/hello",
		"ssh://git@host.example:2222/octo/hello.git":  "octo/hello",
		"https://gitlab.com/group/sub/project.git":    "group/sub/project",
		"https://dev.azure.com/org/project/_git/name": "org/project/name",
		"/srv/git/hello.git":                          "",
		"../hello":                                    "",
		"file:///srv/git/hello.git":                   "",
		`C:\git\hello`:                                "",
		"host:hello.git":                              "",
		"https://github.com/a%2fb":                    "a/b",
	} {
		dir := newRepo(t)
		sh(t, dir, fmt.Sprintf(
			"git remote add upstream https://github.com/up/stream; git remote add origin '%s'; mkdir -p deep/er", url))
		if got := Remote(filepath.Join(dir, "deep", "er")); got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
	if got := Remote(t.TempDir()); got != "" {
		t.Errorf("outside a repository: %q", got)
	}
}

func TestCommitsWithTheSameFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sh(t, dir, "git init -q && git config user.email a@example.org && git config user.name A && echo a > f && "+
		"git add f && git commit -q -m one && git tag one && git commit -q --amend -m two && echo b > f && "+
		"git commit -q -a -m three")
	commit := func(name string) string { return sh(t, dir, "git rev-parse "+name) }
	gone := strings.Repeat("12", 20)
	want := map[string]bool{commit("HEAD~1"): true, commit("one"): true, commit("HEAD"): false, gone: false}
	list := append(slices.Collect(maps.Keys(want)), "", "HEAD", "-q")
	got, err := new(Lookups).SameFiles(t.Context(), dir, commit("one"), list)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	got, err = new(Lookups).SameFiles(t.Context(), dir, gone, list)
	if err != nil || slices.Contains(slices.Collect(maps.Values(got)), true) {
		t.Errorf("files of a commit that is gone: %v %v", got, err)
	}
}

// Only git reads refs in reftable format. The repository of the test has the file HEAD of such a repository, and the
// git of the test answers as git 2.45 does.
func TestTheBranchInReftableFormatComesFromGit(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(dir, ".git", "HEAD"): "ref: refs/heads/.invalid\n",
		filepath.Join(bin, "git"): "#!/bin/sh\n" +
			"case \" $* \" in *\" symbolic-ref \"*) echo topic/a ;; *) exit 1 ;; esac\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	if got := Branch(dir); got != "topic/a" {
		t.Errorf("the branch is %q", got)
	}
}
