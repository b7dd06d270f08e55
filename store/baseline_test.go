package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

// fixed implements Ancestry with fixed answers.
type fixed struct {
	branch       string
	branchErr    error
	commits      map[string][]string // by commit
	ancestorsErr error
}

func (a *fixed) DefaultBranch(context.Context, string) (string, error) {
	return a.branch, a.branchErr
}

func (a *fixed) Ancestors(_ context.Context, _, commit, _ string, n int) ([]string, error) {
	if a.ancestorsErr != nil {
		return nil, a.ancestorsErr
	}
	list := a.commits[commit]
	return list[:min(n, len(list))], nil
}

// recorded returns a store with completed runs of o/n, numbered from 1.
func recorded(t *testing.T, runs ...store.Run) *memory {
	t.Helper()
	m := &memory{}
	for i, r := range runs {
		r.Attempt, r.Repo = fmt.Sprintf("01999999-0000-7000-8000-%012x", i+1), "o/n"
		if r.Source == "" {
			r.Source = "build"
		}
		if _, err := m.StartRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		code := 0
		if _, err := m.FinishRun(t.Context(), r.Attempt, store.Finish{Ending: store.Ending{ExitCode: &code}}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func on(branch, commit string) store.Run {
	return store.Run{Git: store.Git{Branch: branch, Commit: commit}}
}

func TestWhereTheBaseBranchComesFrom(t *testing.T) {
	unknown := store.Errorf(store.NotFound, "unknown")
	for name, tt := range map[string]struct {
		ancestry *fixed
		head     store.Run
		want     string // name of the branch
	}{
		"the forge says":             {&fixed{branch: "trunk"}, on("topic", "c1"), "trunk"},
		"the forge says nothing":     {&fixed{}, on("topic", "c1"), "main"},
		"the forge does not know":    {&fixed{branch: "x", branchErr: unknown}, on("topic", "c1"), "main"},
		"a branch of the usual name": {&fixed{}, on("master", "c1"), "master"},
		"the pull request says": {&fixed{branch: "trunk"},
			store.Run{Git: store.Git{Branch: "topic"}, CI: &store.CI{BaseRef: "next"}}, "next"},
		"a commit alone has a branch":   {&fixed{branch: "trunk"}, on("", "c1"), "trunk"},
		"a branch alone has one":        {&fixed{branch: "trunk"}, on("topic", ""), "trunk"},
		"a pull request without commit": {&fixed{branch: "trunk"}, store.Run{CI: &store.CI{PR: 1}}, "trunk"},
		"a fork without commit":         {&fixed{branch: "trunk"}, store.Run{CI: &store.CI{Fork: true}}, "trunk"},
		"neither branch nor commit":     {&fixed{branch: "trunk"}, store.Run{CI: &store.CI{}}, ""},
	} {
		m := recorded(t, on("main", "c0"), tt.head)
		b, err := store.FindBaseline(t.Context(), m, store.Everything(), m.runs[1], "", tt.ancestry)
		if err != nil || b.Branch != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, b.Branch, err, tt.want)
		}
	}
}

func TestAHistoryThatCannotBeReadIsAnError(t *testing.T) {
	broken := errors.New("broken")
	m := recorded(t, on("main", "c0"), on("topic", "c1"))
	for name, a := range map[string]*fixed{"branch": {branchErr: broken},
		"ancestors": {branch: "main", ancestorsErr: broken}} {
		if _, err := store.FindBaseline(t.Context(), m, store.Everything(), m.runs[1], "", a); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWithoutABaselineTheReasonSaysWhatWasLookedFor(t *testing.T) {
	leg := store.Run{Git: store.Git{Branch: "topic", Commit: "c1"}, CI: &store.CI{Matrix: `{"os":"mac"}`}}
	for _, tt := range []struct {
		ancestry store.Ancestry
		head     store.Run
		want     string
	}{
		{&fixed{branch: "main"}, on("main", "c1"), `no completed run of "build" on main before o/n@build:1`},
		{&fixed{branch: "main"}, leg, `no completed run of "build" in the same matrix leg on main before o/n@build:1`},
		{&fixed{branch: "main", commits: map[string][]string{"c1": {"0123456789abc"}}}, on("topic", "c1"),
			`no completed run of "build" on main at or before the merge base, 012345678`},
		{nil, on("topic", "c1"), "nothing says which branch o/n@build:1 belongs to, or is to be merged into"},
		{nil, store.Run{}, `no completed run of "build" before o/n@build:1`},
	} {
		m := recorded(t, tt.head)
		b, err := store.FindBaseline(t.Context(), m, store.Everything(), m.runs[0], "", tt.ancestry)
		if err != nil || b.Found() || b.Reason != tt.want {
			t.Errorf("%+v: %q, %v; want %q", tt.head.Git, b.Reason, err, tt.want)
		}
	}
}

// failing is a store that fails at the nth question and after it.
type failing struct {
	*memory
	n int
}

var errDown = errors.New("down")

func (f *failing) Runs(ctx context.Context, sc store.Scope, filter store.RunFilter) ([]store.Run, error) {
	if f.n--; f.n <= 0 {
		return nil, errDown
	}
	return f.memory.Runs(ctx, sc, filter)
}

func (f *failing) Run(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, error) {
	if f.n--; f.n <= 0 {
		return store.Run{}, errDown
	}
	return f.memory.Run(ctx, sc, ref)
}

func TestAStoreThatFailsIsAnErrorAtEachQuestion(t *testing.T) {
	topic := &fixed{branch: "main", commits: map[string][]string{"cccc1": {"cccc0", "cccc9"}}}
	ci := store.Run{Git: store.Git{Branch: "topic", Commit: "cccc1"}, CI: &store.CI{BaseRef: "main", BaseSHA: "cccc9"}}
	for name, tt := range map[string]struct {
		ancestry store.Ancestry
		head     store.Run
		given    string
	}{
		"on the default branch":  {&fixed{branch: "main"}, on("main", "cccc1"), ""},
		"on another branch":      {topic, on("topic", "cccc1"), ""},
		"without history":        {nil, ci, ""},
		"nobody knows the base":  {nil, on("topic", "cccc1"), ""},
		"a reference":            {nil, on("topic", "cccc1"), "build:9"},
		"a serial or a commit":   {nil, on("topic", "cccc1"), "1234"},
		"a branch or a commit":   {topic, on("topic", "cccc1"), "cccc"},
		"the name of a source":   {topic, on("topic", "cccc1"), "lint"},
		"newest but for oneself": {topic, on("topic", "cccc1"), "latest"},
	} {
		questions := 0
		for n := 1; ; n++ {
			m := &failing{recorded(t, on("old", "cccc8"), tt.head), n}
			_, err := store.FindBaseline(t.Context(), m, store.Everything(), m.runs[1], tt.given, tt.ancestry)
			if m.n > 0 { // all calls have been answered
				break
			}
			questions++
			if !errors.Is(err, errDown) {
				t.Errorf("%s: question %d failed: %v", name, n, err)
			}
		}
		if questions == 0 {
			t.Errorf("%s: nothing was asked", name)
		}
	}
}

func TestANameIsReadInOneOrder(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	runs := []store.Run{
		on("main", "aaaa1111"), on("1", "bbbb1111"), on("deadbeef", "cccc1111"), on("topic", "deadbeef"), on("test", "5555"),
		{Source: "test", Git: store.Git{Branch: "main", Commit: "eeee"}},
		on("main", hash), {Git: store.Git{Branch: "main", Commit: "77770000", Dirty: true}}, on("topic", "ffff1111"),
		on("topic", "ffff2222"),
	}
	m := recorded(t, runs...)
	head := m.runs[len(runs)-1]
	named := &fixed{commits: map[string][]string{"v1": {"bbbb1111"}, "odd": nil}}
	for given, want := range map[string]string{
		"1":               "build:1", // a serial comes before a branch
		"deadbeef":        "build:3", // a branch comes before a commit
		"test":            "build:5", // a branch comes before a source
		"5555":            "build:5", // there is no such serial, so it is a commit
		"deadbee":         "build:4",
		hash:              "build:7",
		"v1":              "build:2", // a name that git knows
		"7777":            "build:8", // a run with uncommitted changes, because there is no other
		"topic":           "build:9", // the run before, on the head's own branch
		"latest":          "build:9",
		" latest ":        "build:9",
		"~2":              "build:8",
		"build:1":         "build:1",
		head.Attempt:      "build:10",
		"o/n@build:1":     "build:1",
		m.runs[2].Attempt: "build:3",
	} {
		b, err := store.FindBaseline(t.Context(), m, store.Everything(), head, given, named)
		if err != nil || b.Kind != store.BaselineGiven || b.Run.Ref().String() != "o/n@"+want {
			t.Errorf("%s: %s, %v; want %s", given, b.Run.Ref(), err, want)
		}
	}
	for given, says := range map[string]string{
		"abc":      `no run, branch or commit "abc" to compare o/n@build:10 with`,
		"odd":      `no run, branch or commit "odd" to compare o/n@build:10 with`,
		hash + "a": `no run, branch or commit "` + hash + `a" to compare o/n@build:10 with`,
		"eeee":     `no completed run of "build" at eeee to compare o/n@build:10 with`,
		"build:99": "no run o/n@build:99",
		"x/y@1":    "no run x/y@1",
		"a b":      `no run, branch or commit "a b" to compare o/n@build:10 with`,
	} {
		_, err := store.FindBaseline(t.Context(), m, store.Everything(), head, given, named)
		if message(err) != says || store.CodeOf(err) != store.NotFound || store.NextOf(err) == nil {
			t.Errorf("%s: %v (%s), want %s", given, err, store.NextOf(err), says)
		}
	}
}

func TestANamedBranchOfTheHeadMeansARunBeforeIt(t *testing.T) {
	m := recorded(t, on("topic", "aaaa"), on("topic", "bbbb"), on("topic", "cccc"), on("other", "dddd"))
	for given, want := range map[string]string{"topic": "o/n@build:1", "other": "o/n@build:4"} {
		b, err := store.FindBaseline(t.Context(), m, store.Everything(), m.runs[1], given, nil)
		if err != nil || b.Run.Ref().String() != want {
			t.Errorf("%s: %s, %v; want %s", given, b.Run.Ref(), err, want)
		}
	}
}

func TestLegsAttemptsAndOtherWorkflowsAreNoPast(t *testing.T) {
	in := func(workflow, id string, attempt int, commit string) store.Run {
		r := on("main", commit)
		r.CI = &store.CI{Provider: "github", Workflow: workflow, Job: "build", RunID: id, RunAttempt: attempt}
		return r
	}
	for name, tt := range map[string]struct {
		runs []store.Run // the last run is the head
		want int         // serial of the baseline, 0 for none
	}{
		"the run before":  {[]store.Run{in("CI", "1", 1, "c1"), in("CI", "2", 1, "c2")}, 1},
		"another leg":     {[]store.Run{in("CI", "1", 1, "c1"), in("CI", "1", 1, "c1")}, 0},
		"another attempt": {[]store.Run{in("CI", "1", 1, "c1"), in("CI", "1", 2, "c1")}, 0},
		"another attempt, and a past": {
			[]store.Run{in("CI", "1", 1, "c1"), in("CI", "2", 1, "c2"), in("CI", "2", 2, "c2")}, 1},
		"another workflow": {[]store.Run{in("A", "1", 1, "c1"), in("B", "2", 1, "c1")}, 0},
		"another workflow, and a past": {
			[]store.Run{in("B", "1", 1, "c1"), in("A", "2", 1, "c2"), in("B", "3", 1, "c2")}, 1},
		"a run of another machine":      {[]store.Run{on("main", "c1"), in("B", "2", 1, "c2")}, 1},
		"an unknown run of the service": {[]store.Run{in("B", "", 0, "c1"), in("B", "", 0, "c2")}, 1},
	} {
		m := recorded(t, tt.runs...)
		b, err := store.FindBaseline(t.Context(), m, store.Everything(), m.runs[len(m.runs)-1], "", &fixed{branch: "main"})
		if err != nil || b.Run.Serial != tt.want {
			t.Errorf("%s: %s, %v; want run %d", name, b.Run.Ref(), err, tt.want)
		}
	}
}
