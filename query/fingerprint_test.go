package query_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func foo(line int) []store.Event {
	return []store.Event{querytest.Event("error", "src/main.c", line, 13, "'foo' undeclared", 3, 5)}
}

// turnOf names the runs of a turn.
func turnOf(t *query.Turn) string {
	if t == nil {
		return "unknown"
	}
	return t.Before.RunRef + " → " + t.After.RunRef
}

// The past of an error is separate for each branch. A run of one branch proves nothing about another branch.
func TestPastOfAFingerprint(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Tree: t.TempDir()}
	f.Asker = querytest.NewAsker(t, f.Tree)
	serial := 0
	add := func(branch, commit string, exit int, events []store.Event, change ...func(*querytest.Run)) {
		serial++
		r := querytest.Run{Source: "build", At: serial, Exit: exit, Log: querytest.BuildLog, Events: events,
			Git: &store.Git{Branch: branch, Commit: commit}}
		for _, c := range change {
			c(&r)
		}
		f.Add(t, r)
	}
	other := []store.Event{querytest.Event("error", "src/util.c", 9, 1, "'bar' undeclared", 6, 6)}
	add("main", "a1", 0, nil)     // 1
	add("topic", "b1", 0, nil)    // 2
	add("main", "a2", 1, foo(3))  // 3
	add("topic", "b2", 0, nil)    // 4: proves nothing about main
	add("main", "a3", 1, foo(8))  // 5: the code has moved
	add("main", "a4", 1, other)   // 6: the compiler may have stopped before the error
	add("topic", "b3", 1, foo(3)) // 7
	add("main", "a5", 0, nil)     // 8
	add("topic", "b4", 1, append(foo(3), foo(4)...))
	add("main", "a5", 1, foo(1), func(r *querytest.Run) { r.Source = "lint" }) // 10

	print := foo(1)[0].Fingerprint
	past, err := f.Past(t.Context(), query.PastParams{Fingerprint: print})
	querytest.Check(t, err)
	if past.Occurrences != 6 || past.Runs != 5 || past.First.RunRef != "build:3" || past.Last.RunRef != "lint:10" {
		t.Errorf("%d times in %d runs, from %s to %s", past.Occurrences, past.Runs, past.First.RunRef, past.Last.RunRef)
	}
	if diff := cmp.Diff([]query.Share{{Name: "main", Runs: 3}, {Name: "topic", Runs: 2}}, past.Branches); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]query.Share{{Name: "build", Runs: 4}, {Name: "lint", Runs: 1}}, past.Sources); diff != "" {
		t.Error(diff)
	}
	var samples, courses []string
	for _, e := range past.Samples {
		samples = append(samples, e.Ref)
	}
	for _, c := range past.Courses {
		courses = append(courses, c.Source+" on "+c.Branch+": came "+turnOf(c.Came)+", went "+turnOf(c.Went))
	}
	if got := strings.Join(samples, " "); got != "lint:10:1 build:9:1 build:7:1 build:5:1 build:3:1" {
		t.Errorf("samples: %s", got)
	}
	want := []string{"lint on main: came unknown, went unknown", "build on topic: came build:4 → build:7, went unknown",
		"build on main: came build:1 → build:3, went build:5 → build:8"}
	if diff := cmp.Diff(want, courses); diff != "" {
		t.Error(diff)
	}
	if past.Identity.Message != "'foo' undeclared" || past.Identity.File != "src/main.c" {
		t.Errorf("they have in common %+v", past.Identity)
	}
	short, err := f.Past(t.Context(), query.PastParams{Fingerprint: print[len(print)-16:]})
	querytest.Check(t, err)
	if diff := cmp.Diff(past, short); diff != "" {
		t.Errorf("by its number alone: %s", diff)
	}
	for ref, want := range map[string]string{
		print:       "lint:10:1: came unknown, went unknown",
		"build:9:1": "build:9:1: came build:4 → build:7, went unknown",
		"build:5:1": "build:5:1: came build:1 → build:3, went build:5 → build:8",
	} {
		in, err := f.Inspect(t.Context(), query.InspectParams{Ref: ref, Fingerprint: true})
		querytest.Check(t, err)
		h := in.History
		got := in.Ref + ": came " + turnedAt(h.Came) + ", went " + turnedAt(h.Went)
		if got != want || h.Runs != 5 || h.Newest != "lint:10" {
			t.Errorf("%s: %s, in %d runs, the newest %s, not %s", ref, got, h.Runs, h.Newest, want)
		}
		if diff := cmp.Diff(past.Branches, h.Branches) + cmp.Diff(past.Sources, h.Sources); diff != "" {
			t.Errorf("%s: %s", ref, diff)
		}
	}
	in, err := f.Inspect(t.Context(), query.InspectParams{Ref: "build:5:1", Fingerprint: true})
	querytest.Check(t, err)
	if c := in.History.Came; c.Commit != "a2" || c.BeforeCommit != "a1" {
		t.Errorf("it came with %+v", c)
	}
}

// turnedAt names the runs of a turn.
func turnedAt(t *query.TurnedAt) string {
	if t == nil {
		return "unknown"
	}
	return t.BeforeRef + " → " + t.RunRef
}

// Past finds where an error came even if many runs have had the error since.
func TestAnErrorThatCameLongAgo(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Tree: t.TempDir()}
	f.Asker = querytest.NewAsker(t, f.Tree)
	for i := 1; i <= 45; i++ {
		r := querytest.Run{Source: "build", At: i, Log: "x\n", Git: &store.Git{Branch: "main", Commit: "c"}}
		if i > 3 {
			r.Exit, r.Events = 1, foo(i)
		}
		f.Add(t, r)
	}
	past, err := f.Past(t.Context(), query.PastParams{Fingerprint: foo(1)[0].Fingerprint})
	querytest.Check(t, err)
	if got := turnOf(past.Courses[0].Came); got != "build:3 → build:4" || len(past.Courses[0].Strip) != 30 {
		t.Errorf("it came %s; %d runs", got, len(past.Courses[0].Strip))
	}
	in, err := f.Inspect(t.Context(), query.InspectParams{Ref: "build:45:1", Fingerprint: true})
	querytest.Check(t, err)
	if got := turnedAt(in.History.Came); got != "build:3 → build:4" {
		t.Errorf("as an answer it came %s", got)
	}
}

func TestUnknownFingerprints(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for print, want := range map[string]store.Code{"": store.Invalid, "nonsense": store.Invalid,
		"gcc_compile_12":               store.Invalid,
		"gcc_compile_0123456789abcdef": store.NotFound, "0123456789abcdef": store.NotFound} {
		if _, err := f.Past(t.Context(), query.PastParams{Fingerprint: print}); store.CodeOf(err) != want {
			t.Errorf("%q: %v", print, err)
		}
	}
	_, err := f.Past(t.Context(), query.PastParams{Fingerprint: foo(1)[0].Fingerprint, Repo: "acme/shop"})
	if store.CodeOf(err) != store.NotFound {
		t.Errorf("in another repository: %v", err)
	}
}

// A run with other failed tests proves that a test did not fail, if the test runner continues after a failure.
func TestStripsOfTests(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Tree: t.TempDir()}
	f.Asker = querytest.NewAsker(t, f.Tree)
	failing := func(names ...string) (list []store.Event) {
		for _, n := range names {
			e := store.Event{Severity: "error", Tool: "pytest", Category: store.CategoryTest, Test: n, File: "t.py",
				Message: "assert"}
			e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
			list = append(list, e)
		}
		return list
	}
	f.Add(t, querytest.Run{Source: "test", At: 1, Exit: 1, Log: "x\n", Events: failing("a", "b")})
	f.Add(t, querytest.Run{Source: "test", At: 2, Exit: 1, Log: "x\n", Events: failing("b")})
	f.Add(t, querytest.Run{Source: "test", At: 3, Exit: 1, Log: "x\n", Events: failing("a", "b")})
	print := failing("a")[0].Fingerprint
	strips, err := f.Strips(t.Context(), "test:3", 30, []string{print})
	querytest.Check(t, err)
	if s := strips[print]; len(s) != 3 || !s[0].Has || s[1].Has || s[1].Silent || !s[2].Has {
		t.Errorf("%+v", s)
	}
}
