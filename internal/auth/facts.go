package auth

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Facts are what the token of a CI job says of it. They take precedence over what the client says.
type Facts struct {
	Host       string `json:"host"` // host of the forge
	Repo       string `json:"repo"` // owner/name as enrolled
	RepoID     int64  `json:"repo_id"`
	RunID      string `json:"run_id,omitempty"`
	RunAttempt int    `json:"run_attempt,omitempty"`
	CheckRunID string `json:"check_run_id,omitempty"` // of the job, "" where the forge does not say
	Workflow   string `json:"workflow,omitempty"`
	EventName  string `json:"event_name,omitempty"`
	Actor      string `json:"actor,omitempty"`
	Ref        string `json:"ref,omitempty"`
	BaseRef    string `json:"base_ref,omitempty"`
	HeadRef    string `json:"head_ref,omitempty"`
	SHA        string `json:"sha,omitempty"`
}

// fromForks are events whose jobs have the repository's own rights, but often check out code of
// forks.
var fromForks = []string{"pull_request_target", "workflow_run", "issue_comment"}

// Untrusted reports whether the job may run code of a fork. Its runs are never a baseline.
func (f *Facts) Untrusted() bool { return slices.Contains(fromForks, f.EventName) }

// PR returns the number of the pull request whose merge commit the job builds, 0 for none.
func (f *Facts) PR() int {
	rest, ok := strings.CutPrefix(f.Ref, "refs/pull/")
	if !ok {
		return 0
	}
	number, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// started reports whether the job started a run.
func (f *Facts) started(r store.Run) bool {
	return r.CI != nil && r.CI.RunID == f.RunID && r.CI.RunAttempt == f.RunAttempt && r.CI.CheckRunID == f.CheckRunID
}

// commitID matches the full hash of a commit, SHA-1 or SHA-256.
var commitID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// Overrule replaces what a client says of its run by the facts. What the token does not say stays:
// the head commit of a pull request, which is marked as not verified; the matrix leg; and the
// commit and branch for events that bring another commit. The commit in the token of a pull
// request's job is not taken, because it is the temporary merge commit. A client may declare its
// run a fork's, but cannot deny it.
func (f *Facts) Overrule(r *store.Run) {
	ci := store.CI{}
	if r.CI != nil {
		ci = *r.CI
	}
	r.CI, r.Repo = &ci, f.Repo
	ci.Provider, ci.Repo, ci.Workflow = "github", f.Repo, f.Workflow
	ci.RunID, ci.RunAttempt, ci.CheckRunID = f.RunID, f.RunAttempt, f.CheckRunID
	ci.EventName, ci.Actor = f.EventName, f.Actor
	ci.Fork = ci.Fork || f.Untrusted()
	ci.URL = fmt.Sprintf("https://%s/%s/actions/runs/%s/attempts/%d", f.Host, f.Repo, f.RunID, max(1, f.RunAttempt))
	ci.HeadUnverified = ci.HeadSHA != ""
	switch {
	case f.PR() > 0:
		ci.PR, ci.HeadRef, ci.BaseRef = f.PR(), f.HeadRef, f.BaseRef
		if ci.HeadSHA == f.SHA || !commitID.MatchString(ci.HeadSHA) {
			ci.HeadSHA, ci.HeadUnverified = "", false
		}
		r.Git.Branch, r.Git.Commit = f.HeadRef, ci.HeadSHA
	case !f.Untrusted():
		branch, _ := strings.CutPrefix(f.Ref, "refs/heads/")
		if strings.HasPrefix(f.Ref, "refs/tags/") {
			branch = ""
		}
		ci.PR, ci.HeadRef, ci.HeadSHA, ci.BaseRef, ci.BaseSHA = 0, branch, f.SHA, f.BaseRef, ""
		ci.HeadUnverified = false
		r.Git.Branch, r.Git.Commit = branch, f.SHA
	}
}
