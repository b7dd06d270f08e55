package ci

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestApply(t *testing.T) {
	for _, test := range []struct {
		name string
		git  store.Git
		ci   *store.CI
		want store.Git
	}{
		{"outside CI", store.Git{Commit: "a", Branch: "b"}, nil, store.Git{Commit: "a", Branch: "b"}},
		{"pull request", store.Git{Commit: "merge", Dirty: true}, &store.CI{PR: 1, HeadSHA: "h", HeadRef: "topic"},
			store.Git{Commit: "h", Branch: "topic", Dirty: true}},
		{"pull request, head unknown", store.Git{Commit: "merge"}, &store.CI{PR: 1, HeadRef: "topic"},
			store.Git{Commit: "merge", Branch: "topic"}},
		{"detached at the job's commit", store.Git{Commit: "h"}, &store.CI{HeadSHA: "h", HeadRef: "main"},
			store.Git{Commit: "h", Branch: "main"}},
		{"detached at another commit", store.Git{Commit: "x"}, &store.CI{HeadSHA: "h", HeadRef: "main"},
			store.Git{Commit: "x"}},
		{"branch of git stays", store.Git{Commit: "h", Branch: "mine"}, &store.CI{HeadSHA: "h", HeadRef: "main"},
			store.Git{Commit: "h", Branch: "mine"}},
		{"no git", store.Git{}, &store.CI{HeadSHA: "h", HeadRef: "main"}, store.Git{Commit: "h", Branch: "main"}},
		{"workflow run on the default branch", store.Git{Commit: "d", Branch: "main"}, &store.CI{
			EventName: "workflow_run", PR: 1, HeadSHA: "h", HeadRef: "topic"}, store.Git{Commit: "d", Branch: "main"}},
		{"workflow run that checked out the head", store.Git{Commit: "h"}, &store.CI{
			EventName: "workflow_run", PR: 1, HeadSHA: "h", HeadRef: "topic"}, store.Git{Commit: "h", Branch: "topic"}},
		{"comment", store.Git{Commit: "d", Branch: "main"}, &store.CI{EventName: "issue_comment", PR: 1},
			store.Git{Commit: "d", Branch: "main"}},
	} {
		run := store.Run{Git: test.git, CI: test.ci}
		Apply(&run)
		if diff := cmp.Diff(test.want, run.Git); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
	run := store.Run{CI: &store.CI{Repo: "octo/hello"}}
	if Apply(&run); run.Repo != "octo/hello" {
		t.Errorf("repo %q", run.Repo)
	}
}

func TestHost(t *testing.T) {
	hostname, platform, arch := Host()
	want, _ := os.Hostname()
	if hostname != want || platform == "" || arch == "amd64" {
		t.Error(hostname, platform, arch)
	}
}
