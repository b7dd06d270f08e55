//go:build e2e

package actions

import (
	"strings"
	"testing"
)

// TestAGreenCallHidesNoRedOne checks a workflow that calls another workflow twice. The first call fails, so the report
// fails.
func TestAGreenCallHidesNoRedOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "testdata/verdicts")
	h := w.act(w.push())
	if h.code == 0 || !strings.Contains(h.log, "blq: ❌ 1 failed") ||
		!strings.Contains(h.log, "failed, as fail-on: errors asks for") {
		t.Errorf("act ended with %d", h.code)
	}
}

// TestAStepThatMayFailFailsNobody checks that a failed step with continue-on-error does not fail the workflow. An error
// that is printed after stop-commands is not in the report.
func TestAStepThatMayFailFailsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "testdata/verdicts")
	e := w.push()
	e.workflow = "allowed.yml"
	h := w.act(e)
	if h.code != 0 || !strings.Contains(h.log, "blq: ⚠️ 1 step passed; 1 step failed, which is allowed") ||
		strings.Contains(h.summary, "quoted: ") {
		t.Errorf("act ended with %d", h.code)
	}
	if !strings.Contains(h.summary, "allowed to fail") {
		t.Error(h.summary)
	}
}

// TestAPassHidesNoFailureOfTheJob checks jobs in which an earlier step failed: a step without blq, or the first of two
// uses of a composite action. The report has neither the results of the jobs nor the right to list them.
func TestAPassHidesNoFailureOfTheJob(t *testing.T) {
	t.Parallel()
	for workflow, want := range map[string]string{
		"own.yml":       "### ❌ 1 job failed",
		"composite.yml": "### ❌ 1 failed",
	} {
		w := newWorld(t, "testdata/verdicts")
		w.git("checkout", "-q", "-b", "feature")
		e := w.pull(repoName)
		e.workflow = workflow
		if h := w.act(e); h.code == 0 || !strings.Contains(h.log, "failed, as fail-on: errors asks for") {
			t.Errorf("act ended with %d", h.code)
		}
		if body := w.comment(want); strings.Contains(body, "flaky") {
			t.Error("a step of another use counts as a retry")
		}
	}
}

// TestAPassAfterAnotherEventHidesNoFailure checks a push to the branch of a pull request. The push and the pull request
// start the same workflow. Only the workflow run of the push fails.
func TestAPassAfterAnotherEventHidesNoFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "testdata/verdicts")
	w.git("checkout", "-q", "-b", "feature")
	w.commit()
	pull, push := w.pull(repoName), w.push()
	push.payload["ref"], push.claims["ref"] = "refs/heads/feature", "refs/heads/feature"
	for _, e := range []event{push, pull} {
		e.workflow = "events.yml"
		w.act(e)
		w.comment("### ❌ 1 failed")
	}
}
