package deliveries_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// succeeded returns the job of failed, but it succeeds.
func succeeded(id int64, name string) githubtest.Job {
	j := failed(id, name)
	j.Conclusion, j.Steps[2].Conclusion = "success", "success"
	j.Log = strings.ReplaceAll(strings.ReplaceAll(j.Log, compiled, "ok"), "exit code 2", "exit code 0")
	return j
}

// A workflow run may fail without a step, so that no run of it is stored. The report on its commit does not pass.
func TestAWorkflowRunWithoutStepsHidesNoFailure(t *testing.T) {
	t.Parallel()
	never := func(conclusion string) []githubtest.Job {
		return []githubtest.Job{{ID: 20, Name: "deploy", Conclusion: conclusion}}
	}
	for name, tt := range map[string]struct {
		others []githubtest.Run
		want   string // conclusion of the check run
		says   string
	}{
		"a success": {[]githubtest.Run{{Conclusion: "success", Jobs: never("success")}}, "success", ""},
		"a lost runner": {[]githubtest.Run{{Conclusion: "failure", Jobs: never("failure")}}, "failure",
			"`deploy`"},
		"an invalid file": {[]githubtest.Run{{Conclusion: "startup_failure"}}, "failure", "1 job failed"},
		"a cancelled queue": {[]githubtest.Run{{Conclusion: "cancelled", Jobs: never("cancelled")}}, "failure",
			"cancelled"},
		"an allowed failure": {[]githubtest.Run{{Conclusion: "success", Jobs: never("failure")}}, "success", ""},
		"a newer success": {[]githubtest.Run{{Conclusion: "failure", Jobs: never("failure")},
			{ID: 7, Conclusion: "success"}}, "success", ""},
		"a newer one that was skipped": {[]githubtest.Run{{Conclusion: "failure", Jobs: never("failure")},
			{ID: 7, Conclusion: "skipped"}}, "failure", ""},
		"a newer one that runs": {[]githubtest.Run{{Conclusion: "failure", Jobs: never("failure")},
			{ID: 7, Status: "in_progress"}}, "failure", ""},
		"a newer failure": {[]githubtest.Run{{Conclusion: "success"}, {ID: 7, Conclusion: "startup_failure"}},
			"failure", ""},
		"a push to the branch": {[]githubtest.Run{{Event: "push", Conclusion: "failure", Jobs: never("failure")}},
			"failure", ""},
		"a push to another branch": {[]githubtest.Run{{Event: "push", HeadBranch: "main", Conclusion: "failure",
			Jobs: never("failure")}}, "success", ""},
		"a failure at another commit": {[]githubtest.Run{{HeadSHA: strings.Repeat("b", 40), Conclusion: "failure"}},
			"success", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, sqlitetest.Open(t))
			p.checks = deliveries.ChecksNewErrors
			p.restart()
			p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head, HeadRef: "feature"})
			p.ofPull(succeeded(11, "build"))
			for _, r := range tt.others {
				if r.ID == 0 {
					r.ID = 6
				}
				if r.Event == "" {
					r.Event = "pull_request"
				}
				r.Workflow, r.HeadBranch = ".github/workflows/deploy.yml", cmp.Or(r.HeadBranch, "feature")
				p.github.SetRun(shop, r)
				p.deliver(p.github.RunEnded(name, p.installed, shop, r.ID))
			}
			p.jobEnded(11)
			p.same(p.dead(), []string(nil))
			checks := p.github.Checks(shop)
			if len(checks) != 1 || checks[0].Conclusion != tt.want || !strings.Contains(checks[0].Summary, tt.says) {
				p.Errorf("%+v", checks)
			}
		})
	}
}

// A job with continue-on-error may fail: GitHub says that the job failed, and that its workflow run succeeded.
func TestAJobThatMayFailFailsNothing(t *testing.T) {
	t.Parallel()
	for conclusion, want := range map[string]string{"success": "success", "failure": "failure"} {
		t.Run(conclusion, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, sqlitetest.Open(t))
			p.checks = deliveries.ChecksNewErrors
			p.restart()
			p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head, HeadRef: "feature"})
			p.github.SetRun(shop, githubtest.Run{ID: 5, Event: "pull_request", HeadBranch: "feature", HeadSHA: head,
				Conclusion: conclusion, Jobs: []githubtest.Job{failed(10, "nightly")}})
			p.jobEnded(10)
			p.same(p.runs(), []string{"acme/shop@Build-check:1 FAIL 1"})
			if checks := p.github.Checks(shop); len(checks) != 1 || checks[0].Conclusion != want {
				p.Errorf("%+v", checks)
			}
		})
	}
}

// A commit has one check run. It passes only if the runs of all events and branches passed at the commit.
func TestACheckRunIsAboutAllRunsOfACommit(t *testing.T) {
	t.Parallel()
	for name, failing := range map[string]githubtest.Run{
		"a push to the branch of the pull request": {Event: "push", HeadBranch: "feature"},
		"a pull request": {Event: "pull_request", HeadBranch: "feature"},
		"a push to main": {Event: "push", HeadBranch: "main"},
	} {
		for _, order := range [][]int64{{10, 11}, {11, 10}} {
			t.Run(fmt.Sprint(name, order), func(t *testing.T) {
				t.Parallel()
				p, failing := newPlace(t, sqlitetest.Open(t)), failing
				p.checks = deliveries.ChecksOnErrors
				p.restart()
				passing := githubtest.Run{ID: 5, Event: "pull_request", HeadBranch: "feature", HeadSHA: head,
					Jobs: []githubtest.Job{succeeded(11, "build")}}
				if failing.HeadBranch == "main" {
					passing.Event = "push"
				} else {
					p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head, HeadRef: "feature"})
				}
				failing.ID, failing.HeadSHA, failing.Jobs = 6, head, []githubtest.Job{failed(10, "build")}
				failing.Workflow = ".github/workflows/other.yml"
				p.github.SetRun(shop, passing)
				p.github.SetRun(shop, failing)
				for _, job := range order {
					p.jobEnded(job)
				}
				p.same(p.dead(), []string(nil))
				last := p.github.Checks(shop)
				if len(last) == 0 || last[len(last)-1].Conclusion != "failure" {
					p.Errorf("%+v", last)
				}
			})
		}
	}
}
