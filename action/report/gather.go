package report

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"time"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// maxComment is the max number of bytes of a comment. It is lower than GitHub's limit, because GitHub counts characters
// differently.
const maxComment = 60_000

// gather returns the report and the topic of its comment. It asks the server. It reads artifacts if there is no server,
// if the server does not answer, or if the event is workflow_run. A report without the server has a topic of its own
// for each workflow and event, so it does not replace the comment of another workflow. A push and a pull request also
// have two comments, because they build different commits.
func (r *reporter) gather(ctx context.Context) (p markdown.Pull, topic string, err error) {
	params := markdown.PullParams{
		Repo: r.subject.repo, PR: cmp.Or(r.subject.pr, r.subject.comments), Commit: r.subject.commit,
		Branch:   r.shown().headBranch(),
		MaxBytes: maxComment, Unbranched: r.subject.branch == "", RunID: strconv.FormatInt(r.subject.run, 10),
		Docs: r.in.Docs, Needs: r.in.Needs, Conclusion: r.subject.conclusion,
	}
	if params.Jobs, err = r.jobs(ctx); err != nil {
		r.missed("GitHub's results of the jobs are unknown", err)
		if r.in.Needs == nil && r.subject.conclusion == "" {
			params.Unread++ // a job may have failed where blq saw no step
		}
	}
	r.addOwn(&params)
	if r.in.unreadNeeds {
		params.Unread = 1 // job results that cannot be read may hide a failure
	}
	to, err := r.Client(r.in.Server, r.in.Token)
	if err != nil {
		r.missed("the server is not asked", err)
	}
	if to == nil && r.in.Server != "" && err == nil {
		r.missed("the server is not asked",
			store.Errorf(store.Unauthorized, "the job has neither permissions: id-token: write nor the input token"))
	}
	if to != nil {
		r.addOthers(ctx, &params)
	}
	if to != nil && !r.subject.follows {
		if p, err = r.ask(ctx, to, params); err == nil {
			return p, "", nil
		}
		r.missed("the server does not answer", err)
		to = nil
	}
	if r.in.Server != "" && to == nil && !r.subject.fork {
		params.Unread++ // the server may have runs that are not in artifacts
	}
	return r.fromArtifacts(ctx, to, params)
}

// ask asks the server for the report. It uses at most half of the remaining time, so that time is left for a report
// without the server.
func (r *reporter) ask(ctx context.Context, to *client.Client, params markdown.PullParams) (markdown.Pull, error) {
	ctx, cancel := part(ctx, 2)
	defer cancel()
	r.asked = time.Now()
	return questions.Pull.Ask(ctx, &remote.Client{Server: to, Repo: r.subject.repo}, params)
}

// fromArtifacts returns the report and its topic from the runs in the jobs' artifacts. If there is a server, it sends
// these runs to the server and asks the server for the report, because the server knows which errors are new.
func (r *reporter) fromArtifacts(ctx context.Context, to *client.Client, params markdown.PullParams) (
	p markdown.Pull, topic string, err error) {
	dir, err := os.MkdirTemp(r.Getenv("RUNNER_TEMP"), "blq-report-")
	if err != nil {
		return p, "", err
	}
	defer os.RemoveAll(dir)
	if _, err := project.Create(dir + "/store"); err != nil {
		return p, "", err
	}
	w, err := project.Open(r.local, dir+"/store")
	if err != nil {
		return p, "", err
	}
	defer w.Store.Close()
	i := &importer{subject: r.shown(), store: w.Store, blobs: w.Blobs}
	if err := r.read(ctx, i, dir); err != nil {
		return p, "", err
	}
	r.wrong = append(r.wrong, i.wrong...)
	params.Unread += i.unread
	if to != nil {
		if p, err = r.forward(ctx, to, w, i.runs, params); err == nil {
			return p, "", nil
		}
		r.missed("the server does not answer", err)
		if !r.subject.fork {
			params.Unread++
		}
	}
	if len(i.runs) == 0 {
		return p, "", store.Hint(store.Errorf(store.NotFound, "the jobs left no runs"),
			"upload the folder that steps name in their output artifacts, as blq-JOB, with actions/upload-artifact")
	}
	params.Workflow, params.Passing, topic = i.subject.workflow, true, i.subject.workflow
	if event := i.subject.event; event != "pull_request" {
		params.Event = event
		topic += "\n" + event
	}
	r.asked = time.Now()
	asker := &query.Asker{Store: w.Store, Blobs: w.Blobs, Scope: store.Everything()}
	p, err = markdown.WritePull(r.local, asker, cmdline.Words, params)
	return p, topic, err
}

// shown returns the subject without secrets, for storing and reporting.
func (r *reporter) shown() subject {
	s := r.subject
	for _, text := range []*string{&s.workflow, &s.branch, &s.baseRef} {
		*text = r.Redactor.String(*text)
	}
	return s
}

// forward sends the runs that their jobs could not send. After that it asks the server for the report on all runs.
func (r *reporter) forward(ctx context.Context, to *client.Client, w *project.Project, runs []store.Run,
	params markdown.PullParams) (markdown.Pull, error) {
	ctx, cancel := part(ctx, 2)
	defer cancel()
	push := client.Pusher{Client: to, Source: w.Store, Blobs: w.Blobs, Repo: r.subject.repo}
	for _, run := range runs {
		// Conflict: another attempt of this job may have sent the run.
		if _, err := push.Push(ctx, run.Attempt); err != nil && store.CodeOf(err) != store.Conflict {
			return markdown.Pull{}, err
		}
	}
	params.RunID = r.Getenv("GITHUB_RUN_ID") // the server accepts a job's runs only for its own workflow run
	return r.ask(ctx, to, params)
}

// jobs returns the jobs of all attempts from GitHub. It returns nil if there is no client of GitHub, or if the token
// may not list jobs. The report is then made without GitHub's results of jobs. After any other error, the results of
// jobs are unknown.
func (r *reporter) jobs(ctx context.Context) ([]markdown.Job, error) {
	if r.github == nil {
		return nil, nil
	}
	ctx, cancel := part(ctx, 4)
	defer cancel()
	all, err := r.github.Jobs(ctx, r.subject.repo, r.subject.run)
	switch store.CodeOf(err) {
	case store.Forbidden, store.Unauthorized:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list := jobsIn(all)
	for i, j := range all {
		list[i].Own = r.isOwn(j)
	}
	return list, nil
}

// jobsIn returns GitHub's facts about the jobs of a workflow run.
func jobsIn(all []github.Job) []markdown.Job {
	newest := map[string]int{}
	for _, j := range all {
		newest[j.Name] = max(newest[j.Name], j.Attempt)
	}
	var list []markdown.Job
	for _, j := range all {
		failed := markdown.FailedConclusion(j.Conclusion) && j.Attempt == newest[j.Name]
		list = append(list, markdown.Job{
			ID: strconv.FormatInt(j.CheckRunID, 10), Name: j.Name, Failed: failed, URL: j.URL, Attempt: j.Attempt,
			Conclusion: j.Conclusion,
		})
	}
	return list
}

// isOwn reports whether a job of the workflow run is the reporting job itself. It compares the IDs of their check
// runs. If the ID of the reporting job is unknown, a job in progress on a runner with the same name is the reporting
// job, because a runner runs only one job at a time. If the name of a runner is unknown, any job in progress may be it.
func (r *reporter) isOwn(j github.Job) bool {
	if id := r.in.CheckRunID; id != "" && id != "0" {
		return id == strconv.FormatInt(j.CheckRunID, 10)
	}
	runner := r.Getenv("RUNNER_NAME")
	return j.Status == "in_progress" && (runner == "" || j.Runner == "" || runner == j.Runner)
}
