package step_test

import (
	"testing"

	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/store"
)

// ofJob returns the run of a step of a CI job, in the form in which it is recorded.
func ofJob(ci store.CI) store.Run {
	ci.RunID, ci.Job = "7", "test"
	return store.Run{Source: "pytest", Shape: "s", CI: &ci}
}

// Steps of a job that run the same command keep their order, so each has the same shape in each execution of the job.
func TestStepsWithTheSameCommandAreApart(t *testing.T) {
	t.Parallel()
	shapes := func(steps ...string) (list []string) {
		var before []store.Run
		for _, name := range steps {
			r := ofJob(store.CI{Step: name})
			r.Shape = step.Again(r, before)
			before, list = append(before, r), append(list, r.Shape)
		}
		return list
	}
	got := shapes("__run", "__run_2", "__run", "__run_3", "__run_2")
	if got[0] != "s" || got[1] == "s" || got[2] != "s" || got[3] == "s" || got[3] == got[1] || got[4] != got[1] {
		t.Errorf("the shapes are %q", got)
	}
	if next := shapes("__run_4", "__run_9"); next[0] != got[0] || next[1] != got[1] {
		t.Errorf("in a later execution they are %q", next)
	}
}

func TestOtherJobsAndExecutionsDoNotCount(t *testing.T) {
	t.Parallel()
	r := ofJob(store.CI{Step: "__run_2", RunAttempt: 2, JobRun: "x", CheckRunID: "5", Matrix: `{"os":"linux"}`})
	other := func(change func(*store.Run)) store.Run {
		o, ci := r, *r.CI
		o.CI = &ci
		ci.Step = "__run"
		change(&o)
		return o
	}
	if got := step.Again(r, []store.Run{other(func(*store.Run) {})}); got == "s" {
		t.Fatal("a run of another step does not count")
	}
	for name, o := range map[string]store.Run{
		"another attempt": other(func(o *store.Run) { o.CI.RunAttempt = 1 }),
		"another job":     other(func(o *store.Run) { o.CI.Job = "lint" }),
		"another leg":     other(func(o *store.Run) { o.CI.Matrix = `{"os":"macos"}` }),
		"another runner":  other(func(o *store.Run) { o.CI.JobRun = "y" }),
		"another check":   other(func(o *store.Run) { o.CI.CheckRunID = "6" }),
		"another command": other(func(o *store.Run) { o.Shape = "t" }),
		"the same step":   other(func(o *store.Run) { o.CI.Step = "__run_2" }),
		"an unnamed step": other(func(o *store.Run) { o.CI.Step = "" }),
		"outside CI":      other(func(o *store.Run) { o.CI = nil }),
	} {
		if got := step.Again(r, []store.Run{o}); got != "s" {
			t.Errorf("%s counts", name)
		}
	}
}
