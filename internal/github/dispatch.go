package github

import (
	"context"
	"net/http"

	"github.com/blq-ci/blq/store"
)

// Dispatch says which workflow to start.
type Dispatch struct {
	Repo     string // owner/name
	Workflow string // file of .github/workflows, such as ci.yml
	Ref      string // branch or tag
	Inputs   map[string]string
}

// CheckWorkflow says whether a repository has a workflow that is not disabled.
// NotFound: it has not, or does not show it to this token. Conflict: it is
// disabled.
func (c *Client) CheckWorkflow(ctx context.Context, repo, file string) error {
	owner, name, err := split(repo)
	if err != nil {
		return err
	}
	if err := CheckWorkflow(file); err != nil {
		return err
	}
	w, _, err := c.gh.Actions.GetWorkflowByFileName(ctx, owner, name, file)
	if err != nil {
		return may(err, repo, "read workflow "+file, readsActions)
	}
	if w.GetState() != "active" {
		return store.Errorf(store.Conflict, "workflow %s of %s is disabled", file, repo)
	}
	return nil
}

// Dispatched is a workflow run that was started.
type Dispatched struct {
	RunID int64  // 0 where GitHub does not tell, as older servers
	URL   string // for people, "" likewise
}

// Dispatch starts a workflow that has workflow_dispatch among its events.
// Invalid: it has not, or takes no such inputs, or there is no such ref.
func (c *Client) Dispatch(ctx context.Context, d Dispatch) (Dispatched, error) {
	owner, name, err := split(d.Repo)
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
	err = c.do(ctx, http.MethodPost, "repos/"+owner+"/"+name+"/actions/workflows/"+d.Workflow+"/dispatches", body, &answer)
	return Dispatched{answer.ID, answer.URL}, may(err, d.Repo, "start workflows", "actions: write")
}
