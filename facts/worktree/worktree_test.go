package worktree_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/sqlite"
)

// project is a repository under test.
type project struct {
	testing.TB
	dir string
	worktree.Source
}

func newProject(t testing.TB) *project {
	t.Helper()
	p := &project{TB: t, dir: t.TempDir()}
	p.Source = worktree.Source{Root: p.dir, Cache: filepath.Join(t.TempDir(), "cache", "facts")}
	p.git("init", "-q", "-b", "main")
	return p
}

func (p *project) git(args ...string) string {
	p.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com", "-c",
		"commit.gpgsign=false", "-C", p.dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) write(path, text string) {
	p.Helper()
	name := filepath.Join(p.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

// commit commits everything and returns the hash.
func (p *project) commit(message string) string {
	p.Helper()
	p.git("add", "-A")
	p.git("commit", "-q", "-m", message)
	return p.git("rev-parse", "HEAD")
}

func (p *project) at(name string) facts.Found {
	p.Helper()
	f, err := p.At(p.Context(), facts.Query{At: name, Kind: store.FactDocs})
	if err != nil {
		p.Fatal(err)
	}
	return f
}

// content returns the contents of a set's files by path.
func (p *project) content(s facts.Set) map[string]string {
	p.Helper()
	all := map[string]string{}
	for _, f := range s.Files() {
		text, err := s.Read(p.Context(), f)
		if err != nil || int64(len(text)) != f.Size || facts.Digest(text) != f.Digest {
			p.Errorf("%s: %q, %v", f.Path, text, err)
		}
		all[f.Path] = string(text)
	}
	return all
}

func (p *project) equal(got, want any) {
	p.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("-want +got:\n%s", diff)
	}
}

func (p *project) refused(err error, code store.Code, word string) {
	p.Helper()
	if store.CodeOf(err) != code || !strings.Contains(err.Error(), word) {
		p.Errorf("got %v (%s), want %s with %q", err, store.CodeOf(err), code, word)
	}
}

func TestTheWorkTreeIsItsCommitWithItsChanges(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.equal(len(p.at("").Files()), 0)
	for _, path := range []string{"README.md", "docs/a.md", "docs/b.rst", "docs/c.adoc", "docs/d.txt", "main.go",
		"gone.md"} {
		p.write(path, "of "+path+"\n")
	}
	p.write(".gitignore", "ignored.md\n")
	first := p.commit("first")
	clean := p.at("")
	p.equal([]any{clean.Commit, clean.Dirty, clean.Pin()}, []any{first, false, first})
	p.equal(p.content(clean), map[string]string{"README.md": "of README.md\n", "docs/a.md": "of docs/a.md\n",
		"docs/b.rst": "of docs/b.rst\n", "docs/c.adoc": "of docs/c.adoc\n", "docs/d.txt": "of docs/d.txt\n",
		"gone.md": "of gone.md\n"})
	p.equal(p.at(first).Digest(), clean.Digest())

	p.write("README.md", "changed\n")
	p.write("docs/a.md", "staged\n")
	p.git("add", "docs/a.md")
	p.write("docs/b.rst", "staged\n")
	p.git("add", "docs/b.rst")
	p.write("docs/b.rst", "staged, then changed\n")
	p.git("mv", "docs/c.adoc", "docs/moved file.adoc")
	p.write("new/ünter.md", "untracked\n")
	p.write("ignored.md", "ignored\n")
	p.write("main.go", "changed\n")
	if err := os.Remove(filepath.Join(p.dir, "gone.md")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second round uses the cache
		dirty := p.at("")
		p.equal([]any{dirty.Commit, dirty.Dirty}, []any{first, true})
		p.equal(p.content(dirty), map[string]string{"README.md": "changed\n", "docs/a.md": "staged\n",
			"docs/b.rst": "staged, then changed\n", "docs/moved file.adoc": "of docs/c.adoc\n", "docs/d.txt": "of docs/d.txt\n",
			"new/ünter.md": "untracked\n"})
	}
	p.equal(p.at(first).Digest(), clean.Digest())
	changed, err := p.Dirty(t.Context(), store.FactDocs)
	p.equal([]any{len(changed), err}, []any{7, nil})
}

func TestCommitsHaveManyNames(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("README.md", "one\n")
	one := p.commit("one")
	p.git("tag", "v1")
	p.git("tag", "-a", "-m", "annotated", "v1-annotated")
	p.git("branch", "old/topic")
	p.git("update-ref", "refs/remotes/origin/pr/12", one)
	p.git("update-ref", "refs/remotes/origin/theirs", one)
	p.write("README.md", "two\n")
	two := p.commit("two")
	s, blobs := p.store()
	p.Store, p.Blobs = s, blobs
	run, err := s.StartRun(t.Context(), store.Run{Attempt: "01999999-0000-7000-8000-000000000001", Source: "build",
		Git: store.Git{Commit: one}, CI: &store.CI{PR: 13}, StartedAt: time.Unix(1, 0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"v1", "v1-annotated", "old/topic", "PR#12", "#12", "pr#13", "theirs", one, one[:7],
		strings.ToUpper(one[:9]), "build:1", "1", "build", "latest", run.Attempt, "build:1:3",
		"HEAD~1", "HEAD^"} {
		f := p.at(name)
		p.equal(map[string]string{name: p.content(f)["README.md"]}, map[string]string{name: "one\n"})
		p.equal([]any{f.Commit, f.ResolvedFrom, f.Distance}, []any{one, "", 0})
	}
	for _, name := range []string{"main", two[:4], "HEAD", ""} {
		p.equal(p.at(name).Commit, two)
	}
	p.git("branch", "build") // a branch name takes precedence over the ref of a run
	p.equal(p.at("build").Commit, two)
	for name, word := range map[string]string{"nothing": "nothing here", "PR#99": "PR#99 is not here", "build:7": "no run",
		"0000000": "nothing here", "a b": "nothing here", "-x": "nothing here", "--all": "nothing here",
		"HEAD~9": "nothing here", "x\nHEAD": "nothing here"} {
		_, err := p.At(t.Context(), facts.Query{At: name, Kind: store.FactDocs})
		p.refused(err, store.NotFound, word)
	}
	_, err = p.At(t.Context(), facts.Query{At: "a:b:c", Kind: store.FactDocs})
	p.refused(err, store.Invalid, "not a name")
	ancestors, err := p.Ancestors(t.Context(), two, 5)
	p.equal([]any{ancestors, err}, []any{[]string{one}, nil})
	snapshot, err := p.ToldAt(t.Context(), "o/n", "old/topic")
	p.equal([]any{snapshot, err}, []any{store.Snapshot{Repo: "o/n", Commit: one, Branch: "old/topic", Tag: "v1"}, nil})
	snapshot, err = p.ToldAt(t.Context(), "o/n", two[:8])
	p.equal([]any{snapshot, err}, []any{store.Snapshot{Repo: "o/n", Commit: two}, nil})
	snapshot, err = p.ToldAt(t.Context(), "o/n", "theirs")
	p.equal([]any{snapshot, err}, []any{store.Snapshot{Repo: "o/n", Commit: one, Branch: "theirs", Tag: "v1"}, nil})
	snapshot, err = p.ToldAt(t.Context(), "o/n", "HEAD")
	p.equal([]any{snapshot, err}, []any{store.Snapshot{Repo: "o/n", Commit: two, Branch: "main"}, nil})
	p.git("checkout", "-q", "--detach")
	snapshot, err = p.ToldAt(t.Context(), "o/n", "HEAD")
	p.equal([]any{snapshot, err}, []any{store.Snapshot{Repo: "o/n", Commit: two}, nil})
}

func TestTheBeginningOfTwoHashesIsNoName(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	var commits strings.Builder
	for i := range 2000 { // so many that the first four digits of some are equal
		fmt.Fprintf(&commits, "commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata 0\n\n", i)
	}
	importer := exec.Command("git", "-C", p.dir, "fast-import", "--quiet")
	importer.Stdin = strings.NewReader(commits.String())
	if out, err := importer.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seen := map[string]string{}
	for hash := range strings.Lines(p.git("rev-list", "main")) {
		if seen[hash[:4]] == "" {
			seen[hash[:4]] = hash
			continue
		}
		_, err := p.At(t.Context(), facts.Query{At: hash[:4], Kind: store.FactDocs})
		p.refused(err, store.Invalid, "more than one hash begins with")
		return
	}
	t.Fatal("the first four digits of all hashes differ")
}

func TestAPlaceTellsOfItsCommit(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("README.md", "one\n")
	one := p.commit("one")
	p.write("README.md", "two\n")
	two := p.commit("two")
	const gone = "00000000000000000000000000000000000000ff"
	for name, c := range map[string]struct {
		run  store.Run
		want store.Snapshot
	}{
		"a work tree": {store.Run{Repo: "o/n", Git: store.Git{Commit: two, Branch: "main"}},
			store.Snapshot{Repo: "o/n", Commit: two, Branch: "main"}},
		"a pull request with its head": {
			store.Run{Git: store.Git{Commit: one, Branch: "topic"}, CI: &store.CI{PR: 7}},
			store.Snapshot{Commit: one, Branch: "topic", PR: 7}},
		"a pull request with a merge only": {
			store.Run{Git: store.Git{Commit: gone, Branch: "topic"}, CI: &store.CI{PR: 7, Fork: true}},
			store.Snapshot{Commit: two, PR: 7, Fork: true}},
		"no facts of CI": {store.Run{}, store.Snapshot{Commit: two}},
	} {
		got, err := p.Told(t.Context(), c.run)
		p.equal(map[string]any{name: got}, map[string]any{name: c.want})
		p.equal(err, nil)
	}
}

// store returns an empty store and empty blobs, both outside of the project.
func (p *project) store() (*sqlite.Store, store.Blobs) {
	p.Helper()
	s, err := sqlite.Open(p.Context(), filepath.Join(p.TempDir(), "blq.db"))
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { s.Close() })
	b, err := blob.OpenFile(filepath.Join(p.TempDir(), "blobs"))
	if err != nil {
		p.Fatal(err)
	}
	return s, b
}

func TestTheStoreHasCommitsThatGitLost(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("README.md", "kept\n")
	commit := p.commit("kept")
	s, blobs := p.store()
	p.Store, p.Blobs = s, blobs
	kept := p.at("")
	_, err := facts.Save(t.Context(), s, blobs, store.Snapshot{Commit: commit, Kind: store.FactDocs, Branch: "main",
		CreatedAt: time.Unix(1, 0)}, nil, kept.Set.(*facts.Listed))
	if err != nil {
		t.Fatal(err)
	}
	other := newProject(t)
	other.Store, other.Blobs = s, blobs
	f := other.at(commit[:12])
	p.equal([]any{f.Commit, f.Digest(), p.content(f)},
		[]any{commit, kept.Digest(), map[string]string{"README.md": "kept\n"}})
}

func TestLinksAndSubmodulesAreNoFacts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // links need special rights there
	}
	p := newProject(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	sub := newProject(t)
	sub.write("README.md", "of the submodule\n")
	sub.commit("sub")
	p.write("README.md", "ours\n")
	p.write("docs/a.md", "a\n")
	for name, to := range map[string]string{"tracked.md": outside, "inside.md": "README.md"} {
		if err := os.Symlink(to, filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.dir, "lib")
	p.commit("links")
	f := p.at("")
	p.equal(p.content(f), map[string]string{"README.md": "ours\n", "docs/a.md": "a\n"})
	for _, name := range []string{"untracked.md", "README.md", "docs"} {
		if err := os.RemoveAll(filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
		to := outside
		if name == "docs" {
			to = filepath.Dir(outside)
		}
		if err := os.Symlink(to, filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	p.equal(p.content(p.at("")), map[string]string{})
}

func TestAFileThatChangesMeanwhileIsNotMistaken(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("README.md", "one\n")
	p.commit("one")
	p.write("a.md", "before\n")
	f := p.at("")
	p.write("a.md", "later!\n")
	_, err := f.Read(t.Context(), f.Files()[1])
	p.refused(err, store.Conflict, "a.md has changed")
	p.equal(p.content(p.at(""))["a.md"], "later!\n") // same size, and changed just now
	if err := os.Remove(filepath.Join(p.dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	_, err = f.Read(t.Context(), f.Files()[1])
	p.refused(err, store.NotFound, "a.md is not there")
	_, err = f.Read(t.Context(), facts.File{Path: "../x", Digest: f.Files()[0].Digest})
	p.refused(err, store.NotFound, "../x")
}

func TestWithoutGitFilesAreWalked(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.dir = t.TempDir()
	p.Root = p.dir
	p.write("README.md", "one\n")
	p.write("node_modules/x/README.md", "theirs\n")
	f := p.at("")
	p.equal([]any{f.Commit, p.content(f)}, []any{"", map[string]string{"README.md": "one\n"}})
	_, err := p.At(t.Context(), facts.Query{At: "main", Kind: store.FactDocs})
	p.refused(err, store.NotFound, "not in a git repository")
}

func TestLimitsSayWhatToDo(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("README.md", "one\n")
	p.write("big/large.md", strings.Repeat("x", facts.MaxFile+1))
	_, err := p.At(t.Context(), facts.Query{Kind: store.FactDocs})
	p.refused(err, store.TooLarge, "big/large.md has 33554433 bytes")
	if next := store.NextOf(err); next == nil || !strings.Contains(fmt.Sprint(next), "--exclude") {
		t.Errorf("next step: %v", next)
	}
	p.commit("large")
	_, err = p.At(t.Context(), facts.Query{Kind: store.FactDocs})
	p.refused(err, store.TooLarge, "big/large.md has 33554433 bytes")
	p.Exclude = []string{"big"}
	p.equal(len(p.at("").Files()), 1)
}

func TestADamagedCacheIsNotUsed(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("README.md", "one\n")
	p.write("a.md", "two\n")
	p.commit("one")
	want := p.at("").Digest()
	text, err := os.ReadFile(p.Cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "x", string(text[:len(text)-1]), strings.Replace(string(text), "\x04", "\x05", 1)} {
		if err := os.WriteFile(p.Cache, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		p.equal(p.at("").Digest(), want)
	}
}

// A Source first reads a shallow clone, and caches its commits in a Memory. Later it finds commits that were fetched
// after that.
func TestAncestorsAreFoundInADeepenedClone(t *testing.T) {
	t.Parallel()
	origin := newProject(t)
	var commits []string
	for i := range 20 {
		origin.write("a.go", fmt.Sprintf("package a // %d\n", i))
		commits = append(commits, origin.commit("change"))
	}
	clone := &project{TB: t, dir: filepath.Join(t.TempDir(), "clone")}
	origin.git("clone", "-q", "--depth=3", "file://"+origin.dir, clone.dir)
	clone.Source = worktree.Source{Root: clone.dir, Memory: &worktree.Memory{}}
	back := func(n int) (facts.Found, error) {
		return clone.At(t.Context(), facts.Query{At: commits[19], Back: n, Kind: store.FactCode})
	}
	for range 2 {
		found, err := back(2)
		if err != nil || found.Commit != commits[17] {
			t.Fatalf("2 back: %q, %v", found.Commit, err)
		}
		clone.equal(clone.content(found.Set)["a.go"], "package a // 17\n")
	}
	_, err := back(3)
	clone.refused(err, store.NotFound, "has no 3 commits before it")
	clone.git("fetch", "-q", "--unshallow")
	for _, n := range []int{1, 3, 16, 19} {
		if found, err := back(n); err != nil || found.Commit != commits[19-n] {
			t.Errorf("%d back: %q, %v", n, found.Commit, err)
		}
	}
	_, err = back(20)
	clone.refused(err, store.NotFound, "has no 20 commits before it")
}

// Two clones share a memory. A commit that only one clone has is not found in the other clone. After a fetch, the
// other clone has the commit.
func TestCommitsOfOneCloneAreNotThoseOfAnother(t *testing.T) {
	t.Parallel()
	origin := newProject(t)
	origin.write("a.go", "package a // 1\n")
	first := origin.commit("one")
	memory := &worktree.Memory{}
	clone := &project{TB: t, dir: filepath.Join(t.TempDir(), "clone")}
	origin.git("clone", "-q", origin.dir, clone.dir)
	clone.Source = worktree.Source{Root: clone.dir, Memory: memory}
	origin.Source = worktree.Source{Root: origin.dir, Memory: memory}
	origin.write("a.go", "package a // 2\n")
	second := origin.commit("two")
	at := func(p *project, commit string) error {
		found, err := p.At(t.Context(), facts.Query{At: commit, Kind: store.FactCode})
		if err == nil && found.Commit != commit {
			t.Errorf("at %s: %s", commit, found.Commit)
		}
		return err
	}
	for range 2 {
		for _, err := range []error{at(origin, first), at(origin, second), at(clone, first)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		clone.refused(at(clone, second), store.NotFound, "nothing here has the name")
	}
	clone.git("fetch", "-q")
	if err := at(clone, second); err != nil {
		t.Error(err)
	}
}
