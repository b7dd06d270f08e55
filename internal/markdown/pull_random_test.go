package markdown_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/store"
)

// randomJob is a job of a workflow run.
type randomJob struct {
	id, name, leg string
	needed        string // the job in Needs that stands for it
	mayFail       bool   // continue-on-error
	conclusion    string // of its newest attempt
}

// randomRun is a random workflow run: its jobs, what GitHub says about them, and what blq recorded.
type randomRun struct {
	*rand.Rand
	jobs    []*randomJob
	params  markdown.PullParams
	checked bool // the runs have the IDs of check runs
	log     []string
	n       int
}

func newRandomRun(seed uint64) *randomRun {
	w := &randomRun{Rand: rand.New(rand.NewPCG(seed, 6))}
	w.params = markdown.PullParams{PR: 12, Commit: topicSHA, RunID: "77", Branch: "topic"}
	w.checked = w.IntN(3) > 0
	all := []randomJob{{id: "build", name: "build"}, {id: "build", name: "call / build", needed: "call"},
		{id: "test", name: "test (1)", leg: `{"n":1}`}, {id: "test", name: "test (2)", leg: `{"n":2}`},
		{id: "lint", name: "Lint"}, {id: "lint2", name: "Lint"}, {id: "docs", name: "build (docs)"}}
	for i := range all {
		if j := &all[i]; w.IntN(2) == 0 {
			if j.needed == "" {
				j.needed = j.id
			}
			j.mayFail = w.IntN(6) == 0 && j.id != "test"
			w.jobs = append(w.jobs, j)
		}
	}
	return w
}

// attempt runs all jobs. After the first attempt it runs only jobs that neither passed nor were skipped.
func (w *randomRun) attempt(t *testing.T, f *fixture, attempt int) {
	for _, j := range w.jobs {
		if attempt > 1 && (j.conclusion == "success" || j.conclusion == "skipped") {
			continue
		}
		w.n++
		check := fmt.Sprint(1000*attempt + w.n)
		j.conclusion = w.execute(t, f, j, attempt, check)
		w.log = append(w.log, fmt.Sprintf("attempt %d of %s (%s), may fail %v: %s", attempt, j.name, check, j.mayFail,
			j.conclusion))
		w.params.Jobs = append(w.params.Jobs, job(check, j.name, j.conclusion, attempt))
	}
}

// execute runs the steps of a job, and returns the conclusion of the job.
func (w *randomRun) execute(t *testing.T, f *fixture, j *randomJob, attempt int, check string) string {
	switch w.IntN(12) {
	case 0:
		return "skipped"
	case 1:
		return "failure" // its runner was lost before the first step
	}
	for step := range 1 + w.IntN(2) {
		end, conclusion := ended{source: fmt.Sprint("step", step)}, ""
		switch w.IntN(10) {
		case 0:
			end.exit, conclusion = 1, "failure"
		case 1:
			end.exit, end.events, conclusion = 1, []store.Event{failure("a.c", 1, "'x' undeclared")}, "failure"
		case 2:
			end.reason, conclusion = store.ReasonCancelled, "cancelled"
		case 3:
			end.reason, conclusion = store.ReasonTimeout, "failure"
		case 4:
			end.exit = 1 // the step may fail
		}
		seen := w.IntN(6) > 0 // by blq
		w.log = append(w.log, fmt.Sprintf("  step %d, seen %v: exit %d %s %s", step, seen, end.exit, end.reason,
			conclusion))
		if seen {
			at := at{job: j.id, leg: j.leg, step: fmt.Sprint("__run_", step), attempt: attempt, jobRun: "run " + check}
			if w.checked {
				at.check = check
			}
			f.add(t, end, at.set)
		}
		if conclusion != "" {
			return conclusion
		}
	}
	return "success"
}

// red returns the names of the jobs that neither passed nor were skipped in their newest attempt, except for jobs that
// failed and may fail.
func (w *randomRun) red() (names []string) {
	for _, j := range w.jobs {
		if !strings.Contains("success skipped", j.conclusion) && !(j.mayFail && j.conclusion == "failure") {
			names = append(names, j.name)
		}
	}
	return names
}

// needs returns the results of the jobs by their IDs. The result of a matrix or a called workflow is its worst.
func (w *randomRun) needs() map[string]string {
	results := map[string]string{}
	for _, j := range w.jobs {
		result := j.conclusion
		if j.mayFail && result == "failure" {
			result = "success"
		}
		if old := results[j.needed]; old == "" || old == "success" || old == "skipped" || result == "failure" {
			results[j.needed] = result
		}
	}
	return results
}

// No report passes if a job failed in its newest attempt, whatever is known about the jobs.
func TestNoReportPassesIfAJobFailed(t *testing.T) {
	t.Parallel()
	passed := 0
	for seed := range uint64(150) {
		w, f := newRandomRun(seed), empty(t)
		for attempt := range 1 + w.IntN(3) {
			w.attempt(t, f, attempt+1)
		}
		known := w.IntN(3)
		if known > 0 {
			w.params.Needs = w.needs()
		}
		if known == 1 {
			w.params.Jobs = nil
		}
		got, err := markdown.WritePull(t.Context(), f.Asker, cmdline.Words, w.params)
		if store.CodeOf(err) == store.NotFound {
			continue
		}
		check(t, err)
		if got.Passed {
			passed++
		}
		if red := w.red(); len(red) > 0 && (got.Passed || strings.HasPrefix(got.Headline, "✅")) {
			t.Errorf("history %d: %v failed: %s\nneeds %v, jobs %v\n%s", seed, red, got.Headline, w.params.Needs,
				len(w.params.Jobs), strings.Join(w.log, "\n"))
		}
	}
	if passed < 10 {
		t.Errorf("only %d histories passed", passed)
	}
}
