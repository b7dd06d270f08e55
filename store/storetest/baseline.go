package storetest

import (
	"context"
	"fmt"
	"slices"

	"github.com/blq-ci/blq/store"
)

// history implements Ancestry for a repository. main is a list of commits, newest first. Each branch begins at a commit
// of main.
type history struct {
	main   []string
	begins map[string]string // commit of main at which each branch begins
}

var commits = history{
	main:   []string{hash(5), hash(4), hash(3), hash(2), hash(1)},
	begins: map[string]string{hash(30): hash(3), hash(31): hash(3)},
}

// hash returns the hash of the commit with the given number.
func hash(n int) string { return fmt.Sprintf("%040x", 0xabc000+n) }

func (h history) DefaultBranch(context.Context, string) (string, error) { return "main", nil }

func (h history) Ancestors(_ context.Context, _, commit, base string, n int) ([]string, error) {
	if commit == "HEAD~1" && base == commit {
		return []string{h.main[1]}, nil
	}
	if at := h.begins[commit]; at != "" {
		commit = at
	}
	i := slices.Index(h.main, commit)
	if i < 0 || base != "main" {
		return nil, store.Errorf(store.NotFound, "unknown")
	}
	return h.main[i:min(len(h.main), i+n)], nil
}

// at returns a function that sets a run's branch and commit.
func at(branch string, n int) func(*store.Run) {
	return func(r *store.Run) { r.Git.Branch, r.Git.Commit = branch, hash(n) }
}

func dirty(r *store.Run) { r.Git.Dirty = true }

func ci(c store.CI) func(*store.Run) { return func(r *store.Run) { r.CI = &c } }

// ran records a run that failed.
func (f fixture) ran(source string, change ...func(*store.Run)) store.Run {
	f.Helper()
	return f.finish(f.start("o/n", source, change...), 1)
}

// ended records a run that ended in the given way.
func (f fixture) ended(e store.Ending, change ...func(*store.Run)) {
	f.Helper()
	r := f.start("o/n", "build", change...)
	_, err := f.s.FinishRun(f.Context(), r.Attempt, store.Finish{Ending: e, Chunks: -1, Batches: -1})
	f.ok(err)
}

// baseline finds the baseline of a run, and compares kind and ref with want, as in "merge_base build:3".
func (f fixture) baseline(head store.Run, g store.Ancestry, want string) store.Baseline {
	f.Helper()
	b, err := store.FindBaseline(f.Context(), f.s, everything, head, "", g)
	f.ok(err)
	f.equal(spell(b), want)
	if (b.Reason != "") != (b.Kind == store.BaselineNone) || b.Found() != (b.Run.Attempt != "") {
		f.Errorf("%s has reason %q and run %q", b.Kind, b.Reason, b.Run.Attempt)
	}
	return b
}

func spell(b store.Baseline) string {
	if !b.Found() {
		return string(b.Kind)
	}
	return fmt.Sprintf("%s %s:%d", b.Kind, b.Run.Source, b.Run.Serial)
}

var baselineTests = map[string]func(f fixture){
	"on the default branch: the run before": func(f fixture) {
		f.ran("build", at("main", 1))
		f.ran("build", at("main", 2), dirty)
		f.ran("build", at("topic", 30))
		f.ran("test", at("main", 2))
		head := f.ran("build", at("main", 3))
		later := f.ran("build", at("main", 3))
		f.equal(f.baseline(head, commits, "previous build:2").Branch, "main")
		f.baseline(head, nil, "previous build:2")
		f.baseline(later, commits, "previous build:5")
	},
	"without git: the run before": func(f fixture) {
		first := f.ran("build")
		f.baseline(f.ran("build"), commits, "previous build:1")
		f.baseline(first, nil, "none")
	},
	"on another branch: the run at the merge base": func(f fixture) {
		f.ran("build", at("main", 2))
		f.ran("build", at("main", 3))
		f.ran("build", at("main", 3))
		f.ran("build", at("main", 4))
		f.ran("build", at("topic", 30))
		head := f.ran("build", at("topic", 31), dirty)
		b := f.baseline(head, commits, "merge_base build:3")
		f.equal([]string{b.Branch, b.Commit}, []string{"main", hash(3)})
	},
	"a run at the merge base may come later, and from any branch": func(f fixture) {
		head := f.ran("build", at("topic", 30))
		f.ran("build", at("topic", 3))
		f.ran("build", at("topic", 3)) // this run may have had files that git does not know
		f.baseline(head, commits, "merge_base build:2")
		f.ran("build", at("other", 3))
		f.ran("build", at("other", 3))
		f.baseline(head, commits, "merge_base build:5")
		f.ran("build", at("main", 3))
		f.ran("build", at("other", 3))
		f.baseline(head, commits, "merge_base build:6")
	},
	"or else the nearest run before it on the base branch": func(f fixture) {
		f.ran("build", at("main", 1))
		f.ran("build", at("main", 2))
		f.ran("build", at("main", 2))
		f.ran("build", at("main", 1)) // this run is newer, but at a more distant commit
		f.ran("build", at("main", 4)) // this commit is after the merge base
		f.ran("build", at("old", 2))  // this run is on another branch
		f.ran("build", at("main", 3), dirty)
		head := f.ran("build", at("topic", 30))
		f.baseline(head, commits, "base_branch build:3")
	},
	"a dirty run of the base branch if there is no clean one": func(f fixture) {
		f.ran("build", at("topic", 3), dirty)
		head := f.ran("build", at("topic", 30))
		f.baseline(head, commits, "none")
		f.ran("build", at("main", 3), dirty)
		f.baseline(head, commits, "base_branch build:3")
	},
	"changes not committed yet": func(f fixture) {
		f.ran("build", at("main", 3))
		f.ran("build", at("topic", 3), dirty)
		head := f.ran("build", at("topic", 3), dirty)
		f.baseline(head, commits, "merge_base build:1")
	},
	"a branch that was merged is not compared with itself": func(f fixture) {
		f.ran("build", at("main", 3))
		head := f.ran("build", at("topic", 4)) // this commit is now part of main
		f.ran("build", at("topic", 4))
		f.ran("build", at("main", 4))
		f.baseline(head, commits, "base_branch build:1")
		fresh := f.ran("build", at("fresh", 4)) // the branch begins after main was built at that commit
		f.baseline(fresh, commits, "merge_base build:4")
	},
	"runs that did not end by themselves": func(f fixture) {
		zero := 0
		good := store.Ending{ExitCode: &zero}
		f.ended(good, at("main", 1))
		for _, e := range []store.Ending{
			{Reason: store.ReasonTimeout}, {Reason: store.ReasonCancelled, ExitCode: &zero}, {Signal: "SIGKILL"},
			{ExitCode: &zero, Lost: "events"},
		} {
			f.ended(e, at("main", 2))
		}
		f.start("o/n", "build", at("main", 2)) // this run is running
		orphan := f.start("o/n", "build", at("main", 2))
		_, err := f.s.OrphanRun(f.Context(), orphan.Attempt, orphan.HeartbeatAt)
		f.ok(err)
		f.baseline(f.ran("build", at("main", 3)), commits, "previous build:1")
		f.ended(store.Ending{Signal: "SIGSEGV"}, at("main", 4)) // the command crashed
		f.baseline(f.ran("build", at("main", 5)), commits, "previous build:9")
	},
	"legs of a matrix": func(f fixture) {
		linux, mac := store.CI{Matrix: `{"os":"linux","go":"1.26"}`}, store.CI{Matrix: `{"os":"mac","go":"1.26"}`}
		f.ran("build", at("main", 1), ci(linux))
		f.ran("build", at("main", 1), ci(mac))
		f.ran("build", at("main", 1))
		again := store.CI{Matrix: "{\n  \"go\": \"1.26\",\n  \"os\": \"linux\"\n}"}
		f.baseline(f.ran("build", at("main", 2), ci(again)), commits, "previous build:1")
		f.baseline(f.ran("build", at("main", 2)), commits, "previous build:3")
		f.baseline(f.ran("build", at("main", 2), ci(store.CI{Matrix: `{"os":"bsd"}`})), commits, "none")
	},
	"forks": func(f fixture) {
		f.ran("build", at("main", 3))
		fork := store.CI{PR: 7, BaseRef: "main", Fork: true}
		f.ran("build", at("main", 30), ci(fork))
		f.ran("build", at("patch", 3), ci(fork))
		f.baseline(f.ran("build", at("main", 31), ci(fork)), commits, "merge_base build:1")
		f.baseline(f.ran("build", at("main", 4)), commits, "previous build:1")
	},
	"a late run is compared with what began before it": func(f fixture) {
		f.ran("build", at("main", 1), late(10))
		f.ran("build", at("main", 3))
		f.baseline(f.ran("build", at("main", 2), late(20)), commits, "previous build:1")
		f.baseline(f.ran("build", at("main", 1), late(5)), commits, "none")
		f.baseline(f.ran("build", at("main", 4)), commits, "previous build:2")
		f.baseline(f.ran("build", at("topic", 99), late(15)), nil, "base_branch build:1")
	},
	"a fork's branch is not ours of that name": func(f fixture) {
		fork := func(pr int) func(*store.Run) { return ci(store.CI{PR: pr, Fork: true}) }
		f.finish(f.start("o/n", "build", at("main", 3)), 1)
		f.finish(f.start("o/n", "build", at("main", 30), fork(7)), 0)
		f.finish(f.start("o/n", "build", at("main", 31), fork(8)), 0)
		f.finish(f.start("o/n", "build", at("main", 31), fork(0)), 0)
		for branch, want := range map[string][]string{"main": {"o/n@build:1"}, "pull/7:main": {"o/n@build:2"},
			"pull/8:main": {"o/n@build:3"}, "fork:main": {"o/n@build:4"}} {
			f.equal(f.runs(everything, store.RunFilter{Branch: branch, Newest: true}), want)
		}
	},
	"the base of a pull request is not the default branch": func(f fixture) {
		f.ran("build", at("main", 1))
		f.ran("build", at("release", 1))
		pr := store.CI{PR: 8, BaseRef: "release"}
		b := f.baseline(f.ran("build", at("main", 2), ci(pr)), commits, "base_branch build:2")
		f.equal(b.Branch, "release")
	},
	"without history: the CI system's base, or else the run before": func(f fixture) {
		f.ran("build", at("main", 1))
		f.ran("build", at("main", 2))
		f.ran("build", at("main", 2), dirty)
		pr := store.CI{PR: 8, BaseRef: "main", BaseSHA: hash(1)}
		head := f.ran("build", at("topic", 99), ci(pr))
		f.baseline(head, nil, "base_branch build:1")
		f.baseline(head, commits, "base_branch build:1") // the commit is unknown
		pr.BaseSHA = hash(9)
		head = f.ran("build", at("topic", 99), ci(pr))
		f.ran("build", at("main", 3))
		f.baseline(head, nil, "base_branch build:2")
		f.baseline(f.ran("build", at("topic", 99)), nil, "base_branch build:6") // main, found by its usual name
	},
	"nobody knows the base branch": func(f fixture) {
		f.ran("build", at("odd", 1))
		f.baseline(f.ran("build", at("topic", 99)), nil, "none")
	},
	"of another repository, or out of sight": func(f fixture) {
		f.finish(f.start("o/other", "build", at("main", 1)), 1)
		head := f.ran("build", at("main", 2))
		f.baseline(head, commits, "none")
		f.ran("build", at("main", 3))
		last := f.ran("build", at("main", 4))
		b, err := store.FindBaseline(f.Context(), f.s, store.Repos("o/other"), last, "", commits)
		f.ok(err)
		f.equal(spell(b), "none")
	},
	"one that is named": func(f fixture) {
		f.ran("build", at("main", 1))
		f.ran("build", at("main", 4), dirty)
		f.ran("test", at("main", 4))
		f.ran("build", at("topic", 30))
		head := f.ran("build", at("topic", 31))
		for given, want := range map[string]string{
			"build:1": "given build:1", "4": "given build:4", "test": "given test:3", "build": "given build:4",
			"build:latest": "given build:4", "build:~1": "given build:4", head.Attempt: "given build:5",
			"o/n@test:3": "given test:3",
			"main":       "given build:2", "topic": "given build:4",
			hash(1): "given build:1", hash(30): "given build:4", "0000": "given build:4", "HEAD~1": "given build:2",
		} {
			b, err := store.FindBaseline(f.Context(), f.s, everything, head, given, commits)
			if err != nil || spell(b) != want {
				f.Errorf("%s: got %s, %v; want %s", given, spell(b), err, want)
			}
		}
		for given, word := range map[string]string{"mian": "mian", "build:99": "build:99", "feed": "feed", "99": "99",
			hash(2): "000", "a b": "a b"} {
			_, err := store.FindBaseline(f.Context(), f.s, everything, head, given, commits)
			f.refused(err, store.NotFound, word)
			if store.NextOf(err) == nil {
				f.Errorf("%s: no hint", given)
			}
		}
		other := f.ran("lint", at("topic", 31))
		_, err := store.FindBaseline(f.Context(), f.s, everything, other, "main", commits)
		f.refused(err, store.NotFound, `"lint"`, "main")
	},
}
