package github

import (
	"context"
	"net/http"
	"net/url"

	"github.com/blq-ci/blq/store"
)

// Dispatch says which workflow to start.
type Dispatch struct {
	Repo     string // owner/name
	Workflow string // file name in .github/workflows, such as ci.yml
	Ref      string // branch or tag
	Inputs   map[string]string
}

// CheckWorkflow checks that a repository has a workflow that is enabled. Errors: not_found when
// there is none or this token may not see it, conflict when it is disabled.
func (c *Client) CheckWorkflow(ctx context.Context, repo, file string) error {
	if err := CheckWorkflow(file); err != nil {
		return err
	}
	var workflow struct {
		State string `json:"state"`
	}
	if err := c.get(ctx, repo, "actions/workflows/"+url.PathEscape(file), "read workflow "+file, readsActions,
		&workflow); err != nil {
		return err
	}
	if workflow.State != "active" {
		return store.Errorf(store.Conflict, "workflow %s of %s is disabled", file, repo)
	}
	return nil
}

// Dispatched is a workflow run that was started.
type Dispatched struct {
	RunID int64  // 0 where GitHub does not say, as older servers do not
	URL   string // of the page for people, "" where GitHub does not say
}

// Dispatch starts a workflow with a workflow_dispatch event. Errors: invalid when the workflow does
// not have that event or these inputs, or the ref does not exist.
func (c *Client) Dispatch(ctx context.Context, d Dispatch) (Dispatched, error) {
	path, err := pathOf(d.Repo)
	if err != nil {
		return Dispatched{}, err
	}
	if err := CheckRef(d.Ref); err != nil {
		return Dispatched{}, err
	}
	if err := CheckWorkflow(d.Workflow); err != nil {
		return Dispatched{}, err
	}
	body := struct {
		Ref     string            `json:"ref"`
		Inputs  map[string]string `json:"inputs,omitempty"`
		Details bool              `json:"return_run_details"`
	}{d.Ref, d.Inputs, true}
	var answer struct {
		ID  int64  `json:"workflow_run_id"`
		URL string `json:"html_url"`
	}
	err = c.do(ctx, http.MethodPost, path+"/actions/workflows/"+url.PathEscape(d.Workflow)+"/dispatches", body, &answer)
	return Dispatched{answer.ID, answer.URL}, may(err, d.Repo, "start workflows", "actions: write")
}
