package deliveries

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/event"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/store"
)

// execution is one attempt of a workflow run.
type execution struct {
	place   place
	run     int64
	attempt int
}

// about describes a workflow run: its commit, its event and its workflow.
type about struct {
	event.Facts
	event string
	actor string
	name  string // name of the workflow
	path  string // path of the workflow file
}

// maxAbout is the max number of cached workflow runs.
const maxAbout = 1000

// aboutRun returns the description of a workflow run. It caches the description, because each job of the run needs it.
func (d *Deliveries) aboutRun(ctx context.Context, client *github.Client, repo string, e execution) (about, error) {
	a, ok := d.runs.Get(e)
	if ok {
		return a, nil
	}
	run, err := client.WorkflowRun(ctx, repo, e.run)
	if err != nil {
		return a, err
	}
	a = about{event: run.Event, actor: run.Actor.Login, name: run.Name}
	a.path, _, _ = strings.Cut(run.Path, "@")
	a.Facts = event.Job{Event: "workflow_run", Repo: repo, Payload: &payload.Event{WorkflowRun: &run}}.Facts()
	if run.Event == "merge_group" {
		a.Facts = event.Job{Event: run.Event, Ref: "refs/heads/" + run.HeadBranch, SHA: run.HeadSHA}.Facts()
	}
	if a.PR == 0 && strings.HasPrefix(run.Event, "pull_request") { // GitHub does not report pull requests of forks
		owner, _, _ := strings.Cut(run.HeadRepository.FullName, "/")
		p, err := client.PullOf(ctx, repo, github.Head{Owner: owner, Branch: run.HeadBranch, SHA: run.HeadSHA})
		switch {
		case err == nil:
			a.PR, a.BaseRef, a.BaseSHA = p.Number, p.BaseRef, p.BaseSHA
		case store.CodeOf(err) != store.NotFound && store.CodeOf(err) != store.Invalid:
			return a, err
		}
	}
	d.runs.Add(e, a)
	return a, nil
}

// facts returns the facts for the runs of a job.
func (a about) facts(repo string, job payload.WorkflowJob) store.Run {
	name, leg := splitLeg(job.Name)
	run := store.Run{
		Repo: repo, Hostname: job.RunnerName, Platform: platform(job.Labels),
		Git: store.Git{Commit: a.Commit, Branch: a.Branch},
		CI: &store.CI{
			Provider: "github", Repo: repo, Workflow: a.name, Job: name, Matrix: leg, EventName: a.event, Actor: a.actor,
			CheckRunID: strconv.FormatInt(job.ID, 10), RunID: strconv.FormatInt(job.RunID, 10),
			RunAttempt: max(1, job.RunAttempt), PR: a.PR, HeadSHA: a.Commit, HeadRef: a.Branch, BaseRef: a.BaseRef,
			BaseSHA: a.BaseSHA, Fork: a.Fork, URL: job.HTMLURL,
		},
	}
	return run
}

// splitLeg splits the name of a job: "test (1.26, linux)" is a matrix leg of the job test. GitHub does not send the
// names of the values, so the values are numbered.
func splitLeg(name string) (job, leg string) {
	if i := strings.LastIndex(name, " / "); i >= 0 { // a job of a called workflow
		name = name[i+3:]
	}
	job, values, ok := strings.Cut(name, " (")
	if !ok || !strings.HasSuffix(values, ")") {
		return name, ""
	}
	of := map[string]string{}
	for i, v := range strings.Split(strings.TrimSuffix(values, ")"), ", ") {
		of[fmt.Sprintf("%02d", i+1)] = v
	}
	text, err := json.Marshal(of)
	if err != nil {
		return name, ""
	}
	return job, string(text)
}

// platform returns the operating system of a runner from the runner's labels, or "" if no label names the system.
func platform(labels []string) string {
	for _, l := range labels {
		for prefix, name := range map[string]string{"ubuntu": "Linux", "linux": "Linux", "macos": "Darwin",
			"windows": "Windows"} {
			if strings.HasPrefix(strings.ToLower(l), prefix) {
				return name
			}
		}
	}
	return ""
}
