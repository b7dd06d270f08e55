package event_test

import (
	"testing"

	"github.com/blq-ci/blq/internal/github/event"
	"github.com/blq-ci/blq/internal/github/payload"
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

// The job of a merged pull request builds the base branch, also if somebody adds a label later. act says refs/heads for
// an open pull request, too.
func TestAClosedPullRequestBuildsItsBase(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		action, state string
		pr            int
	}{
		"open":          {"synchronize", "open", 7},
		"without state": {"opened", "", 7},
		"closed now":    {"closed", "closed", 0},
		"closed before": {"labeled", "closed", 0},
	} {
		pr := payload.PullRequest{Number: 7, State: tt.state, Head: payload.Side{Ref: "topic", SHA: "h"}}
		j := event.Job{Event: "pull_request", Ref: "refs/heads/main", SHA: "s", Payload: &payload.Event{Action: tt.action,
			PullRequest: &pr}}
		if got := j.Facts(); got.PR != tt.pr || tt.pr == 0 && (got.Commit != "s" || got.Branch != "main") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
