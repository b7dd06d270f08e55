package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestAVerdictSaysNoMoreThanIsKnown(t *testing.T) {
	t.Parallel()
	on := func(branch, commit string) *store.Git { return &store.Git{Branch: branch, Commit: commit} }
	errs := querytest.BuildEvents()[:1]
	for name, tt := range map[string]struct {
		runs []querytest.Run
		want string
	}{
		"a pipe hides the exit code": {
			[]querytest.Run{{Source: "build", Events: errs}, {Source: "lint"}},
			"the newest run of every source passed, but build:1 reported errors"},
		"several do": {
			[]querytest.Run{{Source: "a", Events: errs}, {Source: "b", Events: errs}, {Source: "c", Events: errs},
				{Source: "d", Events: errs}},
			"the newest run of every source passed, but d:4, c:3, b:2 and 1 other run reported errors"},
		"an imported log has no exit code": {
			[]querytest.Run{{Source: "build", Imported: true}, {Source: "lint"}},
			"no failure is known: the newest run of every source passed or has no recognised errors, lint:2 last; " +
				"how build:1 ended is not known"},
		"another branch fails": {
			[]querytest.Run{{Source: "build", Exit: 1, Git: on("a", "c1")}, {Source: "build", Git: on("b", "c2")}},
			"the newest run of every source passed, build:2 on b last; the newest on a, build:1, is FAIL"},
		"another branch failed and passed": {
			[]querytest.Run{{Source: "build", Exit: 1, Git: on("a", "c1")}, {Source: "build", Git: on("a", "c3")},
				{Source: "build", Git: on("b", "c2")}},
			"nothing fails: the newest run of every source passed, build:3 last"},
		"another command of that name passed later": {
			[]querytest.Run{{Source: "test", Exit: 1, Events: errs, Command: "go test ./a"},
				{Source: "test", Command: "go test ./..."}},
			"test:1 failed: 1 error, nothing to compare with; test:2 passed later, but has another command or directory"},
		"a pipe without a name answers no other": {
			[]querytest.Run{{Source: "stdin", Events: errs, Imported: true}, {Source: "stdin", Imported: true}},
			"stdin:1 failed: 1 error, nothing to compare with; stdin:2 passed later, but has another command or directory"},
	} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		for i, r := range tt.runs {
			r.At, r.Log = i+1, "log\n"
			f.Add(t, r)
		}
		if got := triage(t, f, query.TriageParams{}); got.Verdict != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got.Verdict, tt.want)
		}
	}
}

func TestAVerdictOnABranchLeavesOutOthers(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: "log\n", Git: &store.Git{Branch: "a", Commit: "c1"}})
	f.Add(t, querytest.Run{Source: "build", At: 2, Log: "log\n", Git: &store.Git{Branch: "b", Commit: "c2"}})
	got := triage(t, f, query.TriageParams{At: query.At{Branch: "b"}})
	if !strings.HasPrefix(got.Verdict, "nothing fails") || len(got.Others) > 0 {
		t.Errorf("%q, others %v", got.Verdict, got.Others)
	}
}

func TestOneRunSaysHowItEnded(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]querytest.Run{
		"build:1 passed, although it reported 1 error":                         {Events: querytest.BuildEvents()[:1]},
		"build:1 has no recognised errors; how its command ended is not known": {Imported: true},
		"build:1 passed": {},
	} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		r.Source, r.Log = "build", "log\n"
		f.Add(t, r)
		if got := triage(t, f, query.TriageParams{Ref: "build"}); got.Verdict != want {
			t.Errorf("%q, want %q", got.Verdict, want)
		}
	}
}

func TestTriageOffersToRunTheSameStepAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		source, command, cwd string
		commands             []string
		want                 string
	}{
		{"make", "make -j8", "/w", nil, `exec(command="make -j8")`},
		{"build", "make -j8", "/w", nil, `exec(command="make -j8", name="build")`},
		{"api/make", "make -j8", "/w/api", nil, `exec(command="make -j8", directory="api")`},
		{"build", "make -j8", "/w", []string{"build"}, `run(command="build")`},
	} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		f.Add(t, querytest.Run{Source: tt.source, Exit: 1, Log: "log\n", Command: tt.command, Cwd: tt.cwd,
			Git: &store.Git{Branch: "a", Commit: "c1", Root: "/w"}})
		steps := triage(t, f, query.TriageParams{Commands: tt.commands}).NextSteps
		if got := fmt.Sprint(steps[len(steps)-1]); got != tt.want {
			t.Errorf("%s in %s: %s, want %s", tt.source, tt.cwd, got, tt.want)
		}
	}
}
