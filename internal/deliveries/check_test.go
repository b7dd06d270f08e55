package deliveries_test

import (
	"testing"

	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/markdown"
)

// A stopped run might have had further errors. So its check run fails even if the baseline has the known ones.
func TestACheckRunFailsIfAFailureMayBeNew(t *testing.T) {
	t.Parallel()
	for want, list := range map[string][]markdown.Pull{
		"success": {{Passed: true}},
		"neutral": {{Counts: markdown.PullCounts{Failed: 1, Base: 1, Steps: 1}}},
		"failure": {{Counts: markdown.PullCounts{Failed: 1, Base: 1, Steps: 1, Stopped: 1}},
			{Counts: markdown.PullCounts{Failed: 1, New: 1}}, {Counts: markdown.PullCounts{Failed: 1, Unknown: 1}},
			{Counts: markdown.PullCounts{Jobs: 1}}, {Partial: true}},
	} {
		for _, p := range list {
			if got := deliveries.Conclusion(deliveries.ChecksNewErrors, p); got != want {
				t.Errorf("%+v is %s, not %s", p, got, want)
			}
		}
	}
}
