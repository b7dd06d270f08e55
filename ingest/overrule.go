package ingest

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

var pullRef = regexp.MustCompile(`^refs/pull/(\d{1,9})/`)

// overrule corrects what a client says of a run by what the token of its job
// says, which the client cannot make up. A token says neither the head commit
// of a pull request nor what the job checked out: those stay the client's.
func overrule(run *store.Run, f *auth.Facts) {
	if f == nil {
		return
	}
	if run.CI == nil {
		run.CI = &store.CI{}
	}
	run.Repo = f.Repo
	ci := run.CI
	ci.Provider, ci.Repo = "github", f.Repo
	ci.Workflow, ci.EventName, ci.Actor = f.Workflow, f.EventName, f.Actor
	ci.RunID, ci.RunAttempt = f.RunID, f.RunAttempt
	ci.CheckRunID = cmp.Or(f.CheckRunID, ci.CheckRunID)
	switch f.EventName {
	case "pull_request":
		ofPull(run, f)
	case "pull_request_target", "workflow_run", "issue_comment":
		// Such a job has the rights of the base, and may run the code of a fork.
		ci.Fork = true
	default:
		ofBranch(run, f)
	}
}

// ofPull has the branches and the number of a pull request.
func ofPull(run *store.Run, f *auth.Facts) {
	ci := run.CI
	ci.BaseRef, ci.HeadRef = f.BaseRef, f.HeadRef
	if m := pullRef.FindStringSubmatch(f.Ref); m != nil {
		ci.PR, _ = strconv.Atoi(m[1])
	}
	run.Git.Branch = f.HeadRef
	if run.Git.Commit == f.SHA && ci.HeadSHA != "" {
		run.Git.Commit = ci.HeadSHA // nobody wrote the merge that the job has
	}
}

// ofBranch has the branch of a push or a schedule: a job of one branch cannot
// pass for one of another, which is what later runs are compared with.
func ofBranch(run *store.Run, f *auth.Facts) {
	ci := run.CI
	branch := ""
	if name, ok := strings.CutPrefix(f.Ref, "refs/heads/"); ok {
		branch = name
	}
	ci.HeadSHA, ci.HeadRef, ci.Fork = f.SHA, branch, false
	if f.EventName != "merge_group" {
		ci.PR = 0
	}
	switch run.Git.Commit {
	case "", f.SHA:
		run.Git.Commit, run.Git.Branch = f.SHA, branch
	default:
		if run.Git.Branch != branch {
			run.Git.Branch = "" // it checked out another commit, and nobody knows of which branch
		}
	}
}
