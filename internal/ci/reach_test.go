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
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

// history returns a repository and commits by name. The branches topic and main both begin at the commit begin. No
// branch contains the commit gone. The repository does not have the commit absent.
func history(t *testing.T) (dir string, commits map[string]string) {
	t.Helper()
	dir = newRepo(t)
	sh(t, dir, `git checkout -qb topic; git commit -q --allow-empty -m topic
		git checkout -q --detach main; git commit -q --allow-empty -m gone; git rev-parse HEAD >.git/gone
		git checkout -q main; git commit -q --allow-empty -m later`)
	commits = map[string]string{"gone": sh(t, dir, "cat .git/gone"), "absent": strings.Repeat("12", 20)}
	for name, rev := range map[string]string{"begin": "main~1", "topic": "topic", "main": "main"} {
		commits[name] = sh(t, dir, "git rev-parse "+rev)
	}
	return dir, commits
}

func TestCommitsAreLookedUpTogether(t *testing.T) {
	dir, commits := history(t)
	list := append(slices.Collect(maps.Values(commits)), "", "HEAD", "main", "--all", "abc")
	check := func(what string, is map[string]bool, err error, want ...string) {
		t.Helper()
		got := map[string]bool{}
		for name, c := range commits {
			if answer, ok := is[c]; ok {
				got[name] = answer
			}
		}
		wanted := map[string]bool{}
		for name := range commits {
			wanted[name] = slices.Contains(want, name)
		}
		if diff := cmp.Diff(wanted, got); err != nil || diff != "" || len(is) != len(commits) {
			t.Errorf("%s: %v %v %s", what, err, is, diff)
		}
	}
	is, err := new(Lookups).Inside(t.Context(), dir, commits["main"], list)
	check("inside of main", is, err, "begin", "main")
	is, err = new(Lookups).Inside(t.Context(), dir, commits["absent"], list)
	check("inside of an absent commit", is, err)
	is, err = new(Lookups).OnBranches(t.Context(), dir, list)
	check("on branches", is, err, "begin", "main", "topic")
	if is, err := new(Lookups).OnBranches(t.Context(), dir, []string{"abc"}); err != nil || len(is) > 0 {
		t.Errorf("no commit: %v %v", is, err)
	}
}

// Git starts twice only if it must tell commits that it leaves out from commits that it does not know.
func TestCommitsOfNoBranchAreLookedUpByOneProcess(t *testing.T) {
	dir, commits := history(t)
	started := countGit(t)
	for _, tt := range []struct {
		names []string
		want  int
	}{{[]string{"gone"}, 1}, {[]string{"gone", "begin"}, 2}, {[]string{"gone", "absent"}, 2}} {
		var list []string
		for _, name := range tt.names {
			list = append(list, commits[name])
		}
		is, err := new(Lookups).OnBranches(t.Context(), dir, list)
		if err != nil || is[commits["gone"]] || len(is) != len(list) {
			t.Errorf("%v: %v %v", tt.names, is, err)
		}
		if n := started(); n != tt.want {
			t.Errorf("%v: git started %d times, want %d", tt.names, n, tt.want)
		}
	}
}

// countGit returns a function that returns how often git has started since its last call.
func countGit(t *testing.T) func() int {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	log := filepath.Join(bin, "log")
	script := fmt.Sprintf("#!/bin/sh\necho started >>%s\nexec %s \"$@\"\n", log, real)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return func() int {
		text, _ := os.ReadFile(log) // there is no such file if git did not start
		if err := os.RemoveAll(log); err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "started")
	}
}

// Which commits git knows, and their trees, is looked up once for several questions.
func TestTreesOfCommitsAreLookedUpOnce(t *testing.T) {
	dir, commits := history(t)
	list := slices.Collect(maps.Values(commits))
	started := countGit(t)
	var l Lookups
	inside, err := l.Inside(t.Context(), dir, commits["main"], list)
	same, errSame := l.SameFiles(t.Context(), dir, commits["main"], []string{commits["begin"], commits["gone"]})
	on, errOn := l.OnBranches(t.Context(), dir, []string{commits["begin"], commits["gone"]})
	if err != nil || errSame != nil || errOn != nil || !inside[commits["begin"]] || inside[commits["absent"]] ||
		!same[commits["gone"]] || !on[commits["begin"]] || on[commits["gone"]] {
		t.Errorf("%v %v %v, %v %v %v", inside, same, on, err, errSame, errOn)
	}
	if n := started(); n != 3 {
		t.Errorf("git started %d times", n)
	}
}

func TestAShallowCloneTellsOfNoCommitWhetherItIsInside(t *testing.T) {
	dir, commits := history(t)
	clone := t.TempDir()
	sh(t, clone, "git clone -q --depth 1 file://"+dir+" .")
	is, err := new(Lookups).Inside(t.Context(), clone, commits["main"], []string{commits["begin"]})
	if err != nil || is != nil {
		t.Errorf("%v %v", is, err)
	}
}

func TestBranchesAreThoseHereAndAtRemotes(t *testing.T) {
	dir := newRepo(t)
	sh(t, dir, "git branch topic/a; git update-ref refs/remotes/origin/b main")
	got, err := Branches(t.Context(), dir)
	if want := map[string]bool{"main": true, "topic/a": true, "b": true}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
	if _, err := Branches(t.Context(), t.TempDir()); err == nil {
		t.Error("no error outside git")
	}
}

// If git takes too long, it is not known whether a commit is there. A failure at that commit must not be forgotten.
func TestAHistoryThatTakesTooLongIsNoAnswer(t *testing.T) {
	dir, commits := history(t)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for _, base := range []string{"main", "HEAD", commits["begin"]} {
		got, err := Ancestors(ctx, dir, commits["main"], base, 1)
		if hint := cmdline.Of(store.NextOf(err)); store.CodeOf(err) != store.Unavailable || strings.Contains(hint, "fetch") {
			t.Errorf("%s: %v %v, hint %q", base, got, err, hint)
		}
	}
	list := []string{commits["begin"]}
	if is, err := new(Lookups).Inside(ctx, dir, commits["main"], list); store.CodeOf(err) != store.Unavailable {
		t.Errorf("inside: %v %v", is, err)
	}
	if is, err := new(Lookups).SameFiles(ctx, dir, commits["main"], list); store.CodeOf(err) != store.Unavailable {
		t.Errorf("same files: %v %v", is, err)
	}
	if is, err := new(Lookups).OnBranches(ctx, dir, list); store.CodeOf(err) != store.Unavailable {
		t.Errorf("on branches: %v %v", is, err)
	}
}

// A clone with --filter=tree:0 has no trees of older commits. Questions about these commits are answered even if the
// origin of the clone is out of reach.
func TestAPartialCloneIsReadWithoutItsOrigin(t *testing.T) {
	dir, commits := history(t)
	sh(t, dir, "git config uploadpack.allowFilter true; git config uploadpack.allowAnySHA1InWant true")
	clone := t.TempDir()
	sh(t, clone, "git clone -q --filter=tree:0 file://"+dir+" . && git remote set-url origin file:///nowhere")
	older := sh(t, dir, "git rev-parse main~2") // has other files
	list := append(slices.Collect(maps.Values(commits)), older)
	for what, look := range map[string]func() (map[string]bool, error){
		"inside": func() (map[string]bool, error) {
			return new(Lookups).Inside(t.Context(), clone, commits["main"], list)
		},
		"on branches": func() (map[string]bool, error) { return new(Lookups).OnBranches(t.Context(), clone, list) },
		"same files": func() (map[string]bool, error) {
			return new(Lookups).SameFiles(t.Context(), clone, commits["main"], list)
		},
	} {
		is, err := look()
		if err != nil || !is[commits["begin"]] || is[commits["absent"]] || is[older] != (what != "same files") {
			t.Errorf("%s: %v %v", what, err, is)
		}
	}
}
