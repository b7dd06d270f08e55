package query_test

import (
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// steps adds runs of sources at a commit on main. A source in upper case fails.
func steps(t *testing.T, f *querytest.Fixture, at int, commit string, sources ...string) {
	t.Helper()
	for i, s := range sources {
		r := querytest.Run{Source: strings.ToLower(s), Command: "make " + strings.ToLower(s), At: at + i,
			Git: &store.Git{Commit: commit, Branch: "main"}}
		if s != r.Source {
			r.Exit = 1
		}
		f.Add(t, r)
	}
}

func TestAStepThatIsNotRunAnyMoreDoesNotCount(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	steps(t, f, 0, "c1", "build", "OLD", "test")
	steps(t, f, 10, "c2", "build", "test")
	got := triage(t, f, query.TriageParams{})
	want := "nothing fails: the newest run of every source passed, test:5 last; old:2, which is FAIL, is left out: " +
		"it happened at c1, and at c2 all other steps were run without it"
	if got.Status != store.StatusOK || got.Verdict != want || len(got.Others) != 1 || got.Others[0].RunRef != "old:2" ||
		got.Others[0].LeftOut == "" {
		t.Errorf("%s: %s, others %+v", got.Status, got.Verdict, got.Others)
	}
	for _, c := range got.NextSteps {
		if c.Tool == "triage" {
			t.Errorf("offered: %s", c)
		}
	}
	// Another step also fails, and counts.
	steps(t, f, 20, "c2", "LINT", "docs")
	got = triage(t, f, query.TriageParams{})
	if got.RunRef != "lint:6" || len(got.Others) != 1 || got.Others[0].RunRef != "old:2" {
		t.Errorf("%s, others %+v", got.RunRef, got.Others)
	}
	// If all runs are left out, they count again.
	only := triage(t, f, query.TriageParams{Source: "old"})
	if only.RunRef != "old:2" || only.Status != store.StatusFail || len(only.Others) != 0 {
		t.Errorf("%s %s, others %+v", only.RunRef, only.Status, only.Others)
	}
}

func TestAStepThatMayStillBeRunCounts(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	steps(t, f, 0, "c1", "build", "test", "OLD")
	for at, source := range []string{"build", "test"} { // the last step may follow
		steps(t, f, 10+at, "c2", source)
		got := triage(t, f, query.TriageParams{})
		if got.RunRef != "old:3" || got.Status != store.StatusFail || len(got.Others) != 0 {
			t.Errorf("%s %s, others %+v", got.RunRef, got.Status, got.Others)
		}
		check, err := f.Check(t.Context(), query.CheckParams{})
		if querytest.Check(t, err); check.Passed {
			t.Errorf("passed after %s: %+v", source, check.Runs)
		}
	}
}

// If a report has lines with marks of the test runner, triage marks these lines. It does not mark lines of source code
// with words of failure.
func TestMarksOfTheTestRunnerStandOut(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	log := "____ test_total ____\n\n    def test_total():\n        try:\n" +
		"            raise ValueError(\"error: it failed\")\n        except ValueError:\n            pass\n" +
		"        a = 1\n        b = 2\n        c = 3\n" +
		">       assert total() == 3\nE       assert 2 == 3\n\nsrc/test_cart.py:11: AssertionError\n"
	e := store.Event{Severity: store.SeverityError, File: "src/test_cart.py", Line: 11, Message: "assert 2 == 3",
		Tool: "pytest", Category: store.CategoryTest, Test: "test_total", LogLine: 1, LogLineEnd: 14}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	f.Add(t, querytest.Run{Source: "test", At: 1, Exit: 1, Log: log, Events: []store.Event{e}})
	got := triage(t, f, query.TriageParams{})
	if len(got.Errors) != 1 {
		t.Fatalf("%+v", got)
	}
	var marked []string
	for line := range strings.Lines(got.Errors[0].Sample.Log) {
		if mark, text, _ := strings.Cut(line, " | "); strings.HasPrefix(mark, ">>>") {
			marked = append(marked, strings.TrimSpace(text))
		}
	}
	if s := strings.Join(marked, "; "); !strings.Contains(s, "E       assert 2 == 3") || strings.Contains(s, "raise") {
		t.Errorf("marked: %s\n%s", s, got.Errors[0].Sample.Log)
	}
}

func TestShortDurationsAreLeftOut(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i, tt := range []struct {
		took time.Duration
		want float64
	}{{5 * time.Second, 0}, {6 * time.Second, 6}} {
		r := f.Add(t, querytest.Run{Source: "build", At: i, Took: tt.took})
		if got, err := f.Result(t.Context(), r.Attempt, 0); err != nil || got.Seconds != tt.want {
			t.Errorf("%v: %v seconds, %v", tt.took, got.Seconds, err)
		}
	}
}

func TestTablesHaveNoControlCharacters(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Events: []store.Event{
		querytest.Event(store.SeverityError, "a.c", 1, 1, "it is \x1b[31mred\u202e", 1, 1)}})
	for _, p := range []query.QueryParams{{SQL: "SELECT message FROM blq_load_events()"}, {Filter: "severity=error"}} {
		got, err := f.Query(t.Context(), p)
		if err != nil || len(got.Rows) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		for _, v := range got.Rows[0] {
			if s, ok := v.(string); ok && strings.ContainsAny(s, "\x1b\u202e") {
				t.Errorf("%+v: %q", p, s)
			}
		}
	}
}

// A source has a retired step and a step that passes. Each answer without a failure names the run of the retired step.
func TestEveryAnswerNamesRunsOfRetiredSteps(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	steps(t, f, 1, "c1", "build")
	f.Add(t, querytest.Run{Source: "test", Command: "make test a", At: 2, Exit: 1,
		Git: &store.Git{Commit: "c1", Branch: "main"}})
	steps(t, f, 3, "c1", "test")
	steps(t, f, 10, "c2", "build", "test")
	want := query.OtherRun{RunRef: "test:2", Status: store.StatusFail,
		LeftOut: "it happened at c1, and at c2 all other steps were run without it"}
	check, err := f.Check(t.Context(), query.CheckParams{})
	querytest.Check(t, err)
	status, err := f.Status(t.Context(), query.StatusParams{})
	querytest.Check(t, err)
	sources, err := f.Dashboard(t.Context(), query.DashboardParams{Source: "test", Runs: 9})
	querytest.Check(t, err)
	for name, got := range map[string][]query.OtherRun{"check": check.Retired, "status": status.Retired,
		"dashboard": sources.Rows[0].Retired, "triage": triage(t, f, query.TriageParams{}).Others} {
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	errors, err := f.Events(t.Context(), query.EventsParams{})
	querytest.Check(t, err)
	if note := "test:2, which is FAIL, is left out: " + want.LeftOut; errors.Note != note || len(errors.Failed) > 0 {
		t.Errorf("errors: %q, failed %v", errors.Note, errors.Failed)
	}
	if !check.Passed {
		t.Errorf("check: %+v", check.Runs)
	}
}
