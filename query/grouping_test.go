package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// differing returns errors that do not look alike.
func differing(n int) []store.Event {
	var list []store.Event
	for i := range n {
		word := strings.Repeat(string(rune('a'+i)), 5)
		list = append(list, querytest.Event(store.SeverityError, word+".c", 1, 1, word+" is wrong", i+1, i+1))
	}
	return list
}

func TestGroupsThatAreNotShownAreCounted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		errors, shown int
		left          string
	}{{11, 11, ""}, {12, 12, ""}, {13, 12, "1 error of errors"}, {15, 12, "3 errors of errors"}} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: querytest.Lines("x", tt.errors),
			Events: differing(tt.errors)})
		got := triage(t, f, query.TriageParams{})
		left := ""
		for _, o := range got.Truncated {
			left += o.What
		}
		if len(got.Errors) != tt.shown || left != tt.left {
			t.Errorf("%d errors: %d groups, left out: %q", tt.errors, len(got.Errors), left)
		}
	}
}

func TestOneOtherRunTooManyIsCounted(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i, want := range []string{"[]", "[1 other run not OK: status()]", "[2 other runs not OK: status()]"} {
		for n := len(triageOthers(t, f)); n < 9+i; n++ {
			f.Add(t, querytest.Run{Source: fmt.Sprintf("step%d", n), At: n, Exit: 1, Log: "log\n"})
		}
		if got := triage(t, f, query.TriageParams{}); fmt.Sprint(got.Truncated) != want {
			t.Errorf("%d runs: %v, want %s", 9+i, got.Truncated, want)
		}
	}
}

func triageOthers(t *testing.T, f *querytest.Fixture) []query.SourceStatus {
	t.Helper()
	s, err := f.Status(t.Context(), query.StatusParams{})
	querytest.Check(t, err)
	return s.Sources
}

func TestALargeGroupNamesAFewOfItsErrors(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	var events []store.Event
	for i := range 9 {
		events = append(events, querytest.Event(store.SeverityError, fmt.Sprintf("f%d.c", i%3), i+1, 1, "expected ';'",
			i+1, i+1))
	}
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: querytest.Lines("x", 9), Events: events})
	g := triage(t, f, query.TriageParams{}).Errors[0]
	want := []string{"1:2 f1.c:2", "1:3 f2.c:3", "1:4 f0.c:4", "1:5 f1.c:5", "1:6 f2.c:6", "1:7 f0.c:7"}
	if diff := cmp.Diff(want, g.Also); diff != "" || g.Count != 9 || g.Files != 3 {
		t.Errorf("%d errors in %d files, others:\n%s", g.Count, g.Files, diff)
	}
	f.Add(t, querytest.Run{Source: "lint", At: 2, Exit: 1, Log: "x\n", Events: events[:1]})
	if g := triage(t, f, query.TriageParams{Ref: "lint"}).Errors[0]; g.Files != 0 || g.Also != nil {
		t.Errorf("one error: %+v", g)
	}
}

func TestLongTextIsCutInGroups(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	long := strings.Repeat("ä", 500)
	e := store.Event{Severity: store.SeverityError, File: long, Line: 5, Message: long, Code: long, Test: long, Tool: "t",
		Category: store.CategoryTest, LogLine: 1, LogLineEnd: 1}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	f.Add(t, querytest.Run{Source: "test", At: 1, Exit: 1, Log: "x\n", Events: []store.Event{e}, Command: long})
	got := triage(t, f, query.TriageParams{})
	s := got.Errors[0].Sample
	cut := func(n int) string { return strings.Repeat("ä", n) + "…" }
	if diff := cmp.Diff([]string{cut(200) + ":5", cut(400), cut(80), cut(200), cut(300)},
		[]string{s.Location, s.Message, s.Code, s.Test, got.Cmd}); diff != "" {
		t.Error(diff)
	}
}

func TestRunsOfOtherRepositoriesDoNotMix(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	at := 0
	add := func(repo, source, commit string, exit int) {
		at++
		f.Add(t, querytest.Run{Repo: repo, Source: source, At: at, Exit: exit, Log: "x\n", Command: "make " + source,
			Git: &store.Git{Branch: "main", Commit: commit}})
	}
	for _, repo := range []string{"o/a", "o/b"} {
		add(repo, "build", "c1", 0)
		add(repo, "old", "c1", 1)
		add(repo, "lint", "c1", 0)
	}
	add("o/b", "build", "c2", 0) // without old, which is left out in this repository
	add("o/b", "lint", "c2", 0)
	got := triage(t, f, query.TriageParams{})
	if got.RunRef != "o/a@old:2" || len(got.Others) != 1 || got.Others[0].RunRef != "o/b@old:2" ||
		got.Others[0].LeftOut == "" {
		t.Errorf("%s, others %+v", got.RunRef, got.Others)
	}
	for _, tt := range []struct {
		at        query.At
		ref, want string
	}{
		{query.At{Repo: "o/a"}, "build", "o/a@build:1"}, {query.At{Repo: "o/b"}, "build", "o/b@build:4"},
		{query.At{Repo: "o/b"}, "build:1", "o/b@build:1"}, {query.At{Repo: "o/b"}, "o/a@build:1", ""},
		{query.At{Repo: "o/b"}, "o/a@build", ""}, {query.At{Repo: "o/a"}, "", "o/a@lint:3"},
		{query.At{Repo: "o/a", Branch: "main"}, "build", "o/a@build:1"},
		{query.At{Branch: "main"}, "o/a@build", "o/a@build:1"},
	} {
		r, err := f.RunAt(t.Context(), tt.at, tt.ref)
		if err == nil && r.Ref().String() != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s at %+v: %s, %v", tt.ref, tt.at, r.Ref(), err)
		}
	}
	for repo, want := range map[string]int{"o/a": 3, "o/b": 3, "": 6} {
		s, err := f.Status(t.Context(), query.StatusParams{At: query.At{Repo: repo}})
		if err != nil || len(s.Sources) != want {
			t.Errorf("%q: %d sources, %v", repo, len(s.Sources), err)
		}
	}
}
