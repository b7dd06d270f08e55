package query_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// A failure may still count although a run of the same source passed later. Status says why.
func TestStatusSaysWhyALaterSuccessIsNoAnswer(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	ci := func(workflowRun string) *store.CI {
		return &store.CI{Provider: "github", Workflow: "CI", Job: "build", RunID: workflowRun, RunAttempt: 1}
	}
	for i, r := range []querytest.Run{
		{Source: "test", Exit: 1, Command: "make test CC=gcc"},
		{Source: "test", Command: "make test CC=clang"},
		{Source: "build", Exit: 1, CI: ci("12"), Git: on("main", "c2")},
		{Source: "build", CI: ci("11"), Git: on("main", "c1")},
		{Source: "lint", Exit: 1},
		{Source: "lint"},
	} {
		r.At, r.Log = i+1, "log\n"
		f.Add(t, r)
	}
	s, err := f.Status(t.Context(), query.StatusParams{})
	querytest.Check(t, err)
	want := map[string]string{"test": "test:2 passed later, but has another command or directory",
		"build": "build:4 passed later, but in an older workflow run, at c1", "lint": ""}
	for _, one := range s.Sources {
		if one.Despite != want[one.Name] {
			t.Errorf("%s, which is %s: %q", one.Name, one.Status, one.Despite)
		}
	}
}

// If there are very many runs and failures, a question reads only the newest ones. The answer says so, and does not
// say that nothing fails.
func TestAnAnswerSaysWhichFailuresItLookedAt(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	looked := func(repo string, want bool) {
		t.Helper()
		at := query.At{Repo: repo}
		s, err := f.Status(t.Context(), query.StatusParams{At: at})
		if querytest.Check(t, err); strings.Contains(s.Partial, "newest 200 runs") != want {
			t.Errorf("of the repository %q: %q", repo, s.Partial)
		}
		triage, err := f.Triage(t.Context(), query.TriageParams{At: at})
		if querytest.Check(t, err); strings.Contains(triage.Verdict, "newest 200 runs") != want ||
			strings.Contains(triage.Verdict, "nothing fails") == want {
			t.Errorf("of the repository %q: %q", repo, triage.Verdict)
		}
	}
	add := func(from, to, exit int) {
		for i := from; i < to; i++ {
			f.Add(t, querytest.Run{Repo: []string{"o/a", "o/b"}[i%2], Source: "test", At: i + 1, Exit: exit})
		}
	}
	add(0, 199, 1)
	add(199, 401, 0)
	looked("", false)
	add(401, 402, 1)
	add(402, 604, 0)
	looked("", true)
	looked("o/a", false)
	for i := range 301 {
		f.Add(t, querytest.Run{Repo: "o/a", Source: "test", At: 700 + i, Exit: 1 - i/300})
	}
	looked("o/a", true)
	f.Add(t, querytest.Run{Repo: "o/a", Source: "test", At: 1000 + 14*24*60})
	looked("o/a", false)
}

// A failure on a branch is named, however many runs and failures of other branches came later.
func TestAnOldFailureOfABranchIsNamed(t *testing.T) {
	t.Parallel()
	for _, reason := range []store.Reason{store.ReasonExit, store.ReasonTimeout} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		n := 0
		add := func(source, branch string, exit int, reason store.Reason) {
			n++
			f.Add(t, querytest.Run{Source: source, At: n, Exit: exit, Reason: reason, Git: &store.Git{Branch: branch}})
		}
		add("build", "topic", 1, reason)
		add("build", "main", 0, "")
		for range 30 {
			add("test", "main", 1, "")
		}
		for range 200 {
			add("test", "main", 0, "")
		}
		triage, err := f.Triage(t.Context(), query.TriageParams{})
		querytest.Check(t, err)
		if strings.Contains(triage.Verdict, "nothing fails") || !strings.Contains(triage.Verdict, "build:1") {
			t.Errorf("after %q: %s", reason, triage.Verdict)
		}
		s, err := f.Status(t.Context(), query.StatusParams{})
		querytest.Check(t, err)
		if !slices.ContainsFunc(s.Sources, func(o query.SourceStatus) bool { return o.RunID == 1 }) {
			t.Errorf("after %q: status has no build:1: %+v", reason, s.Sources)
		}
	}
}
