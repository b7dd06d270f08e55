// Package event determines the commit, branch, base and pull request of a GitHub Actions job. Jobs use it with their
// environment and the event's payload. The service uses it with the claims of a job's token. So both get the same
// answer. The package may import internal/github/payload and internal/lazyregexp.
package event

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/lazyregexp"
)

// Job holds GitHub's facts about a job. The facts come from the job's environment or from the claims of the job's
// token.
type Job struct {
	Event   string // event that started the workflow; for a called workflow, the event of its caller
	Repo    string // owner/name
	Ref     string // full ref
	SHA     string
	HeadRef string // only for pull requests
	BaseRef string // only for pull requests
	// Payload is the payload of the event, nil if unknown. The claims of a token do not contain the payload.
	Payload *payload.Event
	// Proven is set if the facts come from a token of the job's repository. Jobs of forks get no such token, except for
	// events that run with the repository's rights.
	Proven bool
}

// Facts are the facts about a job. Unknown facts are empty.
type Facts struct {
	Commit  string // for a pull request its newest commit, not the merge commit that the job builds
	Branch  string // "" for a tag
	BaseSHA string
	BaseRef string
	PR      int  // pull request with the code that the job builds, 0 for none
	Fork    bool // the code may come from another repository
	// Brought is set if the event is about code other than the job's own commit. Only the payload can name the commit
	// of that code.
	Brought bool
}

// brings are events whose jobs have the rights of the repository, but often check out code of forks.
var brings = map[string]bool{"pull_request_target": true, "workflow_run": true, "issue_comment": true}

var (
	pullRef  = lazyregexp.New(`^refs/pull/(\d+)/`)
	queueRef = lazyregexp.New(`^refs/heads/gh-readonly-queue/(.+)/pr-(\d+)-([0-9a-f]+)$`)
)

// Facts returns the facts about the job. See
// https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows.
func (j Job) Facts() Facts {
	var p payload.Event
	if j.Payload != nil {
		p = *j.Payload
	}
	switch {
	case j.Event == "workflow_run":
		return j.ofWorkflowRun(p.WorkflowRun)
	case j.Event == "issue_comment":
		return j.ofComment(p.Issue)
	case j.Event == "merge_group":
		return j.ofMergeGroup(p.MergeGroup)
	case j.Event != "pull_request_target" && strings.HasPrefix(j.Ref, "refs/heads/") && !j.isOpen():
		return j.ofRef() // also for a merged pull request, because the job builds the base branch
	case p.PullRequest != nil || j.HeadRef != "" || pullRef.MatchString(j.Ref) || j.Event == "pull_request_target":
		return j.ofPullRequest(p.PullRequest)
	}
	return j.ofRef()
}

// isOpen reports whether the payload shows a pull_request event that did not close the pull request.
func (j Job) isOpen() bool {
	return j.Event == "pull_request" && j.Payload != nil && j.Payload.PullRequest != nil &&
		j.Payload.Action != "closed" && j.Payload.PullRequest.State != "closed"
}

func (j Job) ofRef() Facts { return Facts{Commit: j.SHA, Branch: Branch(j.Ref)} }

// ofPullRequest returns the facts of a pull request. Only the payload has the head commit. SHA is the merge commit or
// the base's commit.
func (j Job) ofPullRequest(pr *payload.PullRequest) Facts {
	f := Facts{Branch: j.HeadRef, BaseRef: j.BaseRef, Brought: brings[j.Event]}
	if m := pullRef.FindStringSubmatch(j.Ref); m != nil {
		f.PR = number(m[1])
	}
	f.Fork = f.Brought || !j.Proven // used only if the payload is unknown
	if pr != nil {
		f.PR = cmp.Or(f.PR, pr.Number)
		f.Commit, f.Branch = pr.Head.SHA, cmp.Or(f.Branch, pr.Head.Ref)
		f.BaseSHA, f.BaseRef = pr.Base.SHA, cmp.Or(f.BaseRef, pr.Base.Ref)
		f.Fork = pr.Head.Repo == nil || pr.Base.Repo == nil ||
			!strings.EqualFold(pr.Head.Repo.FullName, pr.Base.Repo.FullName)
	}
	return f
}

// ofMergeGroup returns the facts of a merge group. The name of its branch contains the base and the last pull
// request.
func (j Job) ofMergeGroup(g *payload.MergeGroup) Facts {
	f := j.ofRef()
	if m := queueRef.FindStringSubmatch(j.Ref); m != nil {
		f.BaseRef, f.PR = m[1], number(m[2])
		if len(m[3]) == 40 || len(m[3]) == 64 {
			f.BaseSHA = m[3]
		}
	}
	if g != nil {
		f.BaseRef, f.BaseSHA = cmp.Or(f.BaseRef, Branch(g.BaseRef)), cmp.Or(f.BaseSHA, g.BaseSHA)
	}
	return f
}

// ofWorkflowRun returns the facts of the workflow run that triggered the job's workflow run. The payload names the
// pull requests of the triggering run, except pull requests of forks.
func (j Job) ofWorkflowRun(r *payload.WorkflowRun) Facts {
	if r == nil {
		return Facts{Brought: true, Fork: true}
	}
	f := Facts{Brought: true, Commit: r.HeadSHA, Branch: r.HeadBranch}
	f.Fork = !strings.EqualFold(r.HeadRepository.FullName, cmp.Or(r.Repository.FullName, j.Repo))
	if len(r.PullRequests) > 0 && strings.HasPrefix(cmp.Or(r.Event, "pull_request"), "pull_request") {
		pr := r.PullRequests[0]
		f.PR, f.BaseRef, f.BaseSHA = pr.Number, pr.Base.Ref, pr.Base.SHA
	}
	return f
}

// ofComment returns the facts of a comment. The job runs on the default branch. For a comment on a pull request, the
// payload does not name the head.
func (j Job) ofComment(i *payload.Issue) Facts {
	switch {
	case i == nil:
		return Facts{Brought: true, Fork: true}
	case i.PullRequest != nil:
		return Facts{Brought: true, Fork: true, PR: i.Number}
	}
	return j.ofRef()
}

// Branch returns the short name of a branch's ref. It returns "" for a ref of another kind. A text that does not begin
// with refs/ is returned unchanged.
func Branch(ref string) string {
	if short, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		return short
	}
	if strings.HasPrefix(ref, "refs/") {
		return ""
	}
	return ref
}

// number converts digits to a number, or returns 0 if they are not valid.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
