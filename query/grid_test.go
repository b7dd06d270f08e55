package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// rowsOf returns the rows of a grid. A row is a test with its results: + passed, - failed, ? skipped, ! infrastructure,
// ~ passed in a retry.
func rowsOf(t *testing.T, f *querytest.Fixture, p query.GridParams) (query.Grid, []string) {
	t.Helper()
	g, err := f.Grid(t.Context(), p)
	querytest.Check(t, err)
	var list []string
	for _, r := range g.Rows {
		text := r.Test
		for _, c := range r.Cells {
			mark := map[store.TestOutcome]string{store.TestPassed: "+", store.TestFailed: "-", store.TestSkipped: "?",
				store.TestInfra: "!"}[c.Outcome]
			if c.Retried {
				mark = "~"
			}
			text += fmt.Sprintf(" %d%s", g.Runs[c.Run].Serial, mark)
		}
		list = append(list, text)
	}
	return g, list
}

// A row of a grid has only the runs in which its test has a result.
func TestGrid(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
	for i, r := range []querytest.Run{
		{Source: "unit", Exit: 1, Tests: results("a+ b+ c-")},
		{Source: "other", Exit: 0, Tests: results("x+")},
		{Source: "unit", Exit: 0}, // no results
		{Source: "unit", Exit: 1, Tests: results("a- a+ b- new?")},
		{Source: "unit", Exit: 1, Tests: results("a+ b- new! ")},
	} {
		r.At = i + 1
		f.Add(t, r)
	}
	g, got := rowsOf(t, f, query.GridParams{Tests: 9, Runs: 9})
	want := []string{"b 1+ 4- 5-", "c 1-", "a 1+ 4~ 5+", "new 4? 5!"}
	if diff := cmp.Diff(want, got); diff != "" || g.Source != "unit" || g.Total != 4 || g.More {
		t.Errorf("%s of %d, more %v: %s", g.Source, g.Total, g.More, diff)
	}
	g, got = rowsOf(t, f, query.GridParams{Tests: 1, Runs: 2})
	if diff := cmp.Diff([]string{"b 4- 5-"}, got); diff != "" || g.Total != 3 || !g.More {
		t.Errorf("bounded: %d tests, more %v: %s", g.Total, g.More, diff)
	}
	_, got = rowsOf(t, f, query.GridParams{Tests: 9, Runs: 9, Source: "other"})
	if diff := cmp.Diff([]string{"x 2+"}, got); diff != "" {
		t.Errorf("of another source: %s", diff)
	}
	_, got = rowsOf(t, f, query.GridParams{Tests: 9, Runs: 9, Test: "ne"})
	if diff := cmp.Diff([]string{"new 4? 5!"}, got); diff != "" {
		t.Errorf("by name: %s", diff)
	}
	if _, err := f.Grid(t.Context(), query.GridParams{Source: "nope"}); store.CodeOf(err) != store.NotFound {
		t.Errorf("no such source: %v", err)
	}
}

// Flaky tests are ordered by the number of pull requests in which they failed.
func TestFlakyTestsByPullRequestsHurt(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
	for i, r := range []struct {
		commit, tests string
		pr            int
	}{
		{"1", "loud-", 0}, {"1", "loud-", 0}, {"1", "loud-", 0}, {"1", "loud+", 0}, // most failures, no pull request
		{"2", "sly- retried- retried+ real-", 7}, {"2", "sly+ retried+ real-", 7},
		{"3", "sly- retried- retried+", 8}, {"4", "sly-", 8}, {"5", "once-", 9}, {"5", "once+", 9},
	} {
		run := querytest.Run{Source: "unit", At: i + 1, Exit: 1, Tests: results(r.tests),
			Git: &store.Git{Branch: "main", Commit: strings.Repeat(r.commit, 40)}}
		if r.pr > 0 {
			run.CI = &store.CI{Provider: "github", PR: r.pr}
		}
		f.Add(t, run)
	}
	answer, err := f.Asker.Tests(t.Context(), query.TestsParams{Show: query.TestsFlaky})
	querytest.Check(t, err)
	var got []string
	for _, test := range answer.Tests {
		got = append(got, fmt.Sprintf("%s %d", test.Test, test.PRs))
	}
	if diff := cmp.Diff([]string{"sly 2", "once 1", "loud 0", "retried 0"}, got); diff != "" {
		t.Error(diff)
	}
}
