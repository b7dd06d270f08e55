//go:build !report && unix

package main

import (
	"strings"
	"testing"
)

func TestActionReportSaysWhereItIs(t *testing.T) {
	t.Parallel()
	const want = "blq: reports of workflow runs are written by the image of action/report\n"
	_, notes, state := finished(newRunner(t).with(blq("", "action", "report")))
	if state.ExitCode() != 1 || !strings.HasPrefix(notes, want) ||
		!strings.Contains(notes, "uses: blq-ci/blq/action/report@v1") {
		t.Errorf("exit code %d: %s", state.ExitCode(), notes)
	}
}
