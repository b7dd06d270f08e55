package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/action"
	"github.com/blq-ci/blq/action/report"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

const (
	shop    = "acme/shop"
	fork    = "mallory/shop"
	head    = "2222222222222222222222222222222222222222"
	runID   = 77
	ownRun  = 99 // ID of the workflow run that reports
	number  = 7
	threats = "@everyone ![x](http://evil.example/x.png) <script>alert(1)</script> ::error::hi\n"
)

// place is a job with a fake GitHub.
type place struct {
	*testing.T
	github *githubtest.GitHub
	env    map[string]string
	notes  bytes.Buffer
	dir    string
}

func newPlace(t *testing.T, event string, payload any) *place {
	p := &place{T: t, github: githubtest.New(t), dir: t.TempDir()}
	p.github.Repo(shop, 1296269)
	p.github.AddPull(shop, githubtest.Pull{Number: number, HeadSHA: head, HeadRef: "topic", BaseRef: "main"})
	text, err := json.Marshal(payload)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(p.dir, "event.json"), text, 0o644))
	p.env = map[string]string{
		"GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_REPOSITORY": shop, "GITHUB_RUN_ID": fmt.Sprint(runID),
		"GITHUB_RUN_ATTEMPT": "1", "GITHUB_WORKFLOW": "CI",
		"GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": filepath.Join(p.dir, "event.json"),
		"GITHUB_SHA": strings.Repeat("3", 40), "GITHUB_REF": "refs/pull/7/merge",
		"GITHUB_SERVER_URL": "https://github.com", "GITHUB_API_URL": p.github.URL, "RUNNER_TEMP": t.TempDir(),
		"GITHUB_STEP_SUMMARY": filepath.Join(p.dir, "summary"), "GITHUB_OUTPUT": filepath.Join(p.dir, "output"),
	}
	return p
}

func pullRequest(t *testing.T) *place {
	return newPlace(t, "pull_request", map[string]any{"pull_request": map[string]any{
		"number": number, "head": side("topic", head, shop), "base": side("main", strings.Repeat("1", 40), shop),
	}})
}

func workflowRun(t *testing.T) *place {
	p := newPlace(t, "workflow_run", map[string]any{"workflow_run": map[string]any{
		"id": runID, "run_attempt": 2, "name": "CI", "event": "pull_request", "head_sha": head, "head_branch": "topic",
		"head_repository": map[string]any{"full_name": fork}, "repository": map[string]any{"full_name": shop},
		"pull_requests": []any{},
	}})
	p.env["GITHUB_RUN_ID"], p.env["GITHUB_WORKFLOW"], p.env["GITHUB_REF"] = fmt.Sprint(ownRun), "Report", "refs/heads/main"
	p.github.AddPull(shop, githubtest.Pull{Number: 8, HeadSHA: head, HeadRef: "topic", HeadRepo: fork, BaseRef: "main"})
	return p
}

func side(ref, sha, repo string) map[string]any {
	return map[string]any{"ref": ref, "sha": sha, "repo": map[string]any{"full_name": repo}}
}

// report runs the report with inputs and returns its exit code.
func (p *place) report(inputs ...string) int {
	p.Helper()
	p.notes.Reset()
	look := func(name string) string {
		for i := 0; i < len(inputs); i += 2 {
			if inputs[i] == name {
				return inputs[i+1]
			}
		}
		return ""
	}
	job := &action.Job{Getenv: func(name string) string { return p.env[name] }, Notes: &p.notes, Version: "test"}
	in, wrong := report.ReadInputs(look, job.Getenv)
	return report.Run(p.Context(), job, in, wrong)
}

func (p *place) file(name string) string {
	text, err := os.ReadFile(p.env[name])
	if err != nil && !os.IsNotExist(err) {
		p.Fatal(err)
	}
	return string(text)
}

// artifact returns the files of a run in a job's artifact.
func artifact(t *testing.T, source, jobName string, exit int, messages ...string) map[string]string {
	t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	began := time.Now().Add(-time.Minute)
	a := action.Artifact{
		Start: api.Start{AttemptID: id, Repo: "evil/elsewhere", Source: source, Command: "make", StartedAt: began,
			Commit: strings.Repeat("e", 40), Branch: "main",
			CI: &store.CI{Provider: "github", Repo: "evil/elsewhere", Job: jobName, PR: 12345, RunID: "1",
				HeadSHA: strings.Repeat("e", 40), URL: "https://evil.example/evil/elsewhere/actions/runs/1"}},
		Finish: api.Finish{FinishedAt: began.Add(time.Second), ExitCode: &exit},
	}
	run, err := json.Marshal(a)
	check(t, err)
	var events, log strings.Builder
	for i, m := range messages {
		line, err := json.Marshal(api.Event{ID: i + 1, Event: store.Event{Severity: store.SeverityError, File: "main.c",
			Line: i + 1, Message: m, Tool: "gcc", Category: store.CategoryCompile, LogLine: i + 1, LogLineEnd: i + 1}})
		check(t, err)
		events.Write(append(line, '\n'))
		log.WriteString(m + "\n")
	}
	z, err := zstd.NewWriter(nil)
	check(t, err)
	return map[string]string{
		id + "/" + action.ArtifactRun: string(run), id + "/" + action.ArtifactEvents: events.String(),
		id + "/" + action.ArtifactLog: string(z.EncodeAll([]byte(log.String()), nil)),
	}
}

func (p *place) left(artifacts ...map[string]string) { p.leftWithJobs(nil, artifacts...) }

// leftWithJobs is like left, but GitHub also lists the given jobs.
func (p *place) leftWithJobs(jobs []githubtest.Job, artifacts ...map[string]string) {
	run := githubtest.Run{ID: runID, Attempt: 1, Event: "pull_request", HeadSHA: head, HeadBranch: "topic", Jobs: jobs}
	for i, files := range artifacts {
		run.Artifacts = append(
			run.Artifacts, githubtest.Artifact{ID: int64(i + 1), Name: fmt.Sprintf("blq-%d", i), Zip: githubtest.Zip(files)})
	}
	p.github.SetRun(shop, run)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAllJobsAreInOneComment(t *testing.T) {
	t.Parallel()
	p := pullRequest(t)
	p.left(artifact(t, "build", "build", 2, "'x' undeclared"), artifact(t, "test", "test", 1, "KeyError: 'y'"),
		artifact(t, "lint", "lint", 0))
	token := p.github.Job(shop, "pull-requests: write", "actions: read")
	for range 2 {
		if code := p.report("github-token", token); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	all := p.github.Comments(shop, number)
	if len(all) != 1 || !strings.Contains(all[0].Body, "### ❌ 2 failed\n") ||
		!strings.Contains(all[0].Body, "`'x' undeclared`") || !strings.Contains(all[0].Body, "1 step passed") {
		t.Errorf("%+v\n%s", all, p.notes.String())
	}
	if out := p.file("GITHUB_OUTPUT"); !strings.Contains(out, "failed") || !strings.Contains(out, "comment-url") {
		t.Error(out)
	}
	if !strings.Contains(p.file("GITHUB_STEP_SUMMARY"), "KeyError") || !strings.Contains(p.notes.String(), "unchanged") {
		t.Error(p.notes.String())
	}
}

func TestArtifactsOfAForkAreNotBelieved(t *testing.T) {
	t.Parallel()
	p := workflowRun(t)
	p.left(artifact(t, "build", "build", 2, threats))
	token := p.github.Job(shop, "pull-requests: write", "actions: read")
	p.report("github-token", token)
	if len(p.github.Comments(shop, number)) != 0 || len(p.github.Comments(shop, 12345)) != 0 {
		t.Error("another pull request has a comment")
	}
	all := p.github.Comments(shop, 8)
	if len(all) != 1 {
		t.Fatal(p.notes.String())
	}
	body := all[0].Body
	for _, bad := range []string{"evil.example/evil", "evil/elsewhere", "eeeeeee", "\n::error", "runs/1)"} {
		if strings.Contains(body, bad) {
			t.Errorf("%q is in %s", bad, body)
		}
	}
	if !strings.Contains(body, "https://github.com/acme/shop/actions/runs/77") ||
		!strings.Contains(body, "Commit `222222222`") {
		t.Error(body)
	}
}

func TestArtifactsAreReadWithinBounds(t *testing.T) {
	t.Parallel()
	z, err := zstd.NewWriter(nil)
	check(t, err)
	good := artifact(t, "build", "build", 1, "'x' undeclared")
	bomb := artifact(t, "test", "test", 1, "'y' undeclared")
	for name := range bomb {
		if strings.HasSuffix(name, action.ArtifactLog) {
			bomb[name] = string(z.EncodeAll(make([]byte, 64<<20), nil))[:100]
		}
	}
	broken := map[string]string{"a/run.json": "{", "b/run.json": `{"attempt_id":"x","source_name":"build"}`,
		"../../c/run.json": "{}", "d/run.json": `{"attempt_id":"` + uuid.NewString() + `","source_name":"../x"}`}
	p := pullRequest(t)
	p.left(good, bomb, broken)
	if code := p.report("github-token", p.github.Job(shop, "pull-requests: write", "actions: read")); code != 0 {
		t.Error(code)
	}
	notes := p.notes.String()
	// Nobody knows how the step ../x ended, so it counts as failed.
	if all := p.github.Comments(shop, number); len(all) != 1 || !strings.Contains(all[0].Body, "### ❌ 3 failed") ||
		!strings.Contains(all[0].Body, "2 runs not recorded in full") {
		t.Errorf("%+v\n%s", all, notes)
	}
	for _, want := range []string{"a is not read", "b is not read", "c is not read"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
}

// A run that has not ended has no exit code in its artifact. The report does not say that its step passed.
func TestAnArtifactWithoutAnEndIsNoSuccess(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"RUNNING", "ORPHANED"} {
		p := pullRequest(t)
		p.left(artifact(t, "test", "test", 0), map[string]string{"a/run.json": `{"attempt_id":"` + uuid.NewString() +
			`","source_name":"build","status":"` + status + `"}`})
		p.report("comment", "always", "github-token", p.github.Job(shop, "pull-requests: write", "actions: read"))
		if all := p.github.Comments(shop, number); len(all) != 1 || strings.Contains(all[0].Body, "✅") ||
			!strings.Contains(all[0].Body, "not all is known") {
			t.Errorf("%s: %+v\n%s", status, all, p.notes.String())
		}
	}
}

func TestWhatIsMissingIsOneLine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(p *place)
		inputs []string
		want   string
	}{
		"no permission to comment": {func(p *place) {}, []string{"github-token", "JOB pull-requests: read,actions: read"},
			"permissions: pull-requests: write"},
		"no token": {func(p *place) {}, nil, "github-token"},
		"no runs": {func(p *place) { p.left() }, []string{"github-token", "JOB actions: read"},
			"the jobs left no runs"},
		"not in a job": {func(p *place) { p.env = map[string]string{} }, nil, "not a job of GitHub Actions"},
		"a server that is away": {func(p *place) {}, []string{"github-token", "JOB pull-requests: write,actions: read",
			"server", "http://127.0.0.1:1", "token", "x"}, "the server does not answer"},
		"a server without proof": {func(p *place) {}, []string{
			"github-token", "JOB pull-requests: write,actions: read", "server", "http://127.0.0.1:1"}, "id-token: write"},
		"a wrong input": {func(p *place) {}, []string{"docs", "sometimes"}, `input docs: "sometimes"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := pullRequest(t)
			p.left(artifact(t, "build", "build", 2, "'x' undeclared"))
			tt.change(p)
			for i, in := range tt.inputs {
				if may, ok := strings.CutPrefix(in, "JOB "); ok {
					tt.inputs[i] = p.github.Job(shop, strings.Split(may, ",")...)
				}
			}
			if code := p.report(tt.inputs...); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if got := p.notes.String(); strings.Count(got, "::warning") != 1 || !strings.Contains(got, tt.want) {
				t.Errorf("no %q in one warning: %s", tt.want, got)
			}
		})
	}
}

func TestTheGateIsTheUsers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		failOn string
		exit   int
		want   int
	}{{"never", 1, 0}, {"errors", 1, 1}, {"errors", 0, 0}, {"new-errors", 1, 1}, {"new-errors", 0, 0},
		{"error", 1, 1}, {"error", 0, 0}} {
		p := pullRequest(t)
		var messages []string
		if tt.exit != 0 {
			messages = []string{"'x' undeclared"}
		}
		p.left(artifact(t, "build", "build", tt.exit, messages...))
		if code := p.report("github-token", p.github.Job(shop, "actions: read"), "comment", "false", "fail-on",
			tt.failOn); code != tt.want {
			t.Errorf("fail-on %s with exit %d: %d\n%s", tt.failOn, tt.exit, code, p.notes.String())
		}
	}
}

// Hiding a secret of two characters makes a report longer, because three asterisks replace the secret. A report that
// becomes too long for a comment is reduced to its headline.
func TestAReportThatMasksMakeTooLongKeepsItsHeadline(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{100: strings.Repeat("***", 100),
		30_000: "### ❌ 1 failed\n\nThe report is too long for a comment.\n"} {
		if got := report.Fitting(strings.Repeat("***", n), "❌ 1 failed"); got != want {
			t.Errorf("%d masks become %.80q", n, got)
		}
	}
}
