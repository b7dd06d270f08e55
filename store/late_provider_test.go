package store_test

import (
	"testing"

	"github.com/blq-ci/blq/store"
)

// In every CI system with numbered pipelines, a job of an older pipeline may end after a job of a newer one. A pull
// request and its branch may build different code at one commit.
func TestASuccessOfAnotherPipelineMayBeNoAnswer(t *testing.T) {
	t.Parallel()
	job := func(provider, id, commit string, pr int) store.Run {
		return store.Run{Source: "test", State: store.StateCompleted, Git: store.Git{Branch: "main", Commit: commit},
			CI: &store.CI{Provider: provider, Workflow: "w", Job: "test", RunID: id, PR: pr}}
	}
	for name, c := range map[string]struct {
		failed, passed store.Run
		answers        bool
	}{
		"GitLab, older":        {job("gitlab", "101", "c2", 0), job("gitlab", "100", "c1", 0), false},
		"GitLab, newer":        {job("gitlab", "100", "c1", 0), job("gitlab", "101", "c2", 0), true},
		"GitLab, more digits":  {job("gitlab", "100", "c2", 0), job("gitlab", "99", "c1", 0), false},
		"GitLab, started anew": {job("gitlab", "100", "c1", 0), job("gitlab", "100", "c1", 0), true},
		"GitLab, a merge":      {job("gitlab", "100", "c1", 7), job("gitlab", "101", "c1", 0), false},
		"GitLab, a branch":     {job("gitlab", "100", "c1", 0), job("gitlab", "101", "c1", 7), true},
		"Jenkins, older": {job("jenkins", "jenkins-shop-12", "c2", 0),
			job("jenkins", "jenkins-shop-9", "c1", 0), false},
		"Jenkins, newer": {job("jenkins", "jenkins-shop-9", "c1", 0),
			job("jenkins", "jenkins-shop-12", "c2", 0), true},
		"Azure, older":     {job("azure", "12", "c2", 0), job("azure", "9", "c1", 0), false},
		"Azure, a merge":   {job("azure", "12", "c1", 7), job("azure", "13", "c1", 0), false},
		"Travis, a branch": {job("travis", "12", "c1", 0), job("travis", "13", "c1", 7), false},
		"CircleCI": {job("circleci", "5034460f-c7c4-4c43-9457-de07e2029e7b", "c2", 0),
			job("circleci", "1034460f-c7c4-4c43-9457-de07e2029e7b", "c1", 0), true},
		"CircleCI, with a pull request since": {job("circleci", "5034460f-c7c4-4c43-9457-de07e2029e7b", "c1", 0),
			job("circleci", "1034460f-c7c4-4c43-9457-de07e2029e7b", "c1", 7), true},
	} {
		one, zero := 1, 0
		c.failed.ExitCode, c.passed.ExitCode = &one, &zero
		c.failed.Serial, c.passed.Serial = 1, 2
		if got := c.passed.Answers(c.failed); got != c.answers {
			t.Errorf("%s: %v", name, got)
		}
	}
}
