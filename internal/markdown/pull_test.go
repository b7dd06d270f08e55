package markdown_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/store"
)

// inJob sets the job of a run in the pull request.
func inJob(name, leg string, attempt int) func(*store.Run) {
	return func(r *store.Run) {
		onTopic(r)
		r.CI.Job, r.CI.Matrix, r.CI.RunAttempt, r.CI.CheckRunID = name, leg, attempt, name+leg
	}
}

// onMainJob is like inJob, but for a run on main. It sets neither attempt nor check run.
func onMainJob(name, leg string) func(*store.Run) {
	return func(r *store.Run) {
		onMain(r)
		r.CI.Job, r.CI.Matrix = name, leg
	}
}

func failedTest(name, message string) store.Event {
	return store.Event{Severity: store.SeverityError, File: "tests/test_db.py", Line: 7, Test: name, Message: message,
		Tool: "pytest", Category: store.CategoryTest}
}

const (
	py311 = `{"python":"3.11","os":"linux"}`
	py312 = `{"python":"3.12","os":"linux"}`
)

// matrix returns a fixture with a pull request. It has three jobs, one of them with two legs.
func matrix(t *testing.T) *fixture {
	f := empty(t)
	f.add(t, ended{exit: 1, events: []store.Event{failure("src/old.c", 7, "'gone' undeclared"),
		failure("src/util.c", 3, "expected ';' before 'return'")}}, onMainJob("build", ""))
	for _, leg := range []string{py311, py312} {
		f.add(t, ended{source: "test", exit: 1, events: []store.Event{failedTest("test_old", "assert 1 == 2")}},
			onMainJob("test", leg))
	}
	f.add(t, ended{source: "lint"}, onMainJob("lint", ""))
	f.add(t, ended{exit: 2, took: 45 * time.Second,
		events: []store.Event{failure("src/util.c", 5, "expected ';' before 'return'")}}, inJob("build", "", 1))
	for _, leg := range []string{py311, py312} {
		f.add(t, ended{source: "test", exit: 1, events: []store.Event{failedTest("test_old", "assert 1 == 2"),
			failedTest("test_new", "KeyError: 'x'\n  in test_new\n    d['x']")}}, inJob("test", leg, 1))
	}
	f.add(t, ended{source: "lint"}, inJob("lint", "", 1))
	return f
}

func TestPullReports(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(t *testing.T) *fixture{
		"matrix": matrix,
		"rerun": func(t *testing.T) *fixture { // only the failed jobs ran again
			f := matrix(t)
			f.add(t, ended{exit: 0, took: 40 * time.Second}, inJob("build", "", 2))
			f.add(t, ended{source: "test", exit: 0}, inJob("test", py311, 2))
			f.add(t, ended{source: "test", exit: 1, events: []store.Event{failedTest("test_old", "assert 1 == 2")}},
				inJob("test", py312, 2))
			return f
		},
		"passed": func(t *testing.T) *fixture {
			f := empty(t)
			f.add(t, ended{}, inJob("build", "", 1))
			f.add(t, ended{source: "lint"}, inJob("lint", "", 1))
			return f
		},
		"first": func(t *testing.T) *fixture { // main has no runs yet
			f := empty(t)
			f.add(t, ended{exit: 1, events: []store.Event{failure("a.c", 1, "'x' undeclared")}}, inJob("build", "", 1))
			f.add(t, ended{source: "deploy", exit: 3, log: strings.Repeat("working\n", 50) + "Killed\n"}, inJob("deploy", "", 1))
			f.add(t, ended{source: "slow", running: true, log: "working\n"}, inJob("slow", "", 1))
			return f
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := build(t)
			got, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words,
				markdown.PullParams{PR: 12, Commit: topicSHA})
			check(t, err)
			golden := filepath.Join("testdata", "pull_"+name+".md")
			if *update {
				check(t, os.WriteFile(golden, []byte(got.Markdown), 0o644))
			}
			want, err := os.ReadFile(golden)
			check(t, err)
			if diff := cmp.Diff(string(want), got.Markdown); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPullCountsRunsThatWereStopped(t *testing.T) {
	t.Parallel()
	for reason, want := range map[store.Reason]int{"": 0, store.ReasonTimeout: 1, store.ReasonCancelled: 1} {
		f := empty(t)
		f.add(t, ended{exit: 1, reason: reason, events: []store.Event{failure("a.c", 1, "'x' undeclared")}},
			inJob("build", "", 1))
		got, err := markdown.WritePull(t.Context(), f.Asker, cmdline.Words, markdown.PullParams{PR: 12, Commit: topicSHA})
		check(t, err)
		if got.Counts.Stopped != want || got.Counts.Steps != 1 {
			t.Errorf("%q: %+v", reason, got.Counts)
		}
	}
}

func TestPullCounts(t *testing.T) {
	t.Parallel()
	f, ctx := matrix(t), context.Background()
	got, err := markdown.WritePull(ctx, f.Asker, cmdline.Words, markdown.PullParams{PR: 12, Commit: topicSHA})
	check(t, err)
	want := markdown.PullCounts{Failed: 3, New: 1, Base: 2, Fixed: 1, Steps: 3}
	if diff := cmp.Diff(want, got.Counts); diff != "" || got.Passed || len(got.Runs) != 4 {
		t.Errorf("%+v: %s", got.Runs, diff)
	}
	for name, p := range map[string]markdown.PullParams{
		"another pull request": {PR: 13, Commit: topicSHA}, "pushes": {Commit: topicSHA},
		"another workflow": {PR: 12, Commit: topicSHA, Workflow: "Nightly"},
	} {
		if _, err := markdown.WritePull(ctx, f.Asker, cmdline.Words, p); store.CodeOf(err) != store.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := markdown.WritePull(ctx, f.Asker, cmdline.Words,
		markdown.PullParams{PR: 12, Commit: "main"}); store.CodeOf(
		err) != store.Invalid {
		t.Error(err)
	}
}

// undeclared returns n look-alike errors about different symbols. The symbols have only letters, because fingerprints
// ignore some numbers.
func undeclared(n int) []store.Event {
	list := make([]store.Event, n)
	for i := range list {
		name := strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i))
		list[i] = failure("src/many.c", i+1, "'"+name+"' undeclared")
	}
	return list
}

// If runs have very many errors, only some of each kind are read. Legs with the same failures still count as one
// failure.
func TestPullCountsTheSameManyErrorsOfTwoLegsOnce(t *testing.T) {
	t.Parallel()
	f := empty(t)
	for _, leg := range []string{py311, py312} {
		f.add(t, ended{source: "build"}, onMainJob("build", leg))
	}
	for i, leg := range []string{py311, py312} {
		f.add(t, ended{source: "build", exit: 1, events: append(undeclared(6000+i*500),
			failure("src/other.c", 3, "expected ';' before 'return'"))}, inJob("build", leg, 1))
	}
	got, err := markdown.WritePull(t.Context(), f.Asker, cmdline.Words, markdown.PullParams{PR: 12, Commit: topicSHA})
	check(t, err)
	want := markdown.PullCounts{Failed: 6501, New: 6501, Steps: 2}
	if diff := cmp.Diff(want, got.Counts); diff != "" {
		t.Errorf("%+v: %s", got.Runs, diff)
	}
}

func TestPullTellsOfJobsThatBlqDidNotSee(t *testing.T) {
	t.Parallel()
	f := empty(t)
	f.add(t, ended{}, inJob("build", "", 1))
	p := markdown.PullParams{PR: 12, Commit: topicSHA, Jobs: []markdown.Job{
		{ID: "build", Name: "build"},
		{ID: "9", Name: "@acme/deploy", Failed: true, URL: "https://github.com/acme/app/actions/runs/77/job/9"},
	}}
	got, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words, p)
	check(t, err)
	if got.Passed || !strings.HasPrefix(got.Headline, "❌ 1 job failed") ||
		!strings.Contains(got.Markdown, "[`@acme/deploy`](https://github.com/acme/app/actions/runs/77/job/9)") {
		t.Error(got.Markdown)
	}
}

func TestPullFits(t *testing.T) {
	t.Parallel()
	f := empty(t)
	for leg := range 60 {
		var events []store.Event
		for i := range 40 {
			events = append(events, failure(fmt.Sprintf("src/%d/%d.c", leg, i), i,
				fmt.Sprintf("'%s_%d_%d' undeclared\n%s", strings.Repeat("x", 200), leg, i, strings.Repeat("@everyone ", 50))))
		}
		f.add(t, ended{exit: 1, events: events}, inJob("build", fmt.Sprintf(`{"n":%d}`, leg), 1))
	}
	for _, maxBytes := range []int{0, 20_000, 5_000, 600} {
		got, err := markdown.WritePull(context.Background(), f.Asker, cmdline.Words,
			markdown.PullParams{PR: 12, Commit: topicSHA, MaxBytes: maxBytes})
		check(t, err)
		if limit := maxBytes; limit == 0 && len(got.Markdown) > markdown.MaxBytes || limit > 0 && len(got.Markdown) > limit {
			t.Errorf("%d bytes for %d", len(got.Markdown), maxBytes)
		}
		if !strings.HasPrefix(got.Markdown, "### ❌ 2400 failed") {
			t.Errorf("%.200s", got.Markdown)
		}
	}
}
