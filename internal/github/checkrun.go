package github

import (
	"context"

	gh "github.com/google/go-github/v60/github"
)

// CheckRun is a check of a commit. GitHub puts checks made with a job's token into any check suite
// of the commit; only an app has a check suite of its own.
type CheckRun struct {
	ID         int64
	Name       string
	HeadSHA    string
	Conclusion string // success, failure, neutral and others; "" while it is in progress
	Title      string
	Summary    string // Markdown, max 65,535 characters
	URL        string // of the page for people
}

const writesChecks = "checks: write"

func checkRun(c *gh.CheckRun) CheckRun {
	return CheckRun{c.GetID(), c.GetName(), c.GetHeadSHA(), c.GetConclusion(), c.GetOutput().GetTitle(), c.GetOutput().GetSummary(), c.GetHTMLURL()}
}

// state returns the fields that say how far a check is and what it found.
func (c CheckRun) state() (status, conclusion *string, out *gh.CheckRunOutput) {
	status = gh.String("in_progress")
	if c.Conclusion != "" {
		status, conclusion = gh.String("completed"), &c.Conclusion
	}
	if c.Title != "" || c.Summary != "" {
		out = &gh.CheckRunOutput{Title: &c.Title, Summary: &c.Summary}
	}
	return status, conclusion, out
}

// CreateCheckRun adds a check to a commit.
func (c *Client) CreateCheckRun(ctx context.Context, repo string, run CheckRun) (CheckRun, error) {
	owner, name, err := split(repo)
	if err != nil {
		return CheckRun{}, err
	}
	o := gh.CreateCheckRunOptions{Name: run.Name, HeadSHA: run.HeadSHA}
	o.Status, o.Conclusion, o.Output = run.state()
	created, _, err := c.gh.Checks.CreateCheckRun(ctx, owner, name, o)
	return checkRun(created), may(err, repo, "write checks", writesChecks)
}

// UpdateCheckRun changes the check with the same ID.
func (c *Client) UpdateCheckRun(ctx context.Context, repo string, run CheckRun) (CheckRun, error) {
	owner, name, err := split(repo)
	if err != nil {
		return CheckRun{}, err
	}
	o := gh.UpdateCheckRunOptions{Name: run.Name}
	o.Status, o.Conclusion, o.Output = run.state()
	updated, _, err := c.gh.Checks.UpdateCheckRun(ctx, owner, name, run.ID, o)
	return checkRun(updated), may(err, repo, "write checks", writesChecks)
}
