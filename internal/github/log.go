package github

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/store"
)

// JobLog writes the log of a completed job. Errors: not_found when the log has expired or is not available yet, and
// too_large when the log has more than maxBytes bytes. In the second case a part of the log is written.
func (c *Client) JobLog(ctx context.Context, repo string, job int64, to io.Writer, maxBytes int64) error {
	return c.download(ctx, repo, fmt.Sprintf("actions/jobs/%d/logs", job), to, maxBytes)
}

// AttemptLogs writes the zip file with the logs of all jobs of a completed attempt. It returns the same errors as
// JobLog.
func (c *Client) AttemptLogs(ctx context.Context, repo string, run int64, attempt int, to io.Writer,
	maxBytes int64) error {
	return c.download(ctx, repo, fmt.Sprintf("actions/runs/%d/attempts/%d/logs", run, attempt), to, maxBytes)
}

func (c *Client) download(ctx context.Context, repo, path string, to io.Writer, maxBytes int64) error {
	of, err := pathOf(repo)
	if err != nil {
		return err
	}
	return withPermission(c.copy(withMax(ctx, maxBytes), of+"/"+path, to), repo, "read logs", readsActions)
}

// get decodes a resource of a repository into answer. The parameters what and permission are for error
// messages: the name of the request, and the permission that the request needs.
func (c *Client) get(ctx context.Context, repo, path, what, permission string, answer any) error {
	of, err := pathOf(repo)
	if err != nil {
		return err
	}
	return withPermission(c.do(ctx, http.MethodGet, of+"/"+path, nil, answer), repo, what, permission)
}

// WorkflowRun returns a workflow run in the state of its newest attempt.
func (c *Client) WorkflowRun(ctx context.Context, repo string, run int64) (payload.WorkflowRun, error) {
	var r payload.WorkflowRun
	err := c.get(ctx, repo, fmt.Sprintf("actions/runs/%d", run), "read workflow runs", readsActions, &r)
	return r, err
}

// WorkflowJobs returns the jobs of all attempts of a workflow run, with the steps of each job. The error
// is TooLarge if there are more than maxPages pages.
func (c *Client) WorkflowJobs(ctx context.Context, repo string, run int64) ([]payload.WorkflowJob, error) {
	var all []payload.WorkflowJob
	for page := 1; page <= maxPages; page++ {
		var answer struct {
			Jobs []payload.WorkflowJob `json:"jobs"`
		}
		if err := c.get(ctx, repo, fmt.Sprintf("actions/runs/%d/jobs?filter=all&per_page=%d&page=%d", run, perPage, page),
			"read jobs", readsActions, &answer); err != nil {
			return nil, err
		}
		all = append(all, answer.Jobs...)
		if len(answer.Jobs) < perPage {
			return all, nil
		}
	}
	return nil, store.Errorf(store.TooLarge, "workflow run %d has more than %d jobs", run, maxPages*perPage)
}

// RunsOfCommit returns the workflow runs of a repository at a commit, at most the newest hundred.
func (c *Client) RunsOfCommit(ctx context.Context, repo, sha string) ([]payload.WorkflowRun, error) {
	var answer struct {
		Runs []payload.WorkflowRun `json:"workflow_runs"`
	}
	err := c.get(ctx, repo, fmt.Sprintf("actions/runs?head_sha=%s&per_page=%d", url.QueryEscape(sha), perPage),
		"read workflow runs", readsActions, &answer)
	return answer.Runs, err
}

// RecentRuns returns the completed workflow runs of a repository that were created since a time, newest first, at
// most a thousand.
func (c *Client) RecentRuns(ctx context.Context, repo string, since time.Time) ([]payload.WorkflowRun, error) {
	var all []payload.WorkflowRun
	for page := 1; page <= 10; page++ {
		var answer struct {
			Runs []payload.WorkflowRun `json:"workflow_runs"`
		}
		if err := c.get(ctx, repo, fmt.Sprintf("actions/runs?status=completed&per_page=%d&page=%d", perPage, page),
			"read workflow runs", readsActions, &answer); err != nil {
			return nil, err
		}
		for _, r := range answer.Runs {
			if r.CreatedAt.Before(since) {
				return all, nil
			}
			all = append(all, r)
		}
		if len(answer.Runs) < perPage {
			break
		}
	}
	return all, nil
}
