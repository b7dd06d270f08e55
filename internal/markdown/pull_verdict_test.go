package markdown_test

import (
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/store"
)

// at describes the workflow run, the job and the step of a run.
type at struct {
	job, leg, check, jobRun, step string
	run                           string // ID of the workflow run, "" for 77
	shape                         string // end of the shape, "" for the usual shape
	attempt                       int    // 0 for 1
	off                           time.Duration
	event                         string
	push                          bool // the run belongs to no pull request
}

func (a at) set(r *store.Run) {
	onTopic(r)
	ci := r.CI
	ci.Job, ci.Matrix, ci.CheckRunID, ci.JobRun, ci.Step, ci.RunAttempt, ci.EventName = a.job, a.leg, a.check, a.jobRun,
		a.step, max(1, a.attempt), a.event
	if a.run != "" {
		ci.RunID = a.run
	}
	if a.push {
		ci.PR = 0
	}
	r.Shape = "shape" + a.shape
	r.StartedAt = r.StartedAt.Add(a.off)
}

var (
	red   = ended{exit: 1, events: []store.Event{failure("a.c", 1, "'x' undeclared")}}
	mute  = ended{exit: 1}
	green = ended{}
	noisy = ended{exit: 0, events: []store.Event{failure("a.c", 1, "'x' undeclared")}}
)

type ran struct {
	ended
	at
}

// Jobs of the pull request.
var (
	built   = at{job: "build", check: "11", step: "__run"}
	rebuilt = but(built, func(a *at) { a.check, a.attempt = "21", 2 })
	unnamed = but(built, func(a *at) { a.check = "" })
)

// but returns a changed copy of a job.
func but(a at, change func(*at)) at {
	change(&a)
	return a
}

func job(id, name, conclusion string, attempt int) markdown.Job {
	return markdown.Job{ID: id, Name: name, Conclusion: conclusion, Attempt: attempt,
		URL: "https://github.com/acme/app/actions/runs/77/job/" + id}
}

// verdicts are the runs of a commit, with the expected report.
var verdicts = map[string]struct {
	runs     []ran
	params   markdown.PullParams
	passed   bool
	headline string
	says     string
	not      string
}{
	// These cases check which runs belong to the same step.
	"legs of a matrix whose values are not known": {
		runs: []ran{{red, built}, {green, but(built, func(a *at) { a.check = "12" })}}, headline: "❌ 1 failed"},
	"legs that cannot be told apart": {runs: []ran{{red, unnamed}, {green, unnamed}}, headline: "❌ 1 failed"},
	"a reusable workflow called twice": {runs: []ran{{red, built}, {green, but(built, func(a *at) { a.check = "12" })}},
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "a / build", "failure", 1),
			job("12", "b / build", "success", 1)}}, headline: "❌ 1 failed", says: "a / build"},
	"of which the other one ran again": {runs: []ran{{red, built}, {green, but(built, func(a *at) { a.check = "12" })},
		{green, but(rebuilt, func(a *at) { a.check = "22" })}},
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "a / build", "failure", 1),
			job("12", "b / build", "success", 1), job("22", "b / build", "success", 2)}}, headline: "❌ 1 failed"},
	"of which the failed one ran again": {runs: []ran{{red, built}, {green, but(built, func(a *at) { a.check = "12" })},
		{green, but(rebuilt, func(a *at) { a.check = "21" })}},
		params: markdown.PullParams{Jobs: []markdown.Job{
			job("11", "a / build", "failure", 1), job("12", "b / build", "success", 1), job("21", "a / build", "success", 2)}},
		passed: true, headline: "✅ all 2 steps passed, 1 flaky step", says: "attempts/1"},
	"of which some ran rebuilt, and nobody knows which": {runs: []ran{
		{red, built}, {green, but(built, func(a *at) { a.check = "12" })}, {green, rebuilt}}, headline: "❌ 1 failed"},
	"the same command in two directories": {runs: []ran{{red, but(built, func(a *at) { a.shape = "api" })},
		{green, but(built, func(a *at) { a.shape = "web" })}}, headline: "❌ 1 failed"},
	"two steps of one name": {
		runs: []ran{{red, built}, {green, but(built, func(a *at) { a.step = "__run_2" })}}, headline: "❌ 1 failed"},
	"two steps whose place is not known": {runs: []ran{{red, but(built, func(a *at) { a.step = "" })},
		{green, but(built, func(a *at) { a.step = "" })}}, headline: "❌ 1 failed"},
	"a retry": {runs: []ran{{red, built}, {green, built}}, passed: true,
		headline: "✅ 1 step passed, 1 flaky step",
		says: "`build` in [`build`](https://github.com/acme/app/actions/runs/77) passed on a retry: failed " +
			"(`build:1`), [attempt 1]"},
	"a retry without a check run": {runs: []ran{{red, but(unnamed, func(a *at) { a.jobRun = "r" })},
		{green, but(unnamed, func(a *at) { a.jobRun = "r" })}}, passed: true, headline: "✅ 1 step passed, 1 flaky step"},
	"a pass before a failure": {runs: []ran{{green, built}, {red, built}}, headline: "❌ 1 failed"},
	"a duplicate that another job uploads": {runs: []ran{{red, but(unnamed, func(a *at) { a.jobRun = "r" })},
		{green, but(unnamed, func(a *at) { a.jobRun = "s" })}}, headline: "❌ 1 failed"},
	"a clock that goes back": {runs: []ran{{red, but(built, func(a *at) { a.off = time.Hour })}, {green, built}},
		headline: "❌ 1 failed"},
	// These cases are about attempts.
	"a re-run": {runs: []ran{{mute, built}, {green, rebuilt}}, passed: true,
		headline: "✅ 1 step passed, 1 flaky step",
		says: "passed on a re-run: failed (`build:1`), [attempt " +
			"1](https://github.com/acme/app/actions/runs/77/attempts/1), then passed (`build:2`), [attempt " +
			"2](https://github.com/acme/app/actions/runs/77/attempts/2)"},
	"a re-run that arrives first": {runs: []ran{{red, rebuilt}, {green, built}}, headline: "❌ 1 failed"},
	"a clock that is ahead": {runs: []ran{{red, rebuilt}, {green, but(built, func(a *at) { a.off = time.Hour })}},
		headline: "❌ 1 failed"},
	"another workflow run": {runs: []ran{{red, but(built, func(a *at) { a.run = "99" })},
		{green, but(built, func(a *at) { a.run = "100" })}}, passed: true, headline: "✅ 1 step passed, 1 flaky step"},
	"another workflow run at the same time, perhaps of another file": {
		runs: []ran{{ended{exit: 1, took: time.Hour}, but(built, func(a *at) { a.run = "99" })},
			{green, but(built, func(a *at) { a.run = "100" })}}, headline: "❌ 1 failed", says: "1 step passed"},
	"another workflow run whose jobs are not known": {
		runs: []ran{{red, but(built, func(a *at) { a.run = "76" })},
			{green, but(built, func(a *at) { a.check = "12" })}},
		params: markdown.PullParams{Jobs: []markdown.Job{job("12", "The build", "success", 1)}}, passed: true,
		headline: "✅ 1 step passed, 1 flaky step"},
	"a push that fails beside a pull request that passes": {
		runs:   []ran{{red, but(built, func(a *at) { a.run, a.check, a.push = "76", "12", true })}, {green, built}},
		params: markdown.PullParams{Branch: "topic"}, headline: "❌ 1 failed", says: "1 step passed"},
	"a push that passes beside a pull request that fails": {
		runs:   []ran{{red, but(built, func(a *at) { a.run = "76" })}, {green, but(built, func(a *at) { a.push = true })}},
		params: markdown.PullParams{Branch: "topic"}, headline: "❌ 1 failed", says: "1 step passed"},
	"a push and a pull request that pass": {
		runs:   []ran{{green, but(built, func(a *at) { a.run = "76" })}, {green, but(built, func(a *at) { a.push = true })}},
		params: markdown.PullParams{Branch: "topic"}, passed: true, headline: "✅ all 2 steps passed"},
	"a push to another branch": {
		runs:   []ran{{red, but(built, func(a *at) { a.run, a.push = "76", true })}, {green, built}},
		params: markdown.PullParams{Branch: "other"}, passed: true, headline: "✅ 1 step passed"},
	"two events of a pull request": {
		runs: []ran{{red, but(built, func(a *at) { a.run, a.event = "76", "pull_request" })},
			{green, but(built, func(a *at) { a.check, a.event = "12", "pull_request_target" })}}, headline: "❌ 1 failed"},
	"a job with the name of another job, which is allowed to fail": {
		runs: []ran{{red, but(built, func(a *at) { a.job = "a" })}},
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "b", "failure", 1), job("12", "The other", "success", 1)},
			Needs: map[string]string{"a": "failure", "b": "success"}}, headline: "❌ 1 failed"},
	"a called workflow with the job of the caller": {
		runs: []ran{{red, but(unnamed, func(a *at) { a.jobRun = "r" })},
			{green, but(unnamed, func(a *at) { a.jobRun = "s" })}},
		params: markdown.PullParams{Needs: map[string]string{"build": "success"}}, headline: "❌ 1 failed"},
	"an older one that arrives late": {runs: []ran{{red, but(built, func(a *at) { a.run = "100" })},
		{green, but(built, func(a *at) { a.run = "99" })}}, headline: "❌ 1 failed"},
	"a re-run that did not reach a step": {
		runs: []ran{{red, built}, {green, but(rebuilt, func(a *at) { a.shape = "other" })}}, headline: "❌ 1 failed"},
	"a job that did not run again": {runs: []ran{{red, at{job: "lint", check: "12", step: "__run"}}, {red, built},
		{green, rebuilt}}, headline: "❌ 1 failed", says: "lint"},
	"a re-run that is on": {runs: []ran{{red, built}, {ended{running: true}, rebuilt}},
		headline: "⏳ 1 step running"},
	"a re-run that was cancelled": {runs: []ran{{red, built}, {ended{reason: store.ReasonCancelled}, rebuilt}},
		headline: "❌ 1 failed"},
	"a re-run that timed out": {runs: []ran{{green, built}, {ended{reason: store.ReasonTimeout}, rebuilt}},
		headline: "❌ 1 failed"},
	// These cases are about conclusions of the CI system.
	"a step that may fail": {runs: []ran{{red, built}, {green, but(built, func(a *at) { a.shape = "2" })}},
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "success", 1)}},
		passed: true, headline: "⚠️ 1 step passed; 1 step failed, which is allowed",
		says: "⚠️ FAIL (exit code 1), allowed to fail", not: "❌"},
	"a step that may fail beside one that may not": {
		runs: []ran{{red, built}, {mute, at{job: "test", check: "12", step: "__run"}}}, params: markdown.PullParams{
			Jobs: []markdown.Job{job("11", "build", "success", 1), job("12", "test", "failure", 1)}},
		headline: "❌ 1 failed; 1 step failed, which is allowed"},
	"a job that may fail, by needs": {runs: []ran{{red, built}}, params: markdown.PullParams{
		Jobs: []markdown.Job{job("11", "build", "failure", 1)}, Needs: map[string]string{"build": "success"}},
		passed: true, headline: "⚠️ 0 steps passed; 1 step failed, which is allowed", not: "❌"},
	"a job with a name of its own that may fail, by needs": {runs: []ran{{red, built}}, params: markdown.PullParams{
		Jobs: []markdown.Job{job("11", "The build", "failure", 1)}, Needs: map[string]string{"build": "success"}},
		passed: true, headline: "⚠️ 0 steps passed; 1 step failed, which is allowed", not: "❌"},
	"a job that is not needed, with the name of one that is": {runs: []ran{{red, built}}, params: markdown.PullParams{
		Jobs:  []markdown.Job{job("11", "test", "failure", 1), job("12", "The tests", "success", 1)},
		Needs: map[string]string{"test": "success"}}, headline: "❌ 1 failed"},
	"a job without runs, with the name of one that is needed": {
		runs: []ran{{green, but(built, func(a *at) { a.job = "test" })}}, params: markdown.PullParams{
			Jobs:  []markdown.Job{job("11", "The tests", "success", 1), job("12", "test", "failure", 1)},
			Needs: map[string]string{"test": "success"}}, headline: "❌ 1 job failed outside of what blq saw"},
	"a called job with a run, and a job with its ID that may fail": {
		runs: []ran{{red, built}}, params: markdown.PullParams{Jobs: []markdown.Job{job("11", "call / build", "failure", 1),
			job("12", "build", "success", 1)}, Needs: map[string]string{"build": "success"}}, headline: "❌ 1 failed"},
	"a job that may fail, by its workflow run": {runs: []ran{{red, built}},
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "failure", 1)}, Conclusion: "success"},
		passed: true, headline: "⚠️ 0 steps passed; 1 step failed, which is allowed", not: "❌"},
	"a called job with the name of one that may fail": {
		runs: []ran{{red, built}}, params: markdown.PullParams{Jobs: []markdown.Job{job("11", "call / build", "failure", 1)},
			Needs: map[string]string{"build": "success", "call": "failure"}}, headline: "❌ 1 failed"},
	"a job that has not ended": {runs: []ran{{red, built}},
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "", 1)}}, headline: "❌ 1 failed"},
	"a success by needs": {runs: []ran{{red, unnamed}},
		params: markdown.PullParams{Needs: map[string]string{"build": "success"}}, passed: true,
		headline: "⚠️ 0 steps passed; 1 step failed, which is allowed"},
	"a success by needs of another job": {runs: []ran{{red, unnamed}}, params: markdown.PullParams{
		Needs: map[string]string{"build": "success", "call": "failure"}}, headline: "❌ 1 failed"},
	"a success by needs of another run": {runs: []ran{{red, but(unnamed, func(a *at) { a.run = "76" })}},
		params: markdown.PullParams{Needs: map[string]string{"build": "success"}}, headline: "❌ 1 failed"},
	"a workflow run that succeeded": {runs: []ran{{red, unnamed}},
		params: markdown.PullParams{Conclusion: "success"}, passed: true, headline: "⚠️ 0 steps passed"},
	"a failed job with passed steps": {runs: []ran{{green, built}},
		params:   markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "failure", 1)}},
		headline: "❌ 1 job failed, and blq saw no failing step there", says: "GitHub says that these jobs failed"},
	"a failed job by name": {runs: []ran{{green, unnamed}},
		params:   markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "failure", 1)}},
		headline: "❌ 1 job failed, and blq saw no failing step there"},
	"a failed job by needs": {runs: []ran{{green, unnamed}}, params: markdown.PullParams{
		Needs: map[string]string{"build": "failure"}}, headline: "❌ 1 job failed, and blq saw no failing step there"},
	"a failed job without runs": {runs: []ran{{green, built}},
		params: markdown.PullParams{Jobs: []markdown.Job{
			job("11", "build", "success", 1), job("12", "deploy", "timed_out", 1)}},
		headline: "❌ 1 job failed outside of what blq saw", says: "Failed in a step that blq did not see: [`deploy`]"},
	"a failed job beside a failed run": {runs: []ran{{red, built}},
		params: markdown.PullParams{Jobs: []markdown.Job{
			job("11", "build", "failure", 1), job("12", "deploy", "failure", 1)}}, headline: "❌ 1 failed", says: "deploy"},
	"a failed workflow run": {runs: []ran{{green, unnamed}},
		params: markdown.PullParams{Conclusion: "failure"}, headline: "❌ 1 job failed, and blq saw no failing step there"},
	"a workflow run that failed although its known jobs succeeded": {runs: []ran{{green, built}},
		params:   markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "success", 1)}, Conclusion: "failure"},
		headline: "❌ 1 job failed outside of what blq saw", says: "workflow run"},
	"a workflow run that did not start": {runs: []ran{{green, built}},
		params:   markdown.PullParams{Conclusion: "startup_failure"},
		headline: "❌ 1 job failed"},
	"a workflow run that was cancelled": {runs: []ran{{green, built}},
		params:   markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "success", 1)}, Conclusion: "cancelled"},
		headline: "🚫 1 job cancelled", not: "✅"},
	"a job with another conclusion": {runs: []ran{{green, built}},
		params: markdown.PullParams{
			Jobs: []markdown.Job{job("11", "build", "success", 1), job("12", "deploy", "action_required", 1)}},
		headline: "❌ 1 job failed outside of what blq saw", says: "`deploy`"},
	"a job without a result": {runs: []ran{{green, built}}, passed: true,
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "success", 1),
			job("12", "lint", "skipped", 1), job("13", "docs", "neutral", 1)}}, headline: "✅ 1 step passed"},
	"another job that has not ended": {runs: []ran{{green, built}}, passed: true,
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "success", 1), job("12", "deploy", "", 1),
			{ID: "13", Name: "report", Own: true}}},
		headline: "⏳ 1 step passed; 1 job had not ended", says: "Had not ended: [`deploy`]", not: "✅"},
	"only the job that reports": {runs: []ran{{green, built}}, passed: true,
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "success", 1),
			{ID: "13", Name: "report", Own: true}}}, headline: "✅ 1 step passed"},
	"a cancelled job": {runs: []ran{{green, built}}, params: markdown.PullParams{
		Jobs: []markdown.Job{job("11", "build", "cancelled", 1)}}, headline: "🚫 1 job cancelled"},
	"a job that failed and succeeded": {runs: []ran{{red, built}, {green, rebuilt}},
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "build", "failure", 1),
			job("21", "build", "success", 2)}}, passed: true, headline: "✅ 1 step passed, 1 flaky step"},
	"two jobs of one name": {runs: []ran{{green, built}},
		params: markdown.PullParams{
			Jobs: []markdown.Job{job("11", "test", "success", 1), job("12", "test", "failure", 1)}},
		headline: "❌ 1 job failed outside of what blq saw"},
	"of which one ran rebuilt, which is not known": {runs: []ran{{green, built}},
		params: markdown.PullParams{Jobs: []markdown.Job{job("11", "test", "failure", 1), job("12", "test", "failure", 1),
			job("21", "test", "success", 2)}}, headline: "❌ 2 jobs failed"},
	// These cases are about unknown facts, and about errors without a failure.
	"an artifact that is not read": {runs: []ran{{green, built}}, params: markdown.PullParams{Unread: 1},
		headline: "⚠️ 1 step passed; not all is known", says: "a failure may be missing here"},
	"errors of a step that passed": {runs: []ran{{noisy, built}}, passed: true, headline: "✅ 1 step passed",
		says: "1 error reported by steps that passed", not: "❌"},
	"of which one failed elsewhere": {runs: []ran{{noisy, built}, {red, at{job: "test", check: "12", step: "__run"}}},
		headline: "❌ 1 failed"},
}

// TestNothingHidesAFailure checks the report on the runs of a pull request's commit and on the CI system's facts
// about its jobs.
func TestNothingHidesAFailure(t *testing.T) {
	t.Parallel()
	for name, tt := range verdicts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := empty(t)
			for _, r := range tt.runs {
				r.events = append([]store.Event(nil), r.events...)
				f.add(t, r.ended, r.set)
			}
			tt.params.PR, tt.params.Commit, tt.params.RunID = 12, topicSHA, "77"
			got, err := markdown.WritePull(t.Context(), f.Asker, cmdline.Words, tt.params)
			check(t, err)
			if got.Passed != tt.passed || !strings.HasPrefix(got.Headline, tt.headline) ||
				!strings.Contains(got.Markdown, tt.says) || tt.not != "" && strings.Contains(got.Markdown, tt.not) {
				t.Errorf("passed: %v\n%s", got.Passed, got.Markdown)
			}
			if clean := strings.HasPrefix(got.Headline, "✅"); clean && !got.Passed {
				t.Errorf("the headline says more than is true: %s", got.Headline)
			}
		})
	}
}
