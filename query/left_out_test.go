package query

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

func TestAStepIsReplacedOnlyIfItIsShown(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	run := func(serial int, source, shape string, state store.State, ci *store.CI) store.Run {
		return store.Run{Source: source, Shape: shape, Serial: serial, State: state, CI: ci,
			Ending: store.Ending{FinishedAt: now}}
	}
	steps := func(runs ...store.Run) map[store.Step]store.Run {
		m := map[store.Step]store.Run{}
		for _, r := range runs {
			m[r.Step()] = r
		}
		return m
	}
	const done = store.StateCompleted
	ended := func(hours int, r store.Run) store.Run {
		r.FinishedAt = now.Add(-time.Duration(hours) * time.Hour)
		return r
	}
	job, lint := &store.CI{Workflow: "CI", Job: "build"}, &store.CI{Workflow: "CI", Job: "lint"}
	old := run(5, "old", "1", done, nil)
	inJob := run(5, "make", "1", done, job)
	const others, command = "all other steps were run without it", "its job has another command"
	for name, tt := range map[string]struct {
		r           store.Run
		here, there map[store.Step]store.Run
		want        string
	}{
		"both others ended there": {old, steps(run(1, "a", "", done, nil), run(6, "b", "", done, nil)),
			steps(run(7, "a", "", done, nil), run(8, "b", "", done, nil)), others},
		"the last step may still come": {old, steps(run(1, "a", "", done, nil), run(2, "b", "", done, nil)),
			steps(run(6, "a", "", done, nil), run(7, "b", "", done, nil)), ""},
		"the last step may come within a day": {old, steps(run(1, "a", "", done, nil), run(2, "b", "", done, nil)),
			steps(ended(25, run(6, "a", "", done, nil)), ended(23, run(7, "b", "", done, nil))), ""},
		"the last step did not come in a day": {old, steps(run(1, "a", "", done, nil), run(2, "b", "", done, nil)),
			steps(ended(25, run(6, "a", "", done, nil)), ended(25, run(7, "b", "", done, nil))), others},
		"one other says nothing outside CI": {old, steps(run(1, "a", "", done, nil)),
			steps(run(6, "a", "", done, nil)), ""},
		"in CI, one other is enough after a day": {inJob, steps(run(1, "a", "", done, job)),
			steps(ended(25, run(6, "a", "", done, job))), others},
		"in CI, the step may begin within a day": {inJob, steps(run(1, "a", "", done, job)),
			steps(ended(23, run(6, "a", "", done, job))), ""},
		"a job may wait for the job before it": {inJob, steps(run(1, "lint", "", done, lint), run(2, "fmt", "", done, lint)),
			steps(ended(25, run(6, "lint", "", done, lint)), run(7, "fmt", "", done, lint)), ""},
		"the next step of its job has ended": {inJob, steps(run(6, "a", "", done, job)),
			steps(run(7, "a", "", done, job)), others},
		"the next step has ended in another job": {inJob, steps(run(6, "a", "", done, lint)),
			steps(run(7, "a", "", done, lint)), ""},
		"its job had the other command before": {inJob, steps(run(4, "make", "2", done, job)),
			steps(run(6, "make", "2", done, job)), ""},
		"there is no other": {inJob, steps(), steps(run(6, "a", "", done, job)), ""},
		"both others ran after it": {old, steps(run(7, "a", "", done, nil), run(8, "b", "", done, nil)),
			steps(run(10, "a", "", done, nil), run(11, "b", "", done, nil)), ""},
		"an other did not run there": {old, steps(run(1, "a", "", done, nil), run(2, "b", "", done, nil)),
			steps(run(6, "a", "", done, nil)), ""},
		"an other goes on there": {old, steps(run(1, "a", "", done, nil), run(2, "b", "", done, nil)),
			steps(run(6, "a", "", done, nil), run(7, "b", "", store.StateRunning, nil)), ""},
		"an other ran there before": {old, steps(run(1, "a", "", done, nil), run(2, "b", "", done, nil)),
			steps(run(6, "a", "", done, nil), run(4, "b", "", done, nil)), ""},
		"its job has another command": {inJob, steps(), steps(run(6, "make", "2", done, job)), command},
		"the same command":            {inJob, steps(), steps(run(6, "make", "1", done, job)), ""},
		"another step of its job":     {inJob, steps(), steps(run(6, "lint", "2", done, job)), ""},
		"it goes on":                  {inJob, steps(), steps(run(6, "make", "2", store.StateRunning, job)), ""},
		"it ran before":               {inJob, steps(), steps(run(4, "make", "2", done, job)), ""},
		"another job": {inJob, steps(),
			steps(run(6, "make", "2", done, &store.CI{Workflow: "CI", Job: "test"})), ""},
		"another workflow": {inJob, steps(),
			steps(run(6, "make", "2", done, &store.CI{Workflow: "Nightly", Job: "build"})), ""},
		"another leg": {inJob, steps(),
			steps(run(6, "make", "2", done, &store.CI{Workflow: "CI", Job: "build", Matrix: `{"os":"b"}`})), ""},
		"no job": {old, steps(), steps(run(6, "old", "2", done, nil)), ""},
	} {
		if got := replaced(tt.r, tt.here, tt.there, now); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestAStepIsReplacedAtItsPlaceInTheJob(t *testing.T) {
	t.Parallel()
	run := func(serial int, shape, place string) store.Run {
		return store.Run{Source: "make", Shape: shape, Serial: serial, State: store.StateCompleted,
			CI: &store.CI{Workflow: "CI", Job: "build", Step: place}}
	}
	for place, want := range map[string]string{"__run": "its job has another command", "__run_2": ""} {
		later := run(6, "2", place)
		got := replaced(run(5, "1", "__run"), nil, map[store.Step]store.Run{later.Step(): later}, time.Time{})
		if got != want {
			t.Errorf("after %s: %q, want %q", place, got, want)
		}
	}
}

// bases is a history with the same answer for each question about ancestors.
type bases struct {
	list []string
	err  error
}

func (bases) DefaultBranch(context.Context, string) (string, error) { return "main", nil }

func (b bases) Ancestors(context.Context, string, string, string, int) ([]string, error) {
	return b.list, b.err
}

func TestALaterCommitIsOneThatContainsTheOther(t *testing.T) {
	t.Parallel()
	on := func(branch string) store.Run { return store.Run{Git: store.Git{Commit: "old", Branch: branch}} }
	there := func(branches ...string) map[store.Step]store.Run {
		m := map[store.Step]store.Run{}
		for i, b := range branches {
			r := on(b)
			r.Source = string(rune('a' + i))
			m[r.Step()] = r
		}
		return m
	}
	unknown := bases{err: store.Errorf(store.NotFound, "unknown")}
	for name, tt := range map[string]struct {
		history store.Ancestry
		branch  string
		there   map[store.Step]store.Run
		want    bool
	}{
		"it contains the other":                   {bases{list: []string{"old"}}, "topic", there("main"), true},
		"the other contains it":                   {bases{list: []string{"new"}}, "main", there("main"), false},
		"they part, and have one branch":          {bases{list: []string{"base"}}, "main", there("main"), true},
		"they part, and have two branches":        {bases{list: []string{"base"}}, "main", there("topic"), false},
		"nothing is known but the branch":         {unknown, "main", there("main", "main"), true},
		"one of its runs is of another branch":    {unknown, "main", there("main", "topic"), false},
		"the branch is not known":                 {unknown, "", there(""), false},
		"there is no history, and one branch":     {nil, "main", there("main"), true},
		"there is no history, and another branch": {nil, "main", there("topic"), false},
		"the history has no common commit":        {bases{}, "main", there("main"), true},
	} {
		a := &Asker{Ancestry: tt.history}
		if got, err := a.isLater(t.Context(), on(tt.branch), "new", tt.there); err != nil || got != tt.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	a := &Asker{Ancestry: bases{err: errors.New("disk on fire")}}
	if _, err := a.isLater(t.Context(), on("main"), "new", there("main")); err == nil {
		t.Error("an error of the history is lost")
	}
}
