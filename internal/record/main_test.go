package record

import (
	"os"
	"testing"
)

// TestMain hides the CI system in which the tests may run, because a run in CI is recorded with other rules.
func TestMain(m *testing.M) {
	for _, name := range []string{
		"CI", "GITHUB_ACTIONS", "GITLAB_CI", "CIRCLECI", "BUILDKITE", "TF_BUILD", "TRAVIS", "JENKINS_URL",
	} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}
