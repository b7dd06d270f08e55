package query_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

func on(branch, commit string) *store.Git { return &store.Git{Branch: branch, Commit: commit} }

var errs = querytest.BuildEvents()[:1]

// verdicts holds runs, and the expected verdict of triage.
var verdicts = map[string]struct {
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
	"another branch timed out": {
		[]querytest.Run{{Source: "build", Exit: 1, Reason: store.ReasonTimeout, Git: on("a", "c1")},
			{Source: "build", Git: on("b", "c2")}},
		"the newest run of every source passed, build:2 on b last; the newest on a, build:1, is TIMEOUT"},
	"another branch was cancelled": {
		[]querytest.Run{{Source: "build", Exit: 1, Reason: store.ReasonCancelled, Git: on("a", "c1")},
			{Source: "build", Git: on("b", "c2")}},
		"nothing fails: the newest run of every source passed, build:2 last"},
	"a fork's main passed": {
		[]querytest.Run{{Source: "build", Exit: 1, Git: on("main", "c1")}, {Source: "build", Git: on("main", "c2"),
			CI: &store.CI{PR: 9, Fork: true, BaseRef: "main"}}},
		"the newest run of every source passed, build:2 on pull/9:main last; the newest on main, build:1, is FAIL"},
	"a branch failed before many runs of another": {
		append([]querytest.Run{{Source: "build", Exit: 1, Git: on("main", "c1")}}, slices.Repeat([]querytest.Run{
			{Source: "build", Exit: 1, Git: on("b", "c2")}, {Source: "build", Git: on("b", "c2")}}, 15)...),
		"the newest run of every source passed, build:31 on b last; the newest on main, build:1, is FAIL"},
	"an older run arrives after one that failed": {
		[]querytest.Run{{Source: "build", Exit: 1, Git: on("main", "c2")},
			{Source: "build", Early: 3 * time.Hour, Git: on("main", "c1")}},
		"build:1 failed, and no error was recognised in its log: the cause should be at the end of the log"},
	"an older run that failed arrives after one that passed": {
		[]querytest.Run{{Source: "build", Git: on("main", "c2")},
			{Source: "build", Exit: 1, Early: 3 * time.Hour, Git: on("main", "c1")}},
		"nothing fails: the newest run of every source passed, build:1 last"},
	"another command of that name passed later": {
		[]querytest.Run{{Source: "test", Exit: 1, Events: errs, Command: "go test ./a"},
			{Source: "test", Command: "go test ./..."}},
		"test:1 failed: 1 error, nothing to compare with; test:2 passed later, but has another command or directory"},
	"a pipe without a name answers no other": {
		[]querytest.Run{{Source: "stdin", Events: errs, Imported: true}, {Source: "stdin", Imported: true}},
		"stdin:1 failed: 1 error, nothing to compare with; stdin:2 passed later, but has another command or directory"},
}

// TestAVerdictSaysNoMoreThanIsKnown compares verdicts with both databases. Each case has its own repository in a store.
func TestAVerdictSaysNoMoreThanIsKnown(t *testing.T) {
	t.Parallel()
	for engine, open := range map[string]func(*testing.T) store.Reader{
		"sqlite":   func(t *testing.T) store.Reader { return querytest.NewAsker(t, "").Store },
		"postgres": func(t *testing.T) store.Reader { return openPostgres(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			st, n := open(t), 0
			for name, tt := range verdicts {
				n++
				repo := fmt.Sprintf("o/%d", n)
				f := &querytest.Fixture{Asker: querytest.NewAskerOf(t, "", st)}
				f.Scope = store.Repos(repo)
				for i, r := range tt.runs {
					r.At, r.Log, r.Repo = n*100+i+1, "log\n", repo
					r.Events = slices.Clone(r.Events)
					f.Add(t, r)
				}
				got := strings.ReplaceAll(triage(t, f, query.TriageParams{}).Verdict, repo+"@", "")
				if got != tt.want {
					t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.want)
				}
			}
		})
	}
}

func openPostgres(t *testing.T) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), pgtest.Copy(t, migrate), postgres.Options{Connections: 4})
	querytest.Check(t, err)
	t.Cleanup(func() { querytest.Check(t, s.Close()) })
	return s
}

func migrate(ctx context.Context, url string) error {
	s, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Migrate(ctx)
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
