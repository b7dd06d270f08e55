package auth

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/blq-ci/blq/internal/github/event"
	"github.com/blq-ci/blq/store"
)

// Facts are the facts in the token of a CI job. They override the client's facts.
type Facts struct {
	Host       string `json:"host"` // host of the forge
	Repo       string `json:"repo"` // owner/name of the enrolled repository
	RepoID     int64  `json:"repo_id"`
	RunID      string `json:"run_id,omitempty"`
	RunAttempt int    `json:"run_attempt,omitempty"`
	CheckRunID string `json:"check_run_id,omitempty"` // check run of the job, "" if the forge does not report it
	Workflow   string `json:"workflow,omitempty"`
	EventName  string `json:"event_name,omitempty"`
	Actor      string `json:"actor,omitempty"`
	Ref        string `json:"ref,omitempty"`
	BaseRef    string `json:"base_ref,omitempty"`
	HeadRef    string `json:"head_ref,omitempty"`
	SHA        string `json:"sha,omitempty"`
}

// about returns the subject of the job: commit, branch and pull request, as far as the token has them.
func (f *Facts) about() event.Facts {
	return event.Job{Event: f.EventName, Repo: f.Repo, Ref: f.Ref, SHA: f.SHA, HeadRef: f.HeadRef, BaseRef: f.BaseRef,
		Proven: true}.Facts()
}

// started reports whether the job started a run.
func (f *Facts) started(r store.Run) bool {
	return r.CI != nil && r.CI.RunID == f.RunID && r.CI.RunAttempt == f.RunAttempt && r.CI.CheckRunID == f.CheckRunID
}

// commitID matches the full hash of a commit, SHA-1 or SHA-256.
var commitID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// Overrule replaces the client's facts of a run by the facts of the token.
//
// It keeps facts that the token lacks, such as the matrix leg, and the base commit and head commit of a pull request.
// The head commit is marked as not verified. For events about other code than the job's own commit, it also keeps the
// commit and the pull request. It then keeps the branch, too, if the token names none.
//
// In a job of a pull request the token's commit is ignored, because it is the temporary merge commit. A client may
// declare that its run is from a fork, but cannot deny it.
func (f *Facts) Overrule(r *store.Run) {
	ci := store.CI{}
	if r.CI != nil {
		ci = *r.CI
	}
	about := f.about()
	r.CI, r.Repo = &ci, f.Repo
	ci.Provider, ci.Repo, ci.Workflow = "github", f.Repo, f.Workflow
	ci.RunID, ci.RunAttempt, ci.CheckRunID = f.RunID, f.RunAttempt, f.CheckRunID
	ci.EventName, ci.Actor = f.EventName, f.Actor
	ci.Fork = ci.Fork || about.Fork
	ci.URL = fmt.Sprintf("https://%s/%s/actions/runs/%s/attempts/%d", f.Host, f.Repo, f.RunID, max(1, f.RunAttempt))
	ci.HeadUnverified = ci.HeadSHA != ""
	switch {
	case about.Brought:
		if about.Branch != "" {
			ci.HeadRef, r.Git.Branch = about.Branch, about.Branch
		}
		ci.BaseRef = cmp.Or(about.BaseRef, ci.BaseRef)
	case about.Commit == "": // a pull request
		ci.PR, ci.HeadRef, ci.BaseRef = about.PR, cmp.Or(about.Branch, ci.HeadRef), cmp.Or(about.BaseRef, ci.BaseRef)
		if ci.HeadSHA == f.SHA || !commitID.MatchString(ci.HeadSHA) {
			ci.HeadSHA, ci.HeadUnverified = "", false
		}
		r.Git.Branch, r.Git.Commit = ci.HeadRef, ci.HeadSHA
	default:
		ci.PR, ci.HeadRef, ci.HeadSHA, ci.BaseRef, ci.BaseSHA = about.PR, about.Branch, about.Commit, about.BaseRef,
			about.BaseSHA
		ci.HeadUnverified = false
		r.Git.Branch, r.Git.Commit = about.Branch, about.Commit
	}
}

// OverruleSnapshot replaces the client's facts of a snapshot by the facts of the token, as Overrule does for a run. The
// token proves the commit of a push, and the merge commit of a pull request. In a job of a pull request, any other
// commit counts as the head of the pull request. In a job of a push, any other commit counts as a commit of no branch.
func (f *Facts) OverruleSnapshot(s *store.Snapshot) {
	run := store.Run{Git: store.Git{Commit: s.Commit, Branch: s.Branch},
		CI: &store.CI{PR: s.PR, Fork: s.Fork, HeadSHA: s.Commit, HeadRef: s.Branch}}
	f.Overrule(&run)
	s.Repo, s.PR, s.Fork = run.Repo, run.CI.PR, run.CI.Fork
	s.Verified = s.Commit == f.SHA
	s.Branch = ""
	if run.Git.Commit == s.Commit {
		s.Branch = run.Git.Branch
	}
	tag, tagged := strings.CutPrefix(f.Ref, "refs/tags/")
	if s.Tag = ""; tagged && s.Verified {
		s.Tag = tag
	}
}
