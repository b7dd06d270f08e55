package deliveries_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// compiled is the output of a step, and failed is a job with that step.
const compiled = "a.c:3:1: error: 'x' undeclared"

func failed(id int64, name string) githubtest.Job {
	return githubtest.Job{ID: id, Name: name, Conclusion: "failure", Labels: []string{"ubuntu-latest"},
		Steps: []githubtest.Step{{Name: "Set up job", To: 1}, {Name: "Run actions/checkout@v4", From: 1, To: 2},
			{Name: "Build & check", From: 2, To: 9, Conclusion: "failure"}, {Name: "Run pytest", From: 9, To: 9,
				Conclusion: "skipped"}, {Name: "Complete job", From: 9, To: 10}},
		Log: aLog("0 Current runner version: '2.330.0'", "1 ##[group]Run actions/checkout@v4", "1 with:", "1 ##[endgroup]",
			"1 HEAD is now at 1", "2 ##[group]Run make", "2 \x1b[36;1mmake\x1b[0m", "2 shell: bash", "2 ##[endgroup]",
			"3 "+compiled, "3 token ghp_"+strings.Repeat("a1B2", 9), "9 ##[error]Process completed with exit code 2.",
			"9 Cleaning up orphan processes")}
}

func TestAJobsLogBecomesRunsOfItsSteps(t *testing.T) {
	onEach(t, func(p *place) {
		p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
		p.github.SetRun(shop, githubtest.Run{ID: 5, Event: "pull_request", HeadBranch: "feature", HeadSHA: head,
			Jobs: []githubtest.Job{failed(10, "build (1.26, linux)")}})
		for range 2 {
			p.jobEnded(10)
			p.same(p.runs(), []string{"acme/shop@Build-check:1 FAIL 1"})
			p.same(p.dead(), []string(nil))
		}
		run, err := p.store.Run(p.Context(), store.Repos(shop), store.Ref{Repo: shop, Serial: 1})
		check(p.TB, err)
		p.same([]any{run.Command, *run.ExitCode, run.Git.Commit, run.Git.Branch, run.Platform,
			run.StartedAt.Equal(githubtest.At.Add(2 * time.Second)), run.Duration()},
			[]any{"make", 2, head, "feature", "Linux", true, 7 * time.Second})
		p.same(*run.CI, store.CI{Provider: "github", Repo: shop, Workflow: "CI", Job: "build",
			Matrix: `{"01":"1.26","02":"linux"}`, EventName: "pull_request", Actor: "octocat", CheckRunID: "10", RunID: "5",
			RunAttempt: 1, PR: 7, HeadSHA: head, HeadRef: "feature", BaseRef: "main", BaseSHA: strings.Repeat("b", 40),
			URL: "https://github.example.com/acme/shop/actions/runs/5/job/10", Step: "log:3"})
		asker := &query.Asker{Store: p.store, Blobs: p.blobs, Scope: store.Repos(shop)}
		events, err := asker.Events(p.Context(), query.EventsParams{Ref: "Build-check:1"})
		check(p.TB, err)
		p.same(events.Events[0].File, "a.c")
		out, err := asker.OutputPart(p.Context(), query.OutputParams{Ref: "Build-check:1"})
		check(p.TB, err)
		p.same(out.Content, compiled+"\ntoken ***\n")
	})
}

// sendBuild stores the run of the step "Build & check" of job 10, as the job sends it. It also reports the end of the
// step.
func (p *place) sendBuild() {
	p.Helper()
	sent, err := p.store.StartRun(p.Context(), store.Run{Attempt: "019c0000-0000-7000-8000-000000000001", Repo: shop,
		Source: "build", Command: "make", StartedAt: githubtest.At.Add(2500 * time.Millisecond),
		CI: &store.CI{Provider: "github", RunID: "5", RunAttempt: 1, CheckRunID: "10", Job: "build", Step: "__run"}})
	check(p.TB, err)
	two := 2
	sent, err = p.store.FinishRun(p.Context(), sent.Attempt, store.Finish{Chunks: -1, Batches: -1,
		Ending: store.Ending{FinishedAt: githubtest.At.Add(8 * time.Second), ExitCode: &two}})
	check(p.TB, err)
	check(p.TB, p.work.Ended(p.Context(), p.queue, sent))
}

// If a job sends the run of a step to the service, the job's log adds no second run of this step. The run may arrive
// before or after the log is fetched.
func TestAStepThatTheJobSentIsOneRun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		order []func(p *place)
		want  string
	}{
		"before": {[]func(p *place){(*place).sendBuild, func(p *place) { p.jobEnded(10) }}, "acme/shop@build:1 FAIL 0"},
		"after":  {[]func(p *place){func(p *place) { p.jobEnded(10) }, (*place).sendBuild}, "acme/shop@build:2 FAIL 0"},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(p *place) {
				p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{failed(10, "build")}})
				for _, do := range tt.order {
					do(p)
				}
				p.drain()
				p.jobEnded(10)
				p.same(p.runs(), []string{tt.want})
				p.same(p.dead(), []string(nil))
			})
		})
	}
}

// closed is a directory with a database that does not answer.
type closed struct{ store.Enrolment }

func (closed) EnrolledRepos(context.Context) ([]store.EnrolledRepo, error) {
	return nil, store.Errorf(store.Unavailable, "the database does not answer")
}

// Removing a double and queueing the report belong to one job. After a failed try, the next try does both. A try after
// the removal queues the report, too.
func TestTheReportFollowsARemovedDouble(t *testing.T) {
	onEach(t, func(p *place) {
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{failed(10, "build")}})
		p.jobEnded(10)
		p.drain()
		p.sendBuild()
		body, err := json.Marshal(map[string]any{"repo": shop, "job": store.CIJob{RunID: "5", RunAttempt: 1}, "sha": head})
		check(p.TB, err)
		try := func() ([]store.Work, error) {
			return p.work.Handlers()["double"](p.Context(), store.Work{Kind: "double", Repo: shop, Body: body})
		}
		open := p.work.Directory
		p.work.Directory = closed{open}
		if then, err := try(); store.CodeOf(err) != store.Unavailable {
			t.Errorf("without a database: %v, %v", then, err)
		}
		p.same(len(p.runs()), 2)
		p.work.Directory = open
		for range 2 {
			then, err := try()
			check(p.TB, err)
			p.same(len(then), 1)
			p.same(then[0].Kind, "report")
		}
		p.same(p.runs(), []string{"acme/shop@build:2 FAIL 0"})
	})
}

func TestARunsEndFindsJobsThatNobodyToldOf(t *testing.T) {
	onEach(t, func(p *place) {
		fork := githubtest.Run{ID: 5, Event: "pull_request", HeadBranch: "main", HeadSHA: head, HeadRepo: "mallory/shop",
			Jobs: []githubtest.Job{failed(10, "a"), failed(11, "b"), {ID: 12, Name: "c", Conclusion: "skipped"}}}
		p.github.AddPull(shop, githubtest.Pull{Number: 8, HeadSHA: head, HeadRef: "main", HeadRepo: "mallory/shop"})
		p.github.SetRun(shop, fork)
		p.jobEnded(11)
		p.deliver(p.github.RunEnded("run", p.installed, shop, 5))
		p.drain()
		p.same(p.runs(), []string{"acme/shop@Build-check:1 FAIL 1", "acme/shop@Build-check:2 FAIL 1"})
		run, err := p.store.Run(p.Context(), store.Repos(shop), store.Ref{Repo: shop, Serial: 1})
		check(p.TB, err)
		p.same([]any{run.CI.Fork, run.CI.PR, run.Git.Branch}, []any{true, 8, "pull/8:main"})
	})
}

func TestALogThatIsNotThereYetIsFetchedLater(t *testing.T) {
	onEach(t, func(p *place) {
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{failed(10, "build")}})
		p.now = githubtest.At.Add(time.Minute)
		path := "GET /repos/acme/shop/actions/jobs/10/logs"
		p.github.Fault(path, 1, githubtest.Broken(404))
		p.github.Fault(path, 1, githubtest.Broken(502))
		p.github.Fault(path, 1, githubtest.TooMany(20))
		p.github.Fault("POST /app/installations", 1, githubtest.Secondary())
		p.github.Fault("GET /repos/acme/shop/contents", 1, githubtest.Broken(502))
		p.github.Fault("GET /repos/acme/shop/git/trees", 1, githubtest.TooMany(20))
		p.jobEnded(10)
		p.now = p.now.Add(5 * time.Minute)
		p.drain()
		p.same(p.runs(), []string{"acme/shop@Build-check:1 FAIL 1"})
		p.same(p.dead(), []string(nil))
	})
}

func TestWhatCannotSucceedIsADeadLetter(t *testing.T) {
	onEach(t, func(p *place) {
		gone := failed(10, "build")
		gone.Log = ""
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{gone}})
		p.jobEnded(10)
		if dead := p.dead(); len(dead) != 1 || !strings.Contains(dead[0], "log: cannot read logs of acme/shop") {
			p.Errorf("%q", dead)
		}
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{failed(10, "build")}})
		list, err := p.store.Works(p.Context(), store.WorkFilter{State: store.WorkDead})
		check(p.TB, err)
		check(p.TB, p.store.ReplayWork(p.Context(), list[0].ID, p.now))
		p.drain()
		p.same(p.runs(), []string{"acme/shop@Build-check:1 FAIL 1"})
	})
}

func TestRepositoriesComeAndGoWithTheInstallation(t *testing.T) {
	onEach(t, func(p *place) {
		names := func() (list []string) {
			all, err := p.store.EnrolledRepos(p.Context())
			check(p.TB, err)
			for _, r := range all {
				list = append(list, r.Name+" "+r.DefaultBranch)
			}
			return list
		}
		p.github.Repo("acme/web", 2)
		p.installed = p.github.Install(p.app.ID, "acme", []string{shop, "acme/web"}, "actions: read")
		p.deliver(p.github.Installed("1", "created", p.installed, "acme", shop, "acme/web"))
		p.drain()
		p.same(names(), []string{"acme/shop main", "acme/web main"})
		p.deliver(p.github.Installed("2", "deleted", p.installed, "acme", "acme/web"))
		p.drain()
		p.same(names(), []string{"acme/shop main"})
		p.github.SetRun("acme/web", githubtest.Run{ID: 6, Jobs: []githubtest.Job{failed(20, "build")}})
		p.deliver(p.github.JobEnded("3", p.installed, "acme/web", 20)) // the installation has ended
		p.drain()
		p.same(p.runs(), []string(nil))
		p.same(p.dead(), []string(nil))
	})
}

// GitHub lists failed deliveries and recent runs, so missed events are found again.
func TestASweepFindsWhatWasMissed(t *testing.T) {
	onEach(t, func(p *place) {
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{failed(10, "build")}})
		at := p.now.Add(-time.Minute)
		p.github.SetDeliveries(p.app.ID, githubtest.Sent{ID: 4, GUID: "a", Status: 200, At: at},
			githubtest.Sent{ID: 3, GUID: "b", Status: 503, At: at}, githubtest.Sent{ID: 2, GUID: "a", Status: 503, At: at},
			githubtest.Sent{ID: 1, GUID: "c", Status: 503, At: at.Add(-48 * time.Hour)})
		for range 2 {
			check(p.TB, p.work.Sweep(p.Context(), p.queue))
			p.drain()
		}
		var asked []int64
		for _, s := range p.github.Deliveries(p.app.ID) {
			if s.Asked > 0 {
				asked = append(asked, s.ID)
			}
		}
		p.same(asked, []int64{3})
		p.same(p.runs(), []string{"acme/shop@Build-check:1 FAIL 1"})
	})
}

// The archive of a workflow run has a file for each step. It gives the same runs as the log.
func TestALogIsReadFromTheArchive(t *testing.T) {
	onEach(t, func(p *place) {
		job := failed(10, "build: all/parts")
		text := job.Log[strings.Index(job.Log, "##[group]Run make")-29:]
		job.Log, job.Files = "", map[string]string{"3_Build & check.txt": text[:strings.Index(text, "Cleaning")-29]}
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{job}})
		p.jobEnded(10)
		p.same(p.runs(), []string{"acme/shop@Build-check:1 FAIL 1"})
		p.same(p.dead(), []string(nil))
	})
}

// An archive may have only the log of the whole job.
func TestALogIsReadFromTheArchivesLogOfTheJob(t *testing.T) {
	onEach(t, func(p *place) {
		job, other := failed(10, "build: all/parts (1, 2)"), failed(11, "build: all/parts (1, 3)")
		job.Log, job.Archived = "", job.Log
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{other, job}})
		p.jobEnded(10)
		p.same(p.runs(), []string{"acme/shop@Build-check:1 FAIL 1"})
		p.same(p.dead(), []string(nil))
	})
}

// In the log of a job, a workflow command has a message but no file. The file comes from the annotations of the job.
func TestWorkflowCommandsHaveTheirFiles(t *testing.T) {
	onEach(t, func(p *place) {
		job := failed(10, "build")
		job.Log = strings.ReplaceAll(job.Log, compiled, "##[error]50% is: too little")
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{job}})
		p.github.Annotate(shop, 10, githubtest.Annotation{Path: ".github", StartLine: 1, EndLine: 1, Level: "failure",
			Message: "Process completed with exit code 2."}, githubtest.Annotation{Path: "src/a,b.c", StartLine: 3, EndLine: 3,
			Level: "failure", Message: "50% is: too little"})
		p.jobEnded(10)
		asker := &query.Asker{Store: p.store, Blobs: p.blobs, Scope: store.Repos(shop)}
		events, err := asker.Events(p.Context(), query.EventsParams{Ref: "Build-check:1"})
		check(p.TB, err)
		p.same([]any{len(events.Events), events.Events[0].File, events.Events[0].Line, events.Events[0].Message},
			[]any{1, "src/a,b.c", 3, "50% is: too little"})
	})
}
