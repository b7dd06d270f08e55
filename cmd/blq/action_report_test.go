//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

// Without a token of GitHub, the summary still shows the errors in the jobs' artifacts.
func TestActionReportReadsWhatJobsLeft(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.step(map[string]string{"run": brokenBuild, "name": "build"})
	check(t, os.Remove(r.env["GITHUB_STEP_SUMMARY"]))
	cmd := r.with(blq("", "action", "report"))
	cmd.Env = append(cmd.Env, "INPUT_ARTIFACTS="+r.path("temp/blq/artifacts"), "INPUT_FAIL-ON=errors", "GITHUB_TOKEN=")
	_, notes, state := finished(cmd)
	summary, _ := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
	if state.ExitCode() != 1 || !strings.Contains(string(summary), "'x' undeclared") {
		t.Errorf("exit code %d, summary %s, notes %s", state.ExitCode(), summary, notes)
	}
}
