package report_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/action"
	"github.com/blq-ci/blq/internal/github/githubtest"
)

// edited returns the files of a run with a changed description.
func edited(t *testing.T, files map[string]string, change func(*action.Artifact)) map[string]string {
	t.Helper()
	files = maps.Clone(files)
	for name, text := range files {
		if !strings.HasSuffix(name, action.ArtifactRun) {
			continue
		}
		var a action.Artifact
		check(t, json.Unmarshal([]byte(text), &a))
		change(&a)
		changed, err := json.Marshal(a)
		check(t, err)
		files[name] = string(changed)
	}
	return files
}

// without returns the files of a run except the one with this name.
func without(files map[string]string, name string) map[string]string {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(n, _ string) bool { return strings.HasSuffix(n, name) })
	return files
}

// unseen are the cases of TestNothingPassesUnseen. In most of them, the artifacts of jobs may not show every failure.
var unseen = map[string]struct {
	left   func(p *place)
	inputs []string
	status string
	gate   int
	says   string
}{
	"all passed": {func(p *place) { p.left(artifact(p.T, "build", "build", 0)) }, nil, "passed", 0, "✅ 1 step passed"},
	"a damaged artifact": {func(p *place) {
		p.left(artifact(p.T, "build", "build", 0), artifact(p.T, "test", "test", 1))
		p.github.Fault("GET /repos/acme/shop/actions/artifacts/2/zip", 9, githubtest.Broken(404))
	}, nil, "unknown", 1, "not all is known"},
	"a description that is cut off": {func(p *place) {
		files := artifact(p.T, "test", "test", 1)
		for n, text := range files {
			if strings.HasSuffix(n, action.ArtifactRun) {
				files[n] = text[:len(text)/2]
			}
		}
		p.left(artifact(p.T, "build", "build", 0), files)
	}, nil, "unknown", 1, "not all is known"},
	"a description that is gone": {func(p *place) {
		p.left(artifact(p.T, "build", "build", 0), without(artifact(p.T, "test", "test", 1), action.ArtifactRun))
	}, nil, "unknown", 1, "not all is known"},
	"a description without an exit code": {func(p *place) {
		p.left(
			edited(p.T, artifact(p.T, "test", "test", 1), func(a *action.Artifact) { a.ExitCode, a.Status = nil, "FAIL" }))
	}, nil, "unknown", 1, "not all is known"},
	"a description without an end": {func(p *place) {
		p.left(edited(p.T, artifact(p.T, "test", "test", 1), func(a *action.Artifact) { a.ExitCode = nil }))
	}, nil, "unknown", 1, "not all is known"},
	"a description that contradicts itself": {func(p *place) {
		p.left(edited(p.T, artifact(p.T, "test", "test", 0), func(a *action.Artifact) { a.Status = "FAIL" }))
	}, nil, "unknown", 1, "not all is known"},
	"events that are gone": {func(p *place) {
		p.left(
			without(artifact(p.T, "test", "test", 1, "x"), action.ArtifactEvents))
	}, nil, "failed", 1, "❌ 1 failed"},
	"a copy that says otherwise": {func(p *place) {
		files := artifact(p.T, "test", "test", 0)
		p.left(files, edited(p.T, files, func(a *action.Artifact) { one := 1; a.ExitCode = &one }))
	}, nil, "unknown", 1, "not all is known"},
	"a green duplicate": {func(p *place) {
		p.left(artifact(p.T, "test", "test", 1),
			artifact(p.T, "test", "test", 0))
	}, nil, "failed", 1, "❌ 1 failed"},
	"a job that failed": {func(p *place) { p.left(artifact(p.T, "test", "test", 0)) }, []string{"needs",
		`{"test":{"result":"failure","outputs":{}}}`}, "failed", 1, "❌ 1 job failed, and blq saw no failing step there"},
	"results of jobs that cannot be read": {func(p *place) {
		p.left(artifact(p.T, "test", "test", 0))
	}, []string{"needs", `{"test":{"resu`}, "unknown", 1, "not all is known"},
	"a step that may fail": {func(p *place) { p.left(edited(p.T, artifact(p.T, "test", "test", 1, "x"), nothing)) },
		[]string{"needs", `{"test":{"result":"success","outputs":{}}}`}, "passed",
		0, "⚠️ 0 steps passed; 1 step failed, which is allowed"},
	"an error that was asked": {func(p *place) { p.left(artifact(p.T, "test", "test", 0, "x")) }, nil, "passed",
		1, "✅ 1 step passed"},
	"an earlier step of the reporting job that failed": {func(p *place) { p.left(artifact(p.T, "test", "test", 0)) },
		[]string{"job-status", "failure"}, "failed", 1, "❌ 1 job failed"},
	"an earlier step of the reporting job, which GitHub lists": {func(p *place) {
		p.leftWithJobs([]githubtest.Job{{ID: 5, Name: "test"}, {ID: 6, Name: "report", Status: "in_progress"}},
			artifact(p.T, "test", "test", 0))
	}, []string{"job-status", "failure", "check-run-id", "6"}, "failed", 1, "❌ 1 job failed outside of what blq saw"},
	"an earlier step of the reporting job that blq saw": {func(p *place) {
		p.env["GITHUB_JOB"] = "test"
		p.leftWithJobs([]githubtest.Job{{ID: 5, Name: "test", Status: "in_progress"}},
			artifact(p.T, "test", "test", 1, "x"))
	}, []string{"job-status", "failure", "check-run-id", "5"}, "failed", 1, "❌ 1 failed"},
	"a reporting job that is cancelled": {func(p *place) { p.left(artifact(p.T, "test", "test", 0)) },
		[]string{"job-status", "cancelled"}, "failed", 1, "🚫 1 job cancelled"},
	"a reporting job without a failure": {func(p *place) { p.left(artifact(p.T, "test", "test", 0)) },
		[]string{"job-status", "success"}, "passed", 0, "✅ 1 step passed"},
	"jobs that GitHub does not list": {func(p *place) {
		p.leftWithJobs([]githubtest.Job{{ID: 5, Name: "other", Conclusion: "failure"}}, artifact(p.T, "test", "test", 0))
		p.github.Fault("GET /repos/acme/shop/actions/runs/77/jobs", 9, githubtest.TooMany(1000))
	}, nil, "unknown", 1, "not all is known"},
	"jobs that GitHub does not find": {func(p *place) {
		p.leftWithJobs([]githubtest.Job{{ID: 5, Name: "other", Conclusion: "failure"}}, artifact(p.T, "test", "test", 0))
		p.github.Fault("GET /repos/acme/shop/actions/runs/77/jobs", 9, githubtest.Broken(404))
	}, nil, "unknown", 1, "not all is known"},
	"jobs that GitHub does not list, with their results": {func(p *place) {
		p.left(artifact(p.T, "test", "test", 0))
		p.github.Fault("GET /repos/acme/shop/actions/runs/77/jobs", 9, githubtest.TooMany(1000))
	}, []string{"needs", `{"test":{"result":"success","outputs":{}}}`}, "passed", 0, "✅ 1 step passed"},
	"a server that may have other runs": {func(p *place) { p.left(artifact(p.T, "test", "test", 0)) },
		[]string{"server", "http://127.0.0.1:1", "token", "x", "wait", "4"}, "unknown", 1, "not all is known"},
	"a server that is not asked": {func(p *place) { p.left(artifact(p.T, "test", "test", 0)) },
		[]string{"server", "http://127.0.0.1:1"}, "unknown", 1, "not all is known"},
	"nothing at all": {func(p *place) { p.left() }, nil, "unknown", 1, "nothing is reported"},
}

// TestNothingPassesUnseen checks the status, the exit code and the message of reports. Most of their artifacts hide a
// failure, or may hide a failure.
func TestNothingPassesUnseen(t *testing.T) {
	t.Parallel()
	for name, tt := range unseen {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pullRequest(t)
			tt.left(p)
			inputs := append([]string{"github-token", p.github.Job(shop, "pull-requests: write", "actions: read"), "fail-on",
				"errors"}, tt.inputs...)
			code := p.report(inputs...)
			out := p.file("GITHUB_OUTPUT")
			if i := strings.Index(out, "status<<"); i >= 0 {
				out = strings.Split(out[i:], "\n")[1]
			}
			if code != tt.gate || out != tt.status || !strings.Contains(p.notes.String(), tt.says) {
				t.Errorf("exit code %d, status %q: %s", code, out, p.notes.String())
			}
			if code := p.report(slices.Concat(inputs[:2], tt.inputs)...); code != 0 {
				t.Errorf("exit code %d without a gate", code)
			}
		})
	}
}

func nothing(*action.Artifact) {}

// TestAFollowingReportKnowsAttempts checks the second attempt of a fork's workflow run. The artifacts of both attempts
// are stored. The newest attempt decides, and a failure of the first attempt makes the step flaky.
func TestAFollowingReportKnowsAttempts(t *testing.T) {
	t.Parallel()
	of := func(attempt, exit int) map[string]string {
		return edited(t, artifact(t, "test", "test", exit),
			func(a *action.Artifact) { a.CI.RunAttempt, a.CI.Step = attempt, "__run" })
	}
	for want, left := range map[string][]map[string]string{
		"✅ 1 step passed, 1 flaky step": {of(2, 0), of(1, 1)},
		"❌ 1 failed":                    {of(2, 1), of(1, 0)},
	} {
		p := workflowRun(t)
		p.left(left...)
		p.report("github-token", p.github.Job(shop, "pull-requests: write", "actions: read"))
		if !strings.Contains(p.notes.String(), want) {
			t.Errorf("no %q in %s", want, p.notes.String())
		}
	}
}

// Whichever of these events starts a workflow, the report has the runs of the event and names the commit.
func TestEventsNameTheirCommit(t *testing.T) {
	t.Parallel()
	queue := "gh-readonly-queue/main/pr-7-" + strings.Repeat("1", 40)
	for name, tt := range map[string]struct {
		event   string
		payload any
		ref     string
		commit  string
	}{
		"push":              {"push", nil, "refs/heads/main", "333333333"},
		"tag":               {"push", nil, "refs/tags/v1", "333333333"},
		"schedule":          {"schedule", nil, "refs/heads/main", "333333333"},
		"workflow_dispatch": {"workflow_dispatch", nil, "refs/heads/main", "333333333"},
		"merge_group": {"merge_group", map[string]any{"merge_group": map[string]any{"head_ref": "refs/heads/" + queue}},
			"refs/heads/" + queue, "333333333"},
		"pull_request_target": {"pull_request_target", map[string]any{"pull_request": map[string]any{
			"number": number, "head": side("topic", head, shop), "base": side("main", strings.Repeat("1", 40), shop),
		}}, "refs/heads/main", "222222222"},
		"issue_comment": {"issue_comment", map[string]any{
			"issue": map[string]any{"number": number, "pull_request": map[string]any{}}}, "refs/heads/main", "222222222"},
	} {
		p := newPlace(t, tt.event, tt.payload)
		p.env["GITHUB_REF"] = tt.ref
		p.left(artifact(t, "test", "test", 0))
		p.report("github-token", p.github.Job(shop, "pull-requests: write", "actions: read"))
		if summary := p.file("GITHUB_STEP_SUMMARY"); !strings.Contains(summary, "✅ 1 step passed") ||
			!strings.Contains(summary, "Commit `"+tt.commit+"`") {
			t.Errorf("%s: %s%s", name, summary, p.notes.String())
		}
	}
}

// A push to the branch of a pull request and the pull request itself start the same workflow twice. Without a server
// each report sees only its own jobs, so neither replaces the comment of the other.
func TestAPassAfterAnotherEventHidesNoFailure(t *testing.T) {
	t.Parallel()
	p := pullRequest(t)
	token := p.github.Job(shop, "pull-requests: write", "actions: read")
	pull := maps.Clone(p.env)
	push := maps.Clone(p.env)
	push["GITHUB_EVENT_NAME"], push["GITHUB_EVENT_PATH"], push["GITHUB_REF"] = "push", "", "refs/heads/topic"
	push["GITHUB_SHA"] = head
	report := func(env map[string]string, exit int) {
		p.env = env
		p.left(artifact(t, "test", "test", exit))
		p.report("github-token", token, "comment", "always")
	}
	for range 2 {
		report(push, 1)
		report(pull, 0)
	}
	all := p.github.Comments(shop, number)
	if len(all) != 2 || !strings.Contains(all[0].Body, "### ❌ 1 failed") ||
		!strings.Contains(all[0].Body, "Commit `222222222` · event `push`") ||
		!strings.Contains(all[1].Body, "### ✅ 1 step passed") {
		t.Errorf("%+v", all)
	}
}
