package query

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/blq-ci/blq/store"
)

// testQuestion is the state of one question about tests.
type testQuestion struct {
	*Asker
	p      TestsParams
	only   map[int64]bool // requested tests, nil for all
	newest []store.Run    // the newest run of each step with results
	blocks []testRun      // results of the newest runs
	out    Tests
}

// testRun is a run with its results.
type testRun struct {
	store.Run
	tests []combinedResult
	store.TestSum
}

// combinedResult is the result of a test in a run. It combines all attempts of the test.
type combinedResult struct {
	id             int64
	outcome        store.TestOutcome // result of the last attempt that failed or passed, or of the last attempt
	attempts       int
	passed, failed bool // in at least one attempt
	retried        bool // an attempt followed a failure
	seconds        float64
}

// add adds the next attempt of a test.
func (e *combinedResult) add(outcome store.TestOutcome, took time.Duration) {
	e.retried = e.retried || e.attempts > 0 && (e.outcome.Failed() || e.outcome == store.TestInfra)
	e.attempts++
	if !e.outcome.Failed() || outcome == store.TestPassed || outcome.Failed() { // the same rule as in store.SumTests
		e.outcome = outcome
	}
	e.passed = e.passed || outcome == store.TestPassed
	e.failed = e.failed || outcome.Failed()
	e.seconds += took.Seconds()
}

// filter returns the filter for the runs of the question.
func (q *testQuestion) filter(ctx context.Context) (store.RunFilter, error) {
	f := store.RunFilter{Source: q.p.Source}
	if q.p.Source != "" {
		if err := q.knownSource(ctx, q.p.Source); err != nil {
			return f, err
		}
	}
	return f, q.at(ctx, At{Branch: q.p.Branch, Repo: q.p.Repo}, &f)
}

// answer calls the function find, and returns the tests from find with their names.
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
	if q.newest, err = q.reader().Runs(ctx, q.Scope, f); err != nil {
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

// name adds the names and files of the tests to the answer.
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

// results returns the given runs that have test results, together with these results.
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

// join adds the facts of runs to blocks of results.
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

// ends combines the attempts in results, and returns the result of each test.
func (q *testQuestion) ends(results []store.TestResult) []combinedResult {
	var list []combinedResult
	for i, r := range results {
		if q.only != nil && !q.only[r.Test.ID] {
			continue
		}
		if i == 0 || len(list) == 0 || results[i-1].Test.ID != r.Test.ID {
			list = append(list, combinedResult{id: r.Test.ID})
		}
		list[len(list)-1].add(r.Outcome, r.Duration)
	}
	return list
}

// in returns a test with its result in a run, in the form that answers show.
func (r testRun) in(t combinedResult) TestAnswer {
	return TestAnswer{id: t.id, Outcome: t.outcome.String(), Run: r.Ref().String(), Seconds: round(t.seconds)}
}

// round rounds seconds to three significant digits.
func round(seconds float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(seconds, 'g', 3, 64), 64)
	if err != nil {
		return seconds
	}
	return rounded
}
