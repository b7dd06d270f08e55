package github

import (
	"context"
	"path"
	"strconv"
	"time"

	gh "github.com/google/go-github/v60/github"
)

const readsActions = "actions: read"

// Job is a job of a workflow run, or one leg of its matrix.
type Job struct {
	ID         int64
	RunID      int64
	Attempt    int
	Name       string // with the values of the leg: "test (1.26, linux)"
	Status     string
	Conclusion string // "" until it is completed
	CheckRunID int64  // 0 where GitHub does not say
	HeadSHA    string
	Runner     string // name of the machine, "" until it has one
	URL        string // of the page for people
	Started    time.Time
	Completed  time.Time
}

func jobs(all []*gh.WorkflowJob) []Job {
	list := make([]Job, len(all))
	for i, j := range all {
		check, err := strconv.ParseInt(path.Base(j.GetCheckRunURL()), 10, 64)
		if err != nil {
			check = 0
		}
		list[i] = Job{
			ID: j.GetID(), RunID: j.GetRunID(), Attempt: int(j.GetRunAttempt()), Name: j.GetName(), Status: j.GetStatus(),
			Conclusion: j.GetConclusion(),
			CheckRunID: check, HeadSHA: j.GetHeadSHA(), URL: j.GetHTMLURL(), Runner: j.GetRunnerName(),
			Started: j.GetStartedAt().Time, Completed: j.GetCompletedAt().Time,
		}
	}
	return list
}

// Jobs returns the jobs of all attempts of a workflow run.
func (c *Client) Jobs(ctx context.Context, repo string, run int64) ([]Job, error) {
	owner, name, err := split(repo)
	if err != nil {
		return nil, err
	}
	all, err := pages(func(o gh.ListOptions) ([]*gh.WorkflowJob, *gh.Response, error) {
		list, resp, err := c.gh.Actions.ListWorkflowJobs(
			ctx, owner, name, run, &gh.ListWorkflowJobsOptions{Filter: "all", ListOptions: o})
		if err != nil {
			return nil, resp, err
		}
		return list.Jobs, resp, nil
	})
	return jobs(all), may(err, repo, "read jobs", readsActions)
}
