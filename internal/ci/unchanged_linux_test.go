package ci

import (
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestUnchanged checks the result of unchanged for work trees in many states. If unchanged returns true, git must find
// no changes.
func TestUnchanged(t *testing.T) {
	for _, test := range []struct {
		name, script, at string
		certain          bool
		either           bool // both results are right, because the result depends on the clock
	}{
		{name: "clean", certain: true},
		{name: "below the top", at: "sub", certain: true},
		{name: "untracked file", script: "echo x > new.txt", certain: true},
		{name: "executable file and link", script: "echo > run; chmod +x run; mkdir d; echo > d/f; git add .; git commit -qm x",
			certain: true},
		{name: "symbolic link", script: "ln -s a.txt link; git add .; git commit -qm x; git update-index --refresh",
			either: true},
		{name: "detached", script: "git checkout -q --detach", certain: true},
		{name: "packed refs", script: "git pack-refs --all", certain: true},
		{name: "packed commit", script: "git gc -q", certain: true},
		{name: "linked work tree", script: "git worktree add -q -b other wt", at: "wt", certain: true},
		{name: "reset to the commit before", script: "git reset -q --hard HEAD^", certain: true},
		{name: "changed", script: "echo x >> a.txt"},
		{name: "changed in the second of the index, with the same size", script: "printf 'one\\nTEN\\n' > a.txt"},
		{name: "changed with the same size and time", script: "touch -r a.txt ../ref; printf 'one\\nTEN\\n' > a.txt; " +
			"touch -r ../ref a.txt"},
		{name: "staged", script: "echo x >> a.txt; git add ."},
		{name: "new and staged", script: "echo x > b.txt; git add ."},
		{name: "new and announced", script: "echo x > b.txt; git add -N b.txt"},
		{name: "removed", script: "rm a.txt"},
		{name: "removed and staged", script: "git rm -q a.txt"},
		{name: "renamed", script: "git mv a.txt b.txt"},
		{name: "renamed on the disk and linked", script: "mv a.txt b.txt; ln -s b.txt a.txt"},
		{name: "executable", script: "chmod +x a.txt"},
		{name: "directory in its place", script: "rm a.txt; mkdir a.txt"},
		{name: "directory that became a link", script: "mkdir d; echo > d/f; git add .; git commit -qm x; mv d e; ln -s e d"},
		{name: "commit moved below the index", script: "git reset -q --soft HEAD^"},
		{name: "index of another commit", script: "git read-tree HEAD^"},
		{name: "conflict", script: "git checkout -q -b o HEAD^; echo o > a.txt; git commit -qam o; git merge -q main || true"},
		{name: "assumed unchanged", script: "git update-index --assume-unchanged a.txt; echo x >> a.txt"},
		{name: "skipped", script: "git update-index --skip-worktree a.txt; rm a.txt"},
		{name: "replaced commit", script: "git replace HEAD HEAD^"},
		{name: "replaced commit, packed", script: "git replace HEAD HEAD^; git pack-refs --all; rm -rf .git/refs/replace"},
		{name: "work tree elsewhere", script: "mkdir ../else; git config core.worktree ../../else"},
		{name: "converted ends of lines", script: "printf 'a\\r\\n' > c.txt; git add .; git commit -qm x; " +
			"git config core.autocrlf input; touch c.txt"},
		{name: "attributes that are not tracked", script: "echo '* filter=up' > .gitattributes; " +
			"git config filter.up.clean 'tr a-z A-Z'; touch a.txt; git update-index --refresh || true"},
		{name: "attributes of the repository", script: "mkdir -p .git/info; echo '* filter=up' > .git/info/attributes; " +
			"git config filter.up.clean 'tr a-z A-Z'", either: true},
		{name: "attributes in another file", script: "echo '* filter=up' > ../attributes; git config filter.up.clean " +
			"'tr a-z A-Z'; git config core.attributesFile $PWD/../attributes"},
		{name: "tracked attributes", script: "echo '* text' > .gitattributes; git add .; git commit -qm x"},
		{name: "submodule", script: "git init -q m; git -C m commit -q --allow-empty -m x; git add m 2>/dev/null; " +
			"git commit -qm x; git -C m commit -q --allow-empty -m y"},
		{name: "index of version 4", script: "git update-index --index-version 4"},
		{name: "split index", script: "git update-index --split-index"},
		{name: "no index", script: "rm .git/index"},
		{name: "damaged index", script: "printf 'DIRC\\0\\0\\0\\2\\0\\0\\0\\11' > .git/index"},
		{name: "empty tree", script: "git rm -q a.txt; git commit -qm x; echo x > b.txt; git add b.txt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", "")
			dir := newRepo(t)
			sh(t, dir, test.script)
			at := filepath.Join(dir, test.at)
			r, ok := findRepo(at)
			if !ok {
				t.Fatal("no repository")
			}
			commit, _ := r.head()
			certain := r.unchanged(commit)
			if certain != test.certain && !test.either {
				t.Errorf("unchanged is %v", certain)
			}
			out, err := git(t.Context(), at, "status", "--porcelain=v2", "--untracked-files=no", "--ignore-submodules=dirty")
			if certain && (err != nil || len(out) > 0) {
				t.Errorf("git says: %v %s", err, out)
			}
		})
	}
}

// TestUnchangedLater checks unchanged for a file that is older than the index. For such a file, unchanged compares only
// the status, such as the size and the time.
func TestUnchangedLater(t *testing.T) {
	dir := newRepo(t)
	later := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "a.txt"), later, later); err != nil {
		t.Fatal(err)
	}
	sh(t, dir, "git update-index --refresh")
	r, _ := findRepo(dir)
	commit, _ := r.head()
	t.Setenv("PATH", "") // nothing but the status is looked at
	if !r.unchanged(commit) {
		t.Error("not certain of a clean work tree")
	}
	if r.unchanged(strings.Repeat("0", 40)) {
		t.Error("certain of a commit that does not exist")
	}
	t.Setenv("GIT_CONFIG_COUNT", "0")
	if r.unchanged(commit) {
		t.Error("certain although git may have other settings")
	}
}

// TestUnchangedEmptied is about a file that was emptied right after git had read the file. Later git writes the size 0
// into the index, because the time of the file does not show the change.
func TestUnchangedEmptied(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(file, &st); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"": true, "one\n": false} {
		c := comparison{root: dir, written: uint32(st.Mtim.Sec) + 1, dirs: map[string]bool{".": true}}
		e := indexEntry{name: "a.txt", mode: modeFile, stat: statOf(&st)}
		e.id = sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
		if got := c.same(e); got != want {
			t.Errorf("an empty file whose text was %q: same is %v", text, got)
		}
	}
}

// If the index proves that no file has changed, git does not start.
func TestFilesOfAnUnchangedTreeAreComparedWithoutGit(t *testing.T) {
	dir, commits := history(t)
	// The time of a file that is as old as the index does not show whether the file has changed.
	sh(t, dir, "touch -d '1 hour ago' a.txt; git read-tree HEAD; git update-index --refresh")
	started := countGit(t)
	for _, tt := range []struct {
		commit, change string
		want, files    int
	}{{"main", "true", 0, 0}, {"topic", "true", 1, 0}, {"main", "echo changed >$(git ls-files | head -1)", 1, 1}} {
		sh(t, dir, tt.change)
		started()
		files, err := ChangedFiles(t.Context(), dir, commits[tt.commit])
		if n := started(); err != nil || len(files) != tt.files || n != tt.want {
			t.Errorf("%s, %s: %v %v, git started %d times", tt.commit, tt.change, files, err, n)
		}
	}
}
