package github

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"time"

	"github.com/blq-ci/blq/internal/github/payload"
)

const readsActions = "actions: read"

// Job is a job of a workflow run, or a leg of its matrix.
type Job struct {
	ID         int64
	RunID      int64
	Attempt    int
	Workflow   string // name of its workflow
	Name       string // with the values of the matrix leg: "test (1.26, linux)"
	Status     string
	Conclusion string // "" until the job is completed
	CheckRunID int64  // 0 if GitHub does not send it
	HeadSHA    string
	Runner     string // name of the machine, "" before the job has a machine
	URL        string // address of the page for people
	Started    time.Time
	Completed  time.Time
}

// jobPage is a page of a list of jobs.
type jobPage struct {
	Jobs []payload.WorkflowJob `json:"jobs"`
}

func jobs(all []payload.WorkflowJob) []Job {
	list := make([]Job, len(all))
	for i, j := range all {
		check, err := strconv.ParseInt(path.Base(j.CheckRunURL), 10, 64)
		if err != nil {
			check = 0
		}
		list[i] = Job{
			ID: j.ID, RunID: j.RunID, Attempt: j.RunAttempt, Workflow: j.WorkflowName, Name: j.Name, Status: j.Status,
			Conclusion: j.Conclusion,
			CheckRunID: check, HeadSHA: j.HeadSHA, URL: j.HTMLURL, Runner: j.RunnerName, Started: j.StartedAt,
			Completed: j.CompletedAt,
		}
	}
	return list
}

// Jobs returns the jobs of all attempts of a workflow run.
func (c *Client) Jobs(ctx context.Context, repo string, run int64) ([]Job, error) {
	of, err := pathOf(repo)
	if err != nil {
		return nil, err
	}
	all, err := pages(ctx, c, fmt.Sprintf("%s/actions/runs/%d/jobs", of, run), url.Values{"filter": {"all"}},
		func(p jobPage) []payload.WorkflowJob { return p.Jobs })
	return jobs(all), withPermission(err, repo, "read jobs", readsActions)
}
