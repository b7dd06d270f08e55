package deliveries

import (
	"testing"

	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/joblog"
	"github.com/blq-ci/blq/store"
)

// A step passes only if its conclusion says so, or if it has no conclusion and its exit code is 0.
func TestAStepPassesOnlyIfItsConclusionSaysSo(t *testing.T) {
	t.Parallel()
	zero, two := 0, 2
	for _, tt := range []struct {
		conclusion string
		end        joblog.End
		want       store.Status
	}{
		{"success", joblog.End{}, store.StatusOK},
		{"neutral", joblog.End{}, store.StatusOK},
		{"success", joblog.End{ExitCode: &two}, store.StatusFail}, // continue-on-error
		{"failure", joblog.End{}, store.StatusFail},
		{"failure", joblog.End{ExitCode: &two}, store.StatusFail},
		{"", joblog.End{}, store.StatusFail},
		{"", joblog.End{ExitCode: &zero}, store.StatusOK},
		{"stale", joblog.End{}, store.StatusFail},
		{"action_required", joblog.End{}, store.StatusFail},
		{"timed_out", joblog.End{}, store.StatusTimeout},
		{"cancelled", joblog.End{}, store.StatusCancelled},
		{"", joblog.End{Canceled: true}, store.StatusCancelled},
	} {
		e := (&importer{}).ending(joblog.Part{Step: payload.Step{Conclusion: tt.conclusion}}, tt.end)
		if got := (store.Run{State: store.StateCompleted, Ending: e}).Status(); got != tt.want {
			t.Errorf("conclusion %q, %+v: %s, want %s", tt.conclusion, tt.end, got, tt.want)
		}
	}
}
