package query_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// failedTest returns the event of a failed test.
func failedTest(name string, line int) store.Event {
	e := store.Event{
		Severity: store.SeverityError, File: "test_a.py", Line: 10 + line, Message: "assert 1 == 2", Tool: "pytest",
		Category: store.CategoryTest, Test: name,
		LogLine: line, LogLineEnd: line,
	}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	return e
}

// past adds runs of the source test, one for each word. Each letter of a word is a failed test. "." is a run that
// passed, and "-" is a run that failed to compile. The branch follows after / (default: main), the commit after @
// (default: a new one), and the command after %. A word with * is a run with uncommitted changes.
func past(t *testing.T, word string) *querytest.Fixture {
	t.Helper()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i, run := range strings.Fields(word) {
		r := querytest.Run{Source: "test", At: i, Log: "log\n",
			Git: &store.Git{Branch: "main", Commit: fmt.Sprintf("c%06d", i), Dirty: strings.Contains(run, "*")}}
		run = strings.ReplaceAll(run, "*", "")
		run, r.Command, _ = strings.Cut(run, "%")
		if tests, commit, ok := strings.Cut(run, "@"); ok {
			run, r.Git.Commit = tests, commit
		}
		if tests, branch, ok := strings.Cut(run, "/"); ok {
			run, r.Git.Branch = tests, branch
		}
		switch run {
		case ".":
		case "-":
			r.Exit, r.Events = 1, querytest.BuildEvents()[:1]
		default:
			r.Exit = 1
			for n, name := range strings.Split(run, "") {
				r.Events = append(r.Events, failedTest("test_"+name, n+1))
			}
		}
		f.Add(t, r)
	}
	return f
}

func TestAFailureIsFlakyWhenItGoesAwayByItself(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, runs, want string }{
		{"at the same commit", "a@c1 .@c1", "test_a flaky same_commit 1/2"},
		{"also when the passing run came first", ".@c1 a@c1", "test_a flaky same_commit 1/2"},
		{"not when it came and stayed", ".@c1 a@c1 a@c1", "test_a broke 2/3"},
		{"not when something had been changed by hand", "a@c1 .@c1*", "test_a fixed 1/2"},
		{"not at other commits", "a .", "test_a fixed 1/2"},
		{"came and went twice", "a . a .", "test_a flaky came_and_went 2/4"},
		{"fixed and broken again", ". a . a", "test_a broke 2/4"},
		{"fixed and broken again, for long", "a a . . a a a", "test_a broke 5/7"},
		{"came and went thrice, and is here now", "a . a . a", "test_a flaky came_and_went 3/5"},
		{"always", "a a a", "test_a failing 3/3"},
		{"broken on a branch only", ". a/x . a/x .", "test_a fixed 2/5"},
		{"a run that did not compile tells nothing", "a - a -", "test_a failing 2/2"},
		{"nor one that stopped at another test", "a b a b", "test_a failing 2/2, test_b failing 2/2"},
		{"nor one that did not compile, under a runner that goes on", "ab - ab -", "test_a failing 2/2, test_b failing 2/2"},
		{"but one that goes on after a failure does", "ab b ab b", "test_a flaky came_and_went 2/4, test_b failing 4/4"},
		{"another command may leave tests out", "a .%pytest a .%pytest", "test_a failing 2/2"},
		{"among those that always fail", "b b ab b b ab b b b b ab b b b b b b b ab b",
			"test_a flaky came_and_went 4/20, test_b failing 20/20"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := past(t, tt.runs).Failures(context.Background(), query.FailuresParams{Ref: lastMake(tt.runs)})
			querytest.Check(t, err)
			var words []string
			for _, f := range got.Tests {
				words = append(words,
					strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %d/%d", f.Test, f.Pattern, f.Rule, f.Failed, f.Runs)), " "))
			}
			if s := strings.Join(words, ", "); s != tt.want {
				t.Errorf("%s: %s, want %s", tt.runs, s, tt.want)
			}
		})
	}
}

// lastMake returns the newest run with the default command.
func lastMake(runs string) string {
	words := strings.Fields(runs)
	for i := len(words); i > 0; i-- {
		if !strings.Contains(words[i-1], "%") {
			return fmt.Sprint(i)
		}
	}
	return ""
}

func TestFailuresOfTheLastRuns(t *testing.T) {
	t.Parallel()
	f := past(t, "ab . a . a .")
	got, err := f.Failures(context.Background(), query.FailuresParams{Test: "TEST_A", Runs: 5})
	querytest.Check(t, err)
	want := query.TestFailures{
		Test: "test_a", File: "test_a.py", Fingerprint: failedTest("test_a", 1).Fingerprint, Failed: 2,
		Runs: 5, Pattern: query.PatternFlaky, Rule: query.FlakyCameAndWent,
		In: []string{"test:5", "test:3"}, Newest: "test:5:1", Message: "assert 1 == 2",
	}
	if diff := cmp.Diff([]query.TestFailures{want}, got.Tests); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	var runs []string
	for _, r := range got.Runs {
		runs = append(runs, fmt.Sprintf("%s %s %v", r.RunRef, r.Status, r.Failed))
	}
	if diff := cmp.Diff([]string{"test:6 OK []", "test:5 FAIL [test_a]", "test:4 OK []", "test:3 FAIL [test_a]",
		"test:2 OK []"}, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func TestFailuresFindTheSourceThatHasThem(t *testing.T) {
	t.Parallel()
	f := past(t, "a a")
	f.Add(t, querytest.Run{Source: "lint", At: 50, Log: "ok\n"})
	got, err := f.Failures(context.Background(), query.FailuresParams{})
	if err != nil || got.Source != "test" || len(got.Tests) != 1 {
		t.Errorf("%+v, %v, want those of test", got, err)
	}
	if _, err = f.Failures(context.Background(), query.FailuresParams{Source: "nosuch"}); store.CodeOf(
		err) != store.NotFound {
		t.Errorf("no such source: %v", err)
	}
}

func TestFailuresOfNoneAreThoseOfTheNewestSource(t *testing.T) {
	t.Parallel()
	f := past(t, ". .")
	f.Add(t, querytest.Run{Source: "lint", At: 50, Log: "ok\n"})
	got, err := f.Failures(t.Context(), query.FailuresParams{})
	if err != nil || got.Source != "lint" || len(got.Tests) != 0 || len(got.Runs) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A failure that is not a test may be missing because the run ended before it.
func TestOtherFailuresAreFlakyOnlyIfTheRunPassed(t *testing.T) {
	t.Parallel()
	for exit, want := range map[int]bool{0: true, 1: false} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		crash := querytest.Event(store.SeverityError, "", 0, 0, "segmentation fault", 3, 3)
		crash.Category = store.CategoryRuntime
		crash.Fingerprint, crash.Pattern = store.Fingerprint(crash), store.Pattern(crash)
		tests := []store.Event{failedTest("test_a", 1), failedTest("test_b", 2)}
		for at, events := range [][]store.Event{append(slices.Clone(tests), crash), tests[:2*exit], {crash}} {
			r := querytest.Run{Source: "test", At: at, Exit: 1, Log: querytest.Lines("x", 3), Events: slices.Clone(events),
				Git: &store.Git{Branch: "main", Commit: "c1"}}
			if len(events) == 0 {
				r.Exit = 0
			}
			f.Add(t, r)
		}
		got := triage(t, f, query.TriageParams{})
		flaky := len(got.Known) == 1 && got.Known[0].Flaky != nil
		if flaky != want {
			t.Errorf("after a run with exit code %d: new %+v, known %+v", exit, got.New, got.Known)
		}
	}
}

func TestRunsOfAForkCountForItsPullRequestAlone(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i, pr := range []int{7, 8, 7} {
		r := querytest.Run{Source: "test", At: i, Log: "log\n", Git: &store.Git{Branch: "topic", Commit: "c1"},
			CI: &store.CI{PR: pr, Fork: true}}
		if i != 1 {
			r.Exit, r.Events = 1, []store.Event{failedTest("test_a", 1)}
		}
		f.Add(t, r)
	}
	got, err := f.Failures(t.Context(), query.FailuresParams{Ref: "3"})
	if err != nil || len(got.Tests) != 1 || got.Tests[0].Failed != 2 || got.Tests[0].Runs != 2 {
		t.Errorf("%+v, %v", got.Tests, err)
	}
}
