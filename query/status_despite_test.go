package query_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// A failure stays although something of the same name passed later. Status says why.
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

// A question about all repositories looks at a part of the earlier runs. The answer says so.
func TestStatusOfManyRepositoriesSaysWhatItLookedAt(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i := range 201 {
		f.Add(t, querytest.Run{Repo: []string{"o/a", "o/b"}[i%2], Source: "test", At: i + 1})
		if i != 150 {
			continue
		}
		s, err := f.Status(t.Context(), query.StatusParams{})
		if querytest.Check(t, err); s.Partial != "" {
			t.Errorf("all earlier runs were read, but the answer says %q", s.Partial)
		}
	}
	for repo, want := range map[string]bool{"": true, "o/a": false} {
		s, err := f.Status(t.Context(), query.StatusParams{At: query.At{Repo: repo}})
		if querytest.Check(t, err); strings.Contains(s.Partial, "newest 200 runs") != want {
			t.Errorf("of the repository %q: %q", repo, s.Partial)
		}
		triage, err := f.Triage(t.Context(), query.TriageParams{At: query.At{Repo: repo}})
		if querytest.Check(t, err); strings.Contains(triage.Verdict, "newest 200 runs") != want {
			t.Errorf("of the repository %q: %q", repo, triage.Verdict)
		}
	}
}
