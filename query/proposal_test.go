package query_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// pulled is a run of a workflow run for a pull request, at one of several commits of a branch.
type pulled struct {
	pr, exit      int
	event, commit string
	took          time.Duration
}

// One branch may have several pull requests, and one pull request several events. They build different code, so a
// success for one does not answer a failure for another. Neither does a success in a workflow run at the same time.
func TestASuccessForAnotherPullRequestAnswersNoFailure(t *testing.T) {
	t.Parallel()
	const first, second = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	for name, tt := range map[string]struct {
		runs []pulled
		at   query.At
		red  bool
	}{
		"another event": {
			[]pulled{{7, 1, "pull_request", first, 0}, {7, 0, "pull_request_target", first, 0}}, query.At{}, true},
		"a review, which builds the merge, too": {
			[]pulled{{7, 1, "pull_request", first, 0}, {7, 0, "pull_request_review", first, 0}}, query.At{}, false},
		"a later commit for another event": {
			[]pulled{{7, 1, "pull_request", first, 0}, {7, 0, "pull_request_target", second, 0}}, query.At{}, false},
		"a later pull request": {[]pulled{{7, 1, "pull_request", first, 0}, {8, 0, "pull_request", first, 0},
			{7, 0, "lint", second, 0}}, query.At{PR: 7}, true},
		"a later pull request that fails": {[]pulled{{0, 1, "push", first, 0}, {8, 1, "pull_request", first, 0},
			{7, 0, "lint", second, 0}}, query.At{PR: 7}, true},
		"another workflow run at the same time": {[]pulled{{0, 1, "push", first, time.Hour}, {0, 0, "push", first, 0}},
			query.At{}, true},
		"a later workflow run": {
			[]pulled{{0, 1, "push", first, time.Second}, {0, 0, "push", first, 0}}, query.At{}, false},
		"a later commit at the same time": {[]pulled{{0, 1, "push", first, time.Hour}, {0, 0, "push", second, 0}},
			query.At{}, false},
	} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		for i, r := range tt.runs {
			source := "build"
			if r.event == "lint" {
				source, r.event = r.event, "pull_request"
			}
			f.Add(t, querytest.Run{Source: source, At: i + 1, Exit: r.exit, Took: r.took, Repo: "acme/shop",
				Log: "log\n", Git: &store.Git{Branch: "topic", Commit: r.commit, Root: fmt.Sprint("/machine", i)},
				CI: &store.CI{Provider: "github", Repo: "acme/shop", Workflow: "CI", Job: "build",
					RunID: string(rune('1' + i)), RunAttempt: 1, PR: r.pr, EventName: r.event, BaseRef: "main"}})
		}
		check, err := f.Check(t.Context(), query.CheckParams{At: tt.at})
		querytest.Check(t, err)
		triage, err := f.Triage(t.Context(), query.TriageParams{At: query.At{}})
		querytest.Check(t, err)
		if check.Passed == tt.red || (triage.Status == store.StatusOK) == tt.red {
			t.Errorf("%s: passed %v, %s", name, check.Passed, triage.Verdict)
		}
	}
}
