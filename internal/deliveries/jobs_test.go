package deliveries_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

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
		"another event": {[]githubtest.Run{{Event: "push", Conclusion: "failure", Jobs: never("failure")}},
			"success", ""},
		"a failure at another commit": {[]githubtest.Run{{HeadSHA: strings.Repeat("b", 40), Conclusion: "failure"}},
			"success", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, sqlitetest.Open(t))
			p.checks = deliveries.ChecksNewErrors
			p.restart()
			p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head, HeadRef: "feature"})
			build := failed(11, "build")
			build.Conclusion, build.Steps[2].Conclusion = "success", "success"
			build.Log = strings.ReplaceAll(strings.ReplaceAll(build.Log, compiled, "ok"), "exit code 2", "exit code 0")
			p.ofPull(build)
			for _, r := range tt.others {
				if r.ID == 0 {
					r.ID = 6
				}
				if r.Event == "" {
					r.Event = "pull_request"
				}
				r.Workflow, r.HeadBranch = ".github/workflows/deploy.yml", "feature"
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
