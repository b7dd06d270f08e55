package ci

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

func TestDefaultBranch(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"main": {"git checkout -qb topic", "main"},
		"what origin says": {"git branch develop; git update-ref refs/remotes/origin/develop main; git " +
			"symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/develop", "develop"},
		"what new repositories get": {"git config init.defaultBranch start; git branch start", "start"},
		"not one that is not there": {"git config init.defaultBranch absent", "main"},
		"a remote's": {
			"git checkout -qb topic; git update-ref refs/remotes/origin/master main; git branch -qD main", "master"},
		"the only one":           {"git branch -qm odd", "odd"},
		"one of many":            {"git branch -qm odd; git branch even", ""},
		"a remote's topic alone": {"git branch -qm odd; git update-ref refs/remotes/origin/odd odd", ""},
		"nothing is committed":   {"rm -rf .git; git init -q -b first", "first"},
		"outside git":            {"rm -rf .git", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
			t.Setenv("GIT_CONFIG_SYSTEM", "/dev/null")
			dir := newRepo(t)
			sh(t, dir, test.script)
			if got := DefaultBranch(t.Context(), dir); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestDefaultTip(t *testing.T) {
	dir := newRepo(t)
	sh(t, dir, "git checkout -qb topic; git commit -q --allow-empty -m topic")
	for _, c := range []struct{ script, want string }{
		{"true", "main"}, {"git update-ref refs/remotes/origin/main topic", "topic"},
		{"git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main", "topic"},
	} {
		sh(t, dir, c.script)
		if got, want := DefaultTip(t.Context(), dir), sh(t, dir, "git rev-parse "+c.want); got != want {
			t.Errorf("%s: %s, want %s", c.script, got, want)
		}
	}
	if got := DefaultTip(t.Context(), t.TempDir()); got != "" {
		t.Errorf("outside git: %s", got)
	}
}

func TestAncestors(t *testing.T) {
	dir := newRepo(t)
	begin := strings.Fields(sh(t, dir, "git rev-list HEAD"))
	sh(t, dir, `git checkout -qb topic; git commit -q --allow-empty -m topic; git branch below/main
		git checkout -q main; git commit -q --allow-empty -m later; git update-ref refs/remotes/origin/only topic~1`)
	for _, base := range []string{"main", "only", begin[0], "main~1"} {
		got, err := Ancestors(t.Context(), dir, "topic", base, 10)
		if err != nil {
			t.Errorf("%s: %v", base, err)
		}
		if diff := cmp.Diff(begin, got); diff != "" {
			t.Errorf("%s: %s", base, diff)
		}
	}
	if got, err := Ancestors(t.Context(), dir, "topic", "main", 1); err != nil || len(got) != 1 {
		t.Errorf("one: %v %v", got, err)
	}
	for _, base := range []string{"absent", "below", "--all", "", "ma*"} {
		if _, err := Ancestors(t.Context(), dir, "topic", base, 10); store.CodeOf(err) != store.NotFound ||
			store.NextOf(err) == nil {
			t.Errorf("%q: %v", base, err)
		}
	}
	if _, err := Ancestors(t.Context(), dir, "1234567890", "main", 10); store.CodeOf(err) != store.NotFound {
		t.Errorf("unknown commit: %v", err)
	}
}

// The local branch main is older than origin's main, at which the topic began.
func TestAncestorsTakeTheCloserOfTwoCopiesOfABranch(t *testing.T) {
	dir := newRepo(t)
	sh(t, dir, `git checkout -qb ahead; git commit -q --allow-empty -m ahead; git update-ref refs/remotes/origin/main ahead
		git checkout -qb topic; git commit -q --allow-empty -m topic`)
	want := sh(t, dir, "git rev-parse ahead")
	for range 2 {
		if got, err := Ancestors(t.Context(), dir, "topic", "main", 1); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("got %v %v, want %s", got, err, want)
		}
		// Now origin's copy is behind.
		sh(t, dir, "git branch -qf main ahead; git update-ref refs/remotes/origin/main ahead~1")
	}
}

func TestAncestorsInAShallowClone(t *testing.T) {
	dir := newRepo(t)
	sh(t, dir, "git checkout -qb topic; git commit -q --allow-empty -m topic; git checkout -q main; git commit -q "+
		"--allow-empty -m later")
	clone := t.TempDir()
	sh(t, clone, "git clone -q --depth 1 --no-single-branch file://"+dir+" .")
	_, err := Ancestors(t.Context(), clone, "origin/topic", "main", 10)
	if store.CodeOf(err) != store.NotFound || !strings.Contains(err.Error(), "shallow clone") ||
		!strings.Contains(cmdline.Of(store.NextOf(err)), "--unshallow") {
		t.Errorf("%v, hint %q", err, cmdline.Of(store.NextOf(err)))
	}
}
