package event_test

import (
	"testing"

	"github.com/blq-ci/blq/internal/github/event"
)

func TestPullRequestOfARef(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]int{
		"refs/pull/12/merge": 12, "refs/pull/12/head": 12, "refs/heads/refs/pull/12/merge": 0, "refs/pull/x/merge": 0,
		"refs/pull/-1/merge":                   0,
		"refs/pull/99999999999999999999/merge": 0, "refs/heads/main": 0, "": 0,
	} {
		if got := (event.Job{Event: "pull_request", Ref: ref}).Facts().PR; got != want {
			t.Errorf("%s: %d, want %d", ref, got, want)
		}
	}
}

// Only an event of the type merge_group has a merge queue. For a push, a branch that is named like a merge queue's
// branch is an ordinary branch.
func TestOnlyAMergeGroupHasAQueue(t *testing.T) {
	t.Parallel()
	j := event.Job{
		Event: "push", Ref: "refs/heads/gh-readonly-queue/main/pr-12-0123456789012345678901234567890123456789", SHA: "s"}
	if got, want := j.Facts(), (event.Facts{Commit: "s",
		Branch: "gh-readonly-queue/main/pr-12-0123456789012345678901234567890123456789"}); got != want {
		t.Errorf("%+v", got)
	}
	j.Event, j.Ref = "merge_group",
		"refs/heads/gh-readonly-queue/release/1.x/pr-12-0123456789012345678901234567890123456789"
	if got := j.Facts(); got.PR != 12 || got.BaseRef != "release/1.x" ||
		got.BaseSHA != "0123456789012345678901234567890123456789" || got.Commit != "s" {
		t.Errorf("%+v", got)
	}
}
