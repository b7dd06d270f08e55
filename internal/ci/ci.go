// Package ci finds out the commit, the CI job and the machine of a run. A value that cannot be found out stays empty,
// and the run continues. The package may import store, ingest/parse, internal/github/event, internal/github/payload,
// internal/glob, internal/lazyregexp and internal/regularfile.
package ci

import (
	"os"
	"runtime"

	"github.com/blq-ci/blq/store"
)

// Host returns the machine's name, its platform (Linux, Darwin, Windows) and its architecture
// (x86_64, arm64).
func Host() (hostname, platform, arch string) {
	hostname, _ = os.Hostname()
	return hostname, name(platforms, runtime.GOOS), name(archs, runtime.GOARCH)
}

var (
	platforms = map[string]string{"linux": "Linux", "darwin": "Darwin", "windows": "Windows", "freebsd": "FreeBSD"}
	archs     = map[string]string{"amd64": "x86_64", "386": "i686"}
)

func name(names map[string]string, id string) string {
	if n, ok := names[id]; ok {
		return n
	}
	return id
}

// Apply corrects git's facts about a run with the facts of the CI system. If the run has no repository, Apply also sets
// the repository. A job of a pull request checks out a merge commit that exists only for CI. Apply replaces this commit
// by the head commit, and its branch by the head branch. Jobs of the event workflow_run keep the commit of git.
func Apply(run *store.Run) {
	ci := run.CI
	if ci == nil {
		return
	}
	if run.Repo == "" {
		run.Repo = ci.Repo
	}
	git := &run.Git
	switch {
	case ci.PR > 0 && ci.HeadSHA != "" && ci.EventName != "workflow_run":
		git.Commit = ci.HeadSHA
		if ci.HeadRef != "" {
			git.Branch = ci.HeadRef
		}
	case git.Commit == "" && ci.EventName != "workflow_run":
		git.Commit, git.Branch = ci.HeadSHA, ci.HeadRef
	case git.Branch == "" && (git.Commit == ci.HeadSHA || ci.PR > 0 && ci.HeadSHA == ""):
		// CI systems check out a commit and not a branch. If the job checked out a commit other than its own, the
		// branch is unknown.
		git.Branch = ci.HeadRef
	}
}
