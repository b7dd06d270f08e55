package query_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// branches has the ancestors of commits, by commit. The default branch is main.
type branches map[string][]string

func (branches) DefaultBranch(context.Context, string) (string, error) { return "main", nil }

func (b branches) Ancestors(_ context.Context, _, commit, _ string, _ int) ([]string, error) {
	return b[commit], nil
}

func triage(t *testing.T, f *querytest.Fixture, p query.TriageParams) query.Triage {
	t.Helper()
	got, err := f.Triage(context.Background(), p)
	querytest.Check(t, err)
	return got
}

// groupLine returns a group as a line of text.
func groupLine(g query.ErrorGroup) string {
	s := fmt.Sprintf("%d× %s %s", g.Count, g.Sample.Ref, g.Sample.Message)
	if g.Flaky != nil {
		s += fmt.Sprintf(" (flaky %d/%d)", g.Flaky.Failed, g.Flaky.Runs)
	}
	if g.OnBase != "" {
		s += " (in " + g.OnBase + ")"
	}
	if g.FirstSeen != nil {
		s += " (since " + g.FirstSeen.RunRef + ")"
	}
	return s
}

func groupLines(list []query.ErrorGroup) string {
	var lines []string
	for _, g := range list {
		lines = append(lines, groupLine(g))
	}
	return strings.Join(lines, "; ")
}

func TestTriageTakesTheRunThatMatters(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	if _, err := f.Triage(context.Background(), query.TriageParams{}); store.CodeOf(err) != store.NotFound {
		t.Errorf("no runs: %v", err)
	}
	at := 0
	add := func(r querytest.Run) {
		at++
		r.At, r.Log, r.Git = at, "log\n", &store.Git{Branch: "topic", Commit: "abc1234"}
		f.Add(t, r)
	}
	for _, step := range []struct {
		run     querytest.Run
		verdict string
		others  string
	}{
		{querytest.Run{Source: "build"}, "nothing fails: the newest run of every source passed, build:1 last", "[]"},
		{querytest.Run{Source: "deploy", Running: true}, "deploy:2 is running: ask again when it has ended", "[]"},
		{querytest.Run{Source: "build", Exit: 1, Events: querytest.BuildEvents()},
			"build:3 failed: 3 errors, nothing to compare with", "[{deploy:2 RUNNING 0  }]"},
		{querytest.Run{Source: "lint", Exit: 1},
			"lint:4 failed, and no error was recognised in its log: the cause should be at the end of the log",
			"[{build:3 FAIL 3  } {deploy:2 RUNNING 0  }]"},
		{querytest.Run{Source: "lint"}, "build:3 failed: 3 errors, nothing to compare with", "[{deploy:2 RUNNING 0  }]"},
	} {
		add(step.run)
		got := triage(t, f, query.TriageParams{})
		if got.Verdict != step.verdict || fmt.Sprint(got.Others) != step.others {
			t.Errorf("after %s: %q, others %v, want %q, %s", step.run.Source, got.Verdict, got.Others, step.verdict, step.others)
		}
	}
	if got := triage(t, f, query.TriageParams{Source: "lint"}); got.Verdict != "lint:5 passed" {
		t.Errorf("of lint, while build fails: %q", got.Verdict)
	}
	if _, err := f.Triage(context.Background(), query.TriageParams{Source: "nosuch"}); store.CodeOf(
		err) != store.NotFound {
		t.Errorf("no such source: %v", err)
	}
}

func TestTriageTakesThePassedRunWithErrors(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"noisy", "quiet"}, {"quiet", "noisy"}} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		for at, source := range order {
			r := querytest.Run{Source: source, At: at, Log: "log\n"}
			if source == "noisy" {
				r.Events = querytest.BuildEvents()[:1]
			}
			f.Add(t, r)
		}
		if got := triage(t, f, query.TriageParams{}); !strings.HasPrefix(got.RunRef, "noisy:") {
			t.Errorf("of %v: %s", order, got.RunRef)
		}
	}
}

func TestALegOfAnotherCommandIsNoLeg(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for at, command := range []string{"make lint", "make test"} {
		f.Add(t, querytest.Run{Source: "make", At: at, Exit: 1 - at, Log: "log\n", Command: command,
			CI: &store.CI{Provider: "github", Matrix: `{"leg":"` + command + `"}`}})
	}
	if d, err := f.Diff(t.Context(), query.DiffParams{Source: "make"}); err != nil || d.Run2 != "make:2" {
		t.Errorf("%s, %v", d.Run2, err)
	}
}

func TestTriageLooksIntoEachLegOfAMatrix(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i, leg := range []string{`{"os":"linux","go":1}`, `{"go":1,"os":"mac"}`, `{"os":"windows"}`,
		`{"os":"mac","go":1}`} {
		exit := 1 - i%2 // linux and windows fail
		f.Add(
			t, querytest.Run{Source: "test", At: i, Exit: exit, Log: "log\n", CI: &store.CI{Provider: "github", Matrix: leg}})
	}
	if got := triage(t, f, query.TriageParams{}); got.RunRef != "test:3" && got.RunRef != "test:1" ||
		len(got.Others) != 1 {
		t.Errorf("%s, others %v, want the legs that failed", got.RunRef, got.Others)
	}
	status, err := f.Status(context.Background(), query.StatusParams{})
	querytest.Check(t, err)
	if len(status.Sources) != 1 || status.Sources[0].Status != store.StatusFail || status.Sources[0].RunID != 3 {
		t.Errorf("status %+v, though legs of the newest run's matrix failed", status)
	}
}

func TestALegThatPassesDoesNotHideAnother(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i, leg := range []string{"a", "b"} {
		r := querytest.Run{Source: "test", At: i, Log: "log\n",
			CI: &store.CI{Provider: "github", Matrix: `{"leg":"` + leg + `"}`}}
		if leg == "a" {
			r.Exit, r.Events = 1, querytest.BuildEvents()
		}
		f.Add(t, r)
	}
	f.Add(t, querytest.Run{Source: "lint", At: 3, Log: "log\n"})
	list, err := f.Events(context.Background(), query.EventsParams{Severity: "error"})
	querytest.Check(t, err)
	if list.Total != 3 {
		t.Errorf("%d errors, want those of the leg that failed", list.Total)
	}
	d, err := f.Diff(context.Background(), query.DiffParams{Source: "test"})
	querytest.Check(t, err)
	if d.Run2 != "test:1" {
		t.Errorf("diff is of %s, want the leg that failed", d.Run2)
	}
}

func TestTriageNamesAFewOthers(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i := range 12 {
		f.Add(t, querytest.Run{Source: fmt.Sprintf("step%d", i), At: i, Exit: 1, Log: "log\n"})
	}
	got := triage(t, f, query.TriageParams{})
	if len(got.Others) != 8 || fmt.Sprint(got.Truncated) != "[3 other runs not OK: status()]" {
		t.Errorf("%d others, truncated %v", len(got.Others), got.Truncated)
	}
}

func TestTriageTellsNewFromKnown(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Ancestry = branches{"c2": {"c1"}, "c3": {"c1"}, "c4": {"c1"}}
	on := func(branch, commit string) *store.Git { return &store.Git{Branch: branch, Commit: commit} }
	old, flaky, later, mine := failedTest("test_old", 1), failedTest("test_flaky", 2), failedTest("test_later", 3),
		failedTest("test_mine", 4)
	for i, r := range []struct {
		at     *store.Git
		failed []store.Event
	}{
		{on("main", "c1"), []store.Event{old}},
		{on("topic", "c2"), []store.Event{old, mine}},
		{on("topic", "c3"), []store.Event{old, flaky, mine}},
		{on("topic", "c3"), []store.Event{old, mine}},
		{on("main", "c9"), []store.Event{old, later}},
		{on("topic", "c4"), []store.Event{old, flaky, later, mine}},
	} {
		f.Add(t,
			querytest.Run{Source: "test", At: i, Exit: 1, Log: "1\n2\n3\n4\n5\n6\n", Git: r.at, Events: slices.Clone(r.failed)})
	}
	got := triage(t, f, query.TriageParams{Ref: "test:6"})
	if want := "test:6 failed: 4 errors, 1 new since test:1, 3 known"; got.Verdict != want {
		t.Errorf("verdict %q, want %q", got.Verdict, want)
	}
	if s, want := groupLines(got.New), "1× 6:4 assert 1 == 2 (since test:2)"; s != want {
		t.Errorf("new: %s, want %s", s, want)
	}
	if got.New[0].Sample.Log == "" || got.New[0].FirstSeen.Commit != "c2" || got.New[0].FirstSeen.Branch != "topic" {
		t.Errorf("new: %+v, want the log, and since when", got.New[0])
	}
	known := groupLines(got.Known)
	for _, want := range []string{"6:2 assert 1 == 2 (flaky 2/6)", "6:3 assert 1 == 2 (in test:5)",
		"6:1 assert 1 == 2 (in test:1) (since test:1)"} {
		if !strings.Contains(known, want) {
			t.Errorf("known: %s, want %s", known, want)
		}
	}
}

func TestTriageCountsKnownErrorsOnlyIfThereAreAny(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "build", At: 0, Log: "ok\n"})
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: querytest.BuildLog, Events: querytest.BuildEvents()})
	if got := triage(t, f, query.TriageParams{}); got.Verdict != "build:2 failed: 3 errors, 3 new since build:1" {
		t.Errorf("verdict %q", got.Verdict)
	}
}

func TestTriageCallsNothingNewWithoutABaseline(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i, exit := range []int{1, 0, 1} {
		r := querytest.Run{Source: "build", At: i, Exit: exit, Log: querytest.BuildLog,
			Git: &store.Git{Branch: "topic", Commit: "abc1234"}}
		if exit > 0 {
			r.Events = querytest.BuildEvents()
		}
		f.Add(t, r)
	}
	got := triage(t, f, query.TriageParams{})
	if got.Baseline.Kind != store.BaselineNone || got.Baseline.Reason == "" || got.New != nil || got.Counts.New != nil {
		t.Errorf("baseline %+v, new %v, want none and its reason", got.Baseline, got.New)
	}
	if s, want := groupLines(got.Errors), "3× 3:1 'foo' undeclared (since build:1)"; s != want {
		t.Errorf("errors: %s, want %s", s, want)
	}
	g := got.Errors[0]
	if strings.Join(g.Also, "; ") != "3:2 src/main.c:9 'bar' undeclared; 3:4 src/main.c:11 'bar' undeclared" ||
		!g.Returned {
		t.Errorf("group %+v, want the others, and that it had been fixed", g)
	}
	want := `    1 | gcc -c src/main.c -o main.o
    2 | src/main.c: In function 'main':
>>> 3 | src/main.c:3:13: error: 'foo' undeclared
>>> 4 |     3 |     int x = foo + 1;
>>> 5 |       |             ^~~`
	if strings.TrimSpace(g.Sample.Log) != strings.TrimSpace(want) {
		t.Errorf("log:\n%s\nwant\n%s", g.Sample.Log, want)
	}
}

func TestTriageShowsTheEndOfALogInWhichNothingWasRecognised(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "job", Exit: 3, Log: querytest.Lines("step", 60) +
		"\n----------\nfrobnicator: cannot find the flux\n\x1b[31m##[error]Process completed with exit code " +
		"3.\x1b[0m\nPost job cleanup.\n[command]/usr/bin/git version\n"})
	got := triage(t, f, query.TriageParams{})
	lines := strings.Split(got.Tail, "\n")
	if len(lines) > 30 || !strings.Contains(got.Tail,
		">>> 63 | frobnicator: cannot find the flux\n    64 | Process completed") ||
		strings.Contains(got.Tail, "git version") {
		t.Errorf("tail:\n%s", got.Tail)
	}
	if got.NextSteps[0].String() != `output(ref="job:1", tail=100)` {
		t.Errorf("next: %v", got.NextSteps)
	}
}

func TestTriagePutsCausesFirst(t *testing.T) {
	t.Parallel()
	event := func(line int, tool string, c store.Category, message string) store.Event {
		e := store.Event{Severity: store.SeverityError, Tool: tool, Category: c, Message: message, LogLine: line,
			LogLineEnd: line}
		if c == store.CategoryTest {
			e.Test = message
		}
		e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
		return e
	}
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Add(t, querytest.Run{Source: "all", Exit: 2, Log: querytest.Lines("line", 20), Events: []store.Event{
		event(2, "python", store.CategoryRuntime, "CalledProcessError: Command 'x' returned non-zero exit status 1"),
		event(3, "flake8", store.CategoryLint, "line too long"),
		event(4, "pytest", store.CategoryTest, "test_b says that something is not as it should be"),
		event(5, "pytest", store.CategoryTest, "ModuleNotFoundError: No module named 'numpy' in test_a"),
		event(6, "npm", store.CategoryBuild, "ELIFECYCLE"),
		event(7, "gcc", store.CategoryCompile, "'foo' undeclared"),
		event(8, "make", store.CategoryBuild, "*** [all] Error 2"),
	}})
	var order []string
	for _, g := range triage(t, f, query.TriageParams{}).Errors {
		order = append(order, g.Sample.Tool)
	}
	if want := "gcc pytest pytest flake8 npm make"; strings.Join(
		slices.DeleteFunc(order, func(s string) bool { return s == "python" }), " ") != want {
		t.Errorf("order %v, want %s", order, want)
	}
	if order[0] == "python" {
		t.Errorf("what says that a command failed comes first: %v", order)
	}
}

func TestTriageConfirmsAFix(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	f.Ancestry = branches{"c2": {"c1"}}
	on := func(branch, commit string) *store.Git { return &store.Git{Branch: branch, Commit: commit, Dirty: true} }
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: querytest.BuildLog, Git: on("main", "c1"),
		Events: querytest.BuildEvents()[:1]})
	f.Add(t, querytest.Run{Source: "build", At: 2, Exit: 1, Log: querytest.BuildLog, Git: on("topic", "c2"),
		Events: querytest.BuildEvents()})
	f.Add(t, querytest.Run{Source: "build", At: 3, Log: "ok\n", Git: on("topic", "c2")})
	got := triage(t, f, query.TriageParams{Ref: "build"})
	if want := "build:3 passed; 1 error of build:1 fixed; build:2 before it had 3 errors"; got.Verdict != want {
		t.Errorf("verdict %q, want %q", got.Verdict, want)
	}
}

func TestTriageDoesNotCallItFixedWhatGoesByItself(t *testing.T) {
	t.Parallel()
	f := past(t, "a@c1 .@c1 a@c2 .@c3")
	f.Ancestry = branches{}
	got := triage(t, f, query.TriageParams{})
	if want := "nothing fails: the newest run of every source passed, test:4 last"; got.Verdict != want ||
		*got.Counts.Fixed != 0 {
		t.Errorf("verdict %q, fixed %d, want %q", got.Verdict, *got.Counts.Fixed, want)
	}
	got = triage(t, f, query.TriageParams{Ref: "test:3"})
	if want := "test:3 failed: 1 error, none new since test:2, all of them flaky"; got.Verdict != want ||
		got.Known[0].Sample.Log == "" {
		t.Errorf("verdict %q, want %q with its log", got.Verdict, want)
	}
}
