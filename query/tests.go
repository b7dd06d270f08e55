package query

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/blq-ci/blq/store"
)

// TestsShow is what to show of tests.
type TestsShow string

// These are the values.
const (
	TestsFailing TestsShow = "failing" // in the newest run of each step
	TestsFlaky   TestsShow = "flaky"   // with both outcomes at one commit
	TestsSlowest TestsShow = "slowest"
	TestsNever   TestsShow = "never_run" // skipped in each of the last runs
	TestsChanged TestsShow = "changed"   // newly failing or fixed since the baseline
	TestsHistory TestsShow = "history"   // runs in which one test ran
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

// Tests is what is known of tests.
type Tests struct {
	Counts TestCounts   `json:"counts" jsonschema:"passed, failed, skipped, retried, infrastructure" schema:"open"`
	Looked int          `json:"runs_count" jsonschema:"runs looked at"`
	Total  int          `json:"total_count" jsonschema:"tests to show"`
	Tests  []TestAnswer `json:"tests" jsonschema:"test_name, ref_file, outcome, …" schema:"open"`
	Runs   []TestInRun  `json:"runs,omitempty" jsonschema:"history, newest first" schema:"open"`
	Note   string       `json:"note,omitempty" jsonschema:"what is missing" schema:"unlisted"`
}

// TestCounts counts the tests of the newest run of each step, or the runs of a test.
type TestCounts struct {
	Passed  int `json:"passed" jsonschema:"passed"`
	Failed  int `json:"failed" jsonschema:"failed"`
	Skipped int `json:"skipped" jsonschema:"skipped"`
	Retried int `json:"retried,omitempty" jsonschema:"tried again"`
	Infra   int `json:"infrastructure,omitempty" jsonschema:"failed by the machine"`
}

// TestAnswer is a test in an answer.
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
	id      int64
}

// TestInRun is a run of a test.
type TestInRun struct {
	Run     string  `json:"run_ref" jsonschema:"run"`
	Outcome string  `json:"outcome" jsonschema:"how the last attempt ended"`
	Tries   int     `json:"attempts,omitempty" jsonschema:"if several"`
	Seconds float64 `json:"duration_seconds,omitempty" jsonschema:"seconds"`
	Time    string  `json:"started_at,omitempty" jsonschema:"UTC"`
	Commit  string  `json:"git_commit,omitempty" jsonschema:"commit"`
	Branch  string  `json:"git_branch,omitempty" jsonschema:"branch"`
	Flaky   bool    `json:"flaky,omitempty" jsonschema:"failed and passed at this commit"`
}

// These bound what a question reads.
const (
	maxTestsShown   = 1000 // tests
	maxTestRuns     = 1000 // runs to find flaky tests in
	maxTestsSkipped = 50   // runs to find tests that are never run in
	testBlocks      = 50   // runs whose results are read at once
	testMatches     = 10   // tests whose histories are counted
)

// Tests answers questions about tests. Invalid: an unknown value of show, or a history without a test. NotFound: no
// such test or place.
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

// testQuestion is a question that is being answered.
type testQuestion struct {
	*Asker
	p      TestsParams
	only   map[int64]bool // tests that are meant, nil for all
	newest []store.Run    // the newest run with results of each step
	blocks []testRun      // their results
	out    Tests
}

// testRun is a run with its results.
type testRun struct {
	store.Run
	tests []testEnd
	store.TestSum
}

// testEnd is how a test ended in a run.
type testEnd struct {
	id             int64
	outcome        store.TestOutcome // of the last attempt
	attempts       int
	passed, failed bool // in one of the attempts
	seconds        float64
}

// filter returns the runs that the question is about.
func (q *testQuestion) filter(ctx context.Context) (store.RunFilter, error) {
	f := store.RunFilter{Source: q.p.Source}
	return f, q.at(ctx, At{Branch: q.p.Branch, Repo: q.p.Repo}, &f)
}

// answer gathers the tests that find returns, and names them.
func (q *testQuestion) answer(ctx context.Context, find func(context.Context) ([]TestAnswer, error)) (Tests, error) {
	f, err := q.filter(ctx)
	if err != nil {
		return Tests{}, err
	}
	if q.p.Test != "" {
		tests, err := q.Store.Tests(ctx, q.Scope, store.TestFilter{Repo: f.Repo, Like: q.p.Test})
		if err != nil {
			return Tests{}, err
		}
		q.only = map[int64]bool{}
		for _, t := range tests {
			q.only[t.ID] = true
		}
	}
	f.Newest = true
	if q.newest, err = q.Store.Runs(ctx, q.Scope, f); err != nil {
		return Tests{}, err
	}
	if q.blocks, err = q.results(ctx, q.newest); err != nil {
		return Tests{}, err
	}
	q.out.Looked = len(q.blocks)
	for _, b := range q.blocks {
		q.out.Counts.Passed += b.Passed()
		q.out.Counts.Failed += b.TestSum.Failed
		q.out.Counts.Skipped += b.Skipped
		q.out.Counts.Retried += b.Retried
		q.out.Counts.Infra += b.Infra
	}
	list, err := find(ctx)
	if err != nil {
		return Tests{}, err
	}
	q.out.Total = len(list)
	q.out.Tests = list[:min(len(list), q.p.Limit)]
	if len(q.blocks) == 0 {
		q.out.Note = "no run has results of tests: they are read from reports, and from output that names each test"
	}
	return q.out, q.name(ctx)
}

// name gives the tests of the answer their names.
func (q *testQuestion) name(ctx context.Context) error {
	if q.out.Tests == nil {
		q.out.Tests = []TestAnswer{}
	}
	ids := []int64{}
	for _, t := range q.out.Tests {
		ids = append(ids, t.id)
	}
	tests, err := q.Store.Tests(ctx, q.Scope, store.TestFilter{IDs: ids})
	if err != nil {
		return err
	}
	for i := range q.out.Tests {
		t := &q.out.Tests[i]
		at, found := slices.BinarySearchFunc(tests, t.id, func(t store.Test, id int64) int { return cmp.Compare(t.ID, id) })
		if found {
			t.Test, t.File = Clean(tests[at].Name), Clean(tests[at].File)
		}
	}
	return nil
}

// results returns the runs that have results, with them.
func (q *testQuestion) results(ctx context.Context, runs []store.Run) ([]testRun, error) {
	var list []testRun
	for len(runs) > 0 {
		n := min(len(runs), testBlocks)
		blocks, err := q.Store.TestBlocks(ctx, q.Scope, attempts(runs[:n]), true)
		if err != nil {
			return nil, err
		}
		list = append(list, q.join(runs[:n], blocks)...)
		runs = runs[n:]
	}
	return list, nil
}

func attempts(runs []store.Run) []string {
	list := make([]string, len(runs))
	for i, r := range runs {
		list[i] = r.Attempt
	}
	return list
}

// join returns blocks with the facts of their runs.
func (q *testQuestion) join(runs []store.Run, blocks []store.TestBlock) []testRun {
	of := map[store.Ref]store.Run{}
	for _, r := range runs {
		of[r.Ref()] = r
	}
	list := make([]testRun, 0, len(blocks))
	for _, b := range blocks {
		if r, known := of[b.Run]; known {
			list = append(list, testRun{r, q.ends(b.Results), b.TestSum})
		}
	}
	return list
}

// ends returns how each test ended whose attempts are in results.
func (q *testQuestion) ends(results []store.TestResult) []testEnd {
	var list []testEnd
	for i, r := range results {
		if q.only != nil && !q.only[r.Test.ID] {
			continue
		}
		if i == 0 || len(list) == 0 || results[i-1].Test.ID != r.Test.ID {
			list = append(list, testEnd{id: r.Test.ID})
		}
		end := &list[len(list)-1]
		end.outcome, end.attempts = r.Outcome, end.attempts+1
		end.passed = end.passed || r.Outcome == store.TestPassed
		end.failed = end.failed || r.Outcome.Failed()
		end.seconds += r.Duration.Seconds()
	}
	return list
}

// in returns a test in an answer, as it ended in a run.
func (r testRun) in(t testEnd) TestAnswer {
	return TestAnswer{id: t.id, Outcome: t.outcome.String(), Run: r.Ref().String(), Seconds: round(t.seconds)}
}

// round rounds seconds to three digits.
func round(seconds float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(seconds, 'g', 3, 64), 64)
	if err != nil {
		return seconds
	}
	return rounded
}

// failing returns the tests that failed in the newest runs.
func (q *testQuestion) failing(context.Context) ([]TestAnswer, error) {
	var list []TestAnswer
	for _, r := range q.blocks {
		for _, t := range r.tests {
			if t.outcome.Failed() {
				list = append(list, r.in(t))
			}
		}
	}
	return list, nil
}

// slowest returns the tests of the newest runs, those that took longest first.
func (q *testQuestion) slowest(context.Context) ([]TestAnswer, error) {
	var list []TestAnswer
	for _, r := range q.blocks {
		for _, t := range r.tests {
			if t.seconds > 0 {
				list = append(list, r.in(t))
			}
		}
	}
	slices.SortStableFunc(list, func(x, y TestAnswer) int { return cmp.Compare(y.Seconds, x.Seconds) })
	return list, nil
}

// neverRun returns tests that the newest runs skipped, and that none of the last runs ran.
func (q *testQuestion) neverRun(ctx context.Context) ([]TestAnswer, error) {
	skipped := map[int64]*TestAnswer{}
	var order []int64
	for _, r := range q.blocks {
		for _, t := range r.tests {
			if t.outcome == store.TestSkipped && skipped[t.id] == nil {
				answer := r.in(t)
				skipped[t.id] = &answer
				order = append(order, t.id)
			}
		}
	}
	if len(order) == 0 {
		return nil, nil
	}
	last, err := q.last(ctx, maxTestsSkipped)
	if err != nil {
		return nil, err
	}
	runs, err := q.results(ctx, last)
	if err != nil {
		return nil, err
	}
	q.out.Looked = len(runs)
	for _, r := range append(runs, q.blocks...) {
		for _, t := range r.tests {
			switch {
			case skipped[t.id] == nil:
			case t.outcome != store.TestSkipped:
				delete(skipped, t.id)
			default:
				skipped[t.id].Skipped++
			}
		}
	}
	var list []TestAnswer
	for _, id := range order {
		if t := skipped[id]; t != nil {
			list = append(list, *t)
		}
	}
	return list, nil
}

// last returns the last runs, newest first.
func (q *testQuestion) last(ctx context.Context, n int) ([]store.Run, error) {
	f, err := q.filter(ctx)
	if err != nil {
		return nil, err
	}
	f.Limit = n
	return q.Store.Runs(ctx, q.Scope, f)
}

// changed returns tests that fail and did not in the baseline, and those that failed there and pass.
func (q *testQuestion) changed(ctx context.Context) ([]TestAnswer, error) {
	var list []TestAnswer
	for _, r := range q.blocks {
		b, err := q.baseline(ctx, r.Run, q.p.Baseline)
		if err != nil {
			return nil, err
		}
		if !b.Found() || b.Run.Attempt == r.Attempt {
			continue
		}
		base, err := q.results(ctx, []store.Run{b.Run})
		if err != nil || len(base) == 0 {
			return list, err
		}
		before := map[int64]testEnd{}
		for _, t := range base[0].tests {
			before[t.id] = t
		}
		for _, t := range r.tests {
			answer := r.in(t)
			answer.Before = b.Run.Ref().String()
			old, known := before[t.id]
			switch {
			case t.outcome.Failed() && !(known && old.outcome.Failed()):
				answer.Change = "newly_failing"
			case t.outcome == store.TestPassed && old.outcome.Failed():
				answer.Change = "fixed"
			default:
				continue
			}
			list = append(list, answer)
		}
	}
	slices.SortStableFunc(list, func(x, y TestAnswer) int { return cmp.Compare(y.Change, x.Change) })
	return list, nil
}
