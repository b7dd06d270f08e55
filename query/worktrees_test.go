package query_test

import (
	"cmp"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// answersAre checks whether the answers about all runs say that a source fails.
func answersAre(t *testing.T, f *querytest.Fixture, source string, fails bool) {
	t.Helper()
	s, err := f.Status(t.Context(), query.StatusParams{})
	querytest.Check(t, err)
	found := false
	for _, one := range s.Sources {
		if one.Name != source {
			continue
		}
		if found = true; (one.Status != store.StatusOK) != fails {
			t.Errorf("status: %s is %s (%s)", source, one.Status, one.Despite)
		}
	}
	if !found {
		t.Errorf("status: no %s in %+v", source, s.Sources)
	}
	triage, err := f.Triage(t.Context(), query.TriageParams{})
	querytest.Check(t, err)
	if (triage.Status != store.StatusOK) != fails {
		t.Errorf("triage: %s", triage.Verdict)
	}
	c, err := f.Check(t.Context(), query.CheckParams{})
	querytest.Check(t, err)
	if c.Passed == fails {
		t.Errorf("check: %+v", c.Runs)
	}
}

// A container has another name each time it starts, and a laptop in another network. The work tree is the same.
func TestAWorkTreeHasNoMachine(t *testing.T) {
	t.Parallel()
	root := querytest.Repository(t)
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, root), Tree: root}
	dirty := &store.Git{Commit: "abc1234", Branch: "main", Root: root, Dirty: true}
	f.Add(t, querytest.Run{Source: "test", At: 1, Exit: 1, Log: "log\n", Git: dirty, Hostname: "0f3c5a1b2d4e"})
	answersAre(t, f, "test", true)
	f.Add(t, querytest.Run{Source: "test", At: 2, Log: "log\n", Git: dirty, Hostname: "9a8b7c6d5e4f"})
	answersAre(t, f, "test", false)
}

// Two people push runs of their work trees to a service. A success with uncommitted changes in one work tree does not
// answer a failure at the same commit in the other.
func TestAServiceTellsWorkTreesApart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failed, passed store.Git
		machine        string // of the run that passed; "" for another one
		fails          bool
	}{
		"changes of the other":     {at("c1", "/home/a/p", false), at("c1", "/home/b/p", true), "", true},
		"changes of the failure":   {at("c1", "/home/a/p", true), at("c1", "/home/b/p", false), "", true},
		"the files of the commit":  {at("c1", "/home/a/p", false), at("c1", "/home/b/p", false), "", false},
		"another commit":           {at("c1", "/home/a/p", true), at("c2", "/home/b/p", false), "", false},
		"the same work tree":       {at("c1", "/home/a/p", false), at("c1", "/home/a/p", true), "a", false},
		"the same path elsewhere":  {at("c1", "/home/a/p", false), at("c1", "/home/a/p", true), "", true},
		"the same tree, no commit": {at("", "/home/a/p", false), at("", "/home/b/p", false), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
			f.Add(t, querytest.Run{Source: "test", At: 1, Exit: 1, Log: "log\n", Git: &test.failed, Hostname: "a"})
			f.Add(t, querytest.Run{Source: "test", At: 2, Log: "log\n", Git: &test.passed,
				Hostname: cmp.Or(test.machine, "b")})
			answersAre(t, f, "test", test.fails)
			f.Add(t, querytest.Run{Source: "test", At: 3, Log: "log\n", Git: &test.failed, Hostname: "a"})
			answersAre(t, f, "test", false)
		})
	}
}

func at(commit, root string, dirty bool) store.Git {
	return store.Git{Commit: commit, Branch: "main", Root: root, Dirty: dirty}
}
