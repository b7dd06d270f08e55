package query

import (
	"cmp"
	"context"

	"github.com/blq-ci/blq/store"
)

// TestsShow selects the tests of an answer.
type TestsShow string

// These are the values of TestsShow.
const (
	TestsFailing TestsShow = "failing" // tests that fail in the newest run of each step
	TestsFlaky   TestsShow = "flaky"   // tests that failed and passed at one commit
	TestsSlowest TestsShow = "slowest"
	TestsNever   TestsShow = "never_run" // tests that were skipped in all of the last runs
	TestsChanged TestsShow = "changed"   // tests whose result differs from the baseline
	TestsHistory TestsShow = "history"   // the runs of one test
)

// TestsParams select tests.
type TestsParams struct {
	Show     TestsShow `json:"show,omitempty" jsonschema:"failing when left out" enum:"failing,flaky,slowest,never_run,changed,history"`
	Test     string    `json:"test,omitempty" jsonschema:"part of the name"`
	Baseline string    `json:"baseline,omitempty" jsonschema:"for changed"`
	Source   string    `json:"source,omitempty" jsonschema:"source"`
	Branch   string    `json:"branch,omitempty" jsonschema:"branch"`
	Repo     string    `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
	Limit    int       `json:"limit,omitempty" jsonschema:"max tests" default:"20" min:"1"`
}

// Tests is the answer about tests.
type Tests struct {
	Counts TestCounts   `json:"counts" jsonschema:"passed, failed, skipped, retried, infrastructure" schema:"open"`
	Looked int          `json:"runs_count" jsonschema:"runs looked at"`
	Total  int          `json:"total_count" jsonschema:"tests to show"`
	Tests  []TestAnswer `json:"tests" jsonschema:"test_name, ref_file, outcome, …" schema:"open"`
	Runs   []TestInRun  `json:"runs,omitempty" jsonschema:"history, newest first" schema:"open"`
	Note   string       `json:"note,omitempty" jsonschema:"parts that are missing, with the reason" schema:"unlisted"`
}

// TestCounts holds the numbers of tests in the newest run of each step. For a history, it holds numbers about the runs
// of a test.
type TestCounts struct {
	Passed  int `json:"passed" jsonschema:"passed"`
	Failed  int `json:"failed" jsonschema:"failed"`
	Skipped int `json:"skipped" jsonschema:"skipped"`
	Retried int `json:"retried,omitempty" jsonschema:"tried again"`
	Infra   int `json:"infrastructure,omitempty" jsonschema:"failed by the machine"`
}

// TestAnswer is one test in an answer: its name, its outcome, and how often it passed, failed and was skipped.
type TestAnswer struct {
	Test    string   `json:"test_name" jsonschema:"name"`
	File    string   `json:"ref_file,omitempty" jsonschema:"file"`
	Outcome string   `json:"outcome,omitempty" jsonschema:"passed, failed, error, skipped or infrastructure"`
	Change  string   `json:"change,omitempty" jsonschema:"newly_failing or fixed"`
	Run     string   `json:"run_ref,omitempty" jsonschema:"run"`
	Before  string   `json:"baseline_ref,omitempty" jsonschema:"run before"`
	Seconds float64  `json:"duration_seconds,omitempty" jsonschema:"seconds"`
	Passed  int      `json:"passed,omitempty" jsonschema:"runs in which it passed"`
	Failed  int      `json:"failed,omitempty" jsonschema:"runs in which it failed"`
	Skipped int      `json:"skipped,omitempty" jsonschema:"runs in which it was skipped"`
	Commits []string `json:"commits,omitempty" jsonschema:"commits with both outcomes"`
	PRs     int      `json:"pull_requests,omitempty" jsonschema:"pull requests in which it failed a run, of flaky tests"`
	Repo    string   `json:"-"` // set only in a history
	id      int64
}

// TestInRun is the result of a test in a run.
type TestInRun struct {
	Run     string  `json:"run_ref" jsonschema:"run"`
	Outcome string  `json:"outcome" jsonschema:"outcome of the last attempt"`
	Tries   int     `json:"attempts,omitempty" jsonschema:"if several"`
	Seconds float64 `json:"duration_seconds,omitempty" jsonschema:"seconds"`
	Time    string  `json:"started_at,omitempty" jsonschema:"UTC"`
	Commit  string  `json:"git_commit,omitempty" jsonschema:"commit"`
	Branch  string  `json:"git_branch,omitempty" jsonschema:"branch"`
	Flaky   bool    `json:"flaky,omitempty" jsonschema:"failed and passed at this commit"`
}

// These limits bound the reads for one question.
const (
	maxTestsShown   = 1000 // tests
	maxTestRuns     = 1000 // runs that are searched for flaky tests
	maxTestsSkipped = 50   // runs that are searched for tests that never run
	testBlocks      = 50   // runs whose results are read together
	testMatches     = 10   // tests whose histories are counted
	testSpaces      = 8    // max spaces of a text that are tried as the end of the name
)

// Tests answers questions about tests. Invalid: show is unknown, or the question asks for a history without naming a
// test. NotFound: there is no such test, or the question selects no runs.
func (a *Asker) Tests(ctx context.Context, p TestsParams) (Tests, error) {
	if err := a.sweep(ctx); err != nil {
		return Tests{}, err
	}
	p.Limit = min(cmp.Or(max(0, p.Limit), 20), maxTestsShown)
	q := &testQuestion{Asker: a, p: p}
	switch p.Show {
	case TestsHistory:
		return q.history(ctx)
	case TestsFlaky:
		return q.answer(ctx, q.flaky)
	case TestsNever:
		return q.answer(ctx, q.neverRun)
	case TestsChanged:
		return q.answer(ctx, q.changed)
	case TestsSlowest:
		return q.answer(ctx, q.slowest)
	case TestsFailing, "":
		return q.answer(ctx, q.failing)
	}
	return Tests{}, store.Hint(store.Errorf(store.Invalid, "nothing to show is called %.40q", p.Show),
		"show failing, flaky, slowest, never_run, changed or history")
}
