package auth_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

var (
	head  = strings.Repeat("2", 40)
	built = strings.Repeat("1", 40)
)

// overruled are runs from clients, with the facts that are stored.
var overruled = map[string]struct {
	facts func(*auth.Facts)
	run   func(*store.Run) // the run as the client sends it
	want  func(*store.Run)
}{
	"push": {func(*auth.Facts) {}, func(*store.Run) {}, func(*store.Run) {}},
	"tag": {func(f *auth.Facts) { f.Ref = "refs/tags/v1" }, func(*store.Run) {}, func(r *store.Run) {
		r.Git.Branch, r.CI.HeadRef = "", ""
	}},
	// The token has the merge commit. Only the event has the head commit.
	"pull request": {func(f *auth.Facts) {
		f.EventName, f.Ref, f.HeadRef, f.BaseRef = "pull_request", "refs/pull/12/merge", "topic", "develop"
	}, func(*store.Run) {}, func(r *store.Run) {
		r.CI.EventName, r.CI.PR, r.CI.BaseRef, r.CI.BaseSHA, r.CI.HeadSHA, r.Git.Commit = "pull_request", 12, "develop",
			"3333", head, head
		r.CI.HeadUnverified = true
	}},
	"pull request whose client names the merge as its head": {func(f *auth.Facts) {
		f.EventName, f.Ref, f.HeadRef, f.BaseRef = "pull_request", "refs/pull/12/merge", "topic", "develop"
	}, func(r *store.Run) { r.CI.HeadSHA, r.Git.Commit = built, built }, func(r *store.Run) {
		r.CI.EventName, r.CI.PR, r.CI.BaseRef, r.CI.BaseSHA, r.CI.HeadSHA, r.Git.Commit = "pull_request", 12, "develop",
			"3333", "", ""
	}},
	"pull request whose client was at the merge, and knows the head": {func(f *auth.Facts) {
		f.EventName, f.Ref, f.HeadRef, f.BaseRef = "pull_request", "refs/pull/12/merge", "topic", "develop"
	}, func(r *store.Run) { r.Git.Commit = built }, func(r *store.Run) {
		r.CI.EventName, r.CI.PR, r.CI.BaseRef, r.CI.BaseSHA, r.CI.HeadSHA, r.Git.Commit = "pull_request", 12, "develop",
			"3333", head, head
		r.CI.HeadUnverified = true
	}},
	"pull request whose head is no commit": {func(f *auth.Facts) {
		f.EventName, f.Ref, f.HeadRef, f.BaseRef = "pull_request", "refs/pull/12/merge", "topic", "develop"
	}, func(r *store.Run) { r.CI.HeadSHA = "main" }, func(r *store.Run) {
		r.CI.EventName, r.CI.PR, r.CI.BaseRef, r.CI.BaseSHA, r.CI.HeadSHA, r.Git.Commit = "pull_request", 12, "develop",
			"3333", "", ""
	}},
	"a client's word that its head was verified": {func(*auth.Facts) {},
		func(r *store.Run) { r.CI.HeadUnverified = true }, func(*store.Run) {}},
	"a fork's own word": {func(*auth.Facts) {}, func(r *store.Run) { r.CI.Fork = true },
		func(r *store.Run) { r.CI.Fork = true }},
	"event that may bring a fork's content": {func(f *auth.Facts) { f.EventName = "pull_request_target" },
		func(*store.Run) {}, func(r *store.Run) {
			r.Git.Commit, r.Git.Branch = head, "main"
			r.CI.EventName, r.CI.Fork, r.CI.PR = "pull_request_target", true, 5
			r.CI.HeadSHA, r.CI.HeadRef, r.CI.BaseRef, r.CI.BaseSHA = head, "main", "main", "3333"
			r.CI.HeadUnverified = true
		}},
	"client without CI": {func(*auth.Facts) {}, func(r *store.Run) { r.CI = nil }, func(r *store.Run) {
		r.CI.Job, r.CI.Matrix = "", ""
	}},
	"first attempt": {func(f *auth.Facts) { f.RunAttempt = 0 }, func(*store.Run) {}, func(r *store.Run) {
		r.CI.RunAttempt, r.CI.URL = 0, "https://github.com/acme/web/actions/runs/1001/attempts/1"
	}},
}

func TestFactsOverruleTheClient(t *testing.T) {
	t.Parallel()
	facts := auth.Facts{
		Host: "github.com", Repo: "acme/web", RepoID: 7, RunID: "1001", RunAttempt: 2, CheckRunID: "5005",
		Workflow: "CI", EventName: "push", Actor: "octocat", Ref: "refs/heads/topic", SHA: built,
	}
	lies := store.Run{
		Repo: "acme/other", Source: "build", Git: store.Git{Commit: head, Branch: "main", Dirty: true},
		CI: &store.CI{
			Provider: "gitlab", Repo: "acme/other", Workflow: "release", Job: "build", CheckRunID: "1", RunID: "2",
			RunAttempt: 9, Matrix: `{"os":"linux"}`,
			EventName: "schedule", Actor: "admin", PR: 5, HeadSHA: head, HeadRef: "main", BaseRef: "main", BaseSHA: "3333",
			URL: "https://evil.example",
		},
	}
	changed := func(change func(*store.Run)) store.Run {
		r := store.Run{
			Repo: "acme/web", Source: "build", Git: store.Git{Commit: built, Branch: "topic", Dirty: true},
			CI: &store.CI{
				Provider: "github", Repo: "acme/web", Workflow: "CI", Job: "build", CheckRunID: "5005", RunID: "1001",
				RunAttempt: 2, Matrix: `{"os":"linux"}`,
				EventName: "push", Actor: "octocat", HeadSHA: built, HeadRef: "topic",
				URL: "https://github.com/acme/web/actions/runs/1001/attempts/2",
			},
		}
		change(&r)
		return r
	}
	for name, c := range overruled {
		t.Run(name, func(t *testing.T) {
			f, r := facts, lies
			ci := *lies.CI
			r.CI = &ci
			c.facts(&f)
			c.run(&r)
			f.Overrule(&r)
			if diff := cmp.Diff(changed(c.want), r); diff != "" {
				t.Error(diff)
			}
		})
	}
	if lies.CI.RunID != "2" {
		t.Error("the client's own were changed")
	}
}
