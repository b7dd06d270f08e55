package github

import (
	"context"
	"net/http"
	"net/url"

	"github.com/blq-ci/blq/store"
)

// Dispatch is a request to start a workflow.
type Dispatch struct {
	Repo     string // owner/name
	Workflow string // file name in .github/workflows, such as ci.yml
	Ref      string // branch or tag
	Inputs   map[string]string
}

// CheckWorkflow checks that a repository has an enabled workflow. Errors: not_found when there is no such workflow or
// the token may not see it, conflict when the workflow is disabled.
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

// Dispatched is a workflow run that Dispatch has started.
type Dispatched struct {
	RunID int64  // 0 if GitHub does not send the ID; older servers do not send it
	URL   string // address of the page for people, "" if GitHub does not send it
}

// Dispatch starts a workflow with a workflow_dispatch event. Errors: invalid when the workflow does not accept that
// event or these inputs, or when the ref does not exist.
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
	return Dispatched{answer.ID, answer.URL}, withPermission(err, d.Repo, "start workflows", "actions: write")
}
