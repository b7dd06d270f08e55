// Package payload declares the parts of GitHub's events that blq reads. Webhooks send events, and jobs have them in
// the file at GITHUB_EVENT_PATH. The package imports only the standard library.
package payload

import (
	"encoding/json"
	"time"
)

// Event is the payload of any event. Missing parts are nil.
type Event struct {
	Action      string       `json:"action"`
	Repository  Repository   `json:"repository"`
	PullRequest *PullRequest `json:"pull_request"`
	Issue       *Issue       `json:"issue"`
	MergeGroup  *MergeGroup  `json:"merge_group"`
	WorkflowJob *WorkflowJob `json:"workflow_job"`
	WorkflowRun *WorkflowRun `json:"workflow_run"`

	Installation *Installation `json:"installation,omitempty"`
	Repositories []Repository  `json:"repositories,omitempty"`         // in a new installation
	Added        []Repository  `json:"repositories_added,omitempty"`   // added to an installation
	Removed      []Repository  `json:"repositories_removed,omitempty"` // removed from an installation
}

// Repository is a repository.
type Repository struct {
	ID            int64  `json:"id"`
	FullName      string `json:"full_name"` // owner/name
	DefaultBranch string `json:"default_branch"`
	Private       bool   `json:"private"`
}

// PullRequest is a pull request.
type PullRequest struct {
	Number int    `json:"number"`
	State  string `json:"state"` // open or closed; a merged pull request is closed
	Head   Side   `json:"head"`
	Base   Side   `json:"base"`
}

// Side is the head or the base of a pull request.
type Side struct {
	Ref  string      `json:"ref"` // branch
	SHA  string      `json:"sha"`
	Repo *Repository `json:"repo"` // nil for a deleted fork
}

// Issue is an issue, or a pull request with a comment.
type Issue struct {
	Number      int             `json:"number"`
	PullRequest json.RawMessage `json:"pull_request"` // nil for an issue
}

// MergeGroup is a group of pull requests in a merge queue. Its refs are full names, such as refs/heads/main.
type MergeGroup struct {
	HeadSHA string `json:"head_sha"`
	HeadRef string `json:"head_ref"`
	BaseSHA string `json:"base_sha"`
	BaseRef string `json:"base_ref"`
}

// WorkflowJob is a job of a workflow run, or a leg of its matrix.
type WorkflowJob struct {
	ID          int64     `json:"id"` // also the ID of its check run
	RunID       int64     `json:"run_id"`
	RunAttempt  int       `json:"run_attempt"`
	Conclusion  string    `json:"conclusion"`
	CompletedAt time.Time `json:"completed_at"`

	Status       string    `json:"status,omitempty"`
	StartedAt    time.Time `json:"started_at,omitzero"`
	Name         string    `json:"name,omitempty"` // with the values of a matrix leg: "test (1.26, linux)"
	WorkflowName string    `json:"workflow_name,omitempty"`
	HeadBranch   string    `json:"head_branch,omitempty"`
	HeadSHA      string    `json:"head_sha,omitempty"`
	RunnerName   string    `json:"runner_name,omitempty"`
	Labels       []string  `json:"labels,omitempty"` // labels of its runner
	HTMLURL      string    `json:"html_url,omitempty"`
	CheckRunURL  string    `json:"check_run_url,omitempty"`
	Steps        []Step    `json:"steps,omitempty"`
}

// Step is a step of a job.
type Step struct {
	Name        string    `json:"name"`
	Number      int       `json:"number"`
	Status      string    `json:"status"`
	Conclusion  string    `json:"conclusion"`
	StartedAt   time.Time `json:"started_at,omitzero"` // in whole seconds
	CompletedAt time.Time `json:"completed_at,omitzero"`
}

// Installation is an app's installation for an account.
type Installation struct {
	ID      int64   `json:"id"`
	Account Account `json:"account,omitzero"` // only in events about the installation
}

// Account is a user or an organization.
type Account struct {
	Login string `json:"login"`
	ID    int64  `json:"id"`
}

// WorkflowRun is a workflow run. The REST API uses the same form.
type WorkflowRun struct {
	ID             int64         `json:"id"`
	RunAttempt     int           `json:"run_attempt"`
	Event          string        `json:"event"` // the event that started it
	Status         string        `json:"status"`
	Conclusion     string        `json:"conclusion"`
	Path           string        `json:"path"` // path of the workflow file, with @ref for a file of another repository
	Name           string        `json:"name"`
	HeadBranch     string        `json:"head_branch"`
	HeadSHA        string        `json:"head_sha"`
	HTMLURL        string        `json:"html_url"`
	CreatedAt      time.Time     `json:"created_at,omitzero"`
	UpdatedAt      time.Time     `json:"updated_at"`
	Actor          Account       `json:"actor,omitzero"`
	HeadRepository Repository    `json:"head_repository"`
	Repository     Repository    `json:"repository"`
	PullRequests   []PullRequest `json:"pull_requests"` // without pull requests of forks
}
