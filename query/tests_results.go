package query

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/blq-ci/blq/store"
)

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

// add adds the next attempt of the test.
func (e *testEnd) add(outcome store.TestOutcome, took time.Duration) {
	e.outcome, e.attempts = outcome, e.attempts+1
	e.passed = e.passed || outcome == store.TestPassed
	e.failed = e.failed || outcome.Failed()
	e.seconds += took.Seconds()
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

// results returns the runs that have results, together with the results.
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

// ends joins the attempts in results, and returns how each test ended.
func (q *testQuestion) ends(results []store.TestResult) []testEnd {
	var list []testEnd
	for i, r := range results {
		if q.only != nil && !q.only[r.Test.ID] {
			continue
		}
		if i == 0 || len(list) == 0 || results[i-1].Test.ID != r.Test.ID {
			list = append(list, testEnd{id: r.Test.ID})
		}
		list[len(list)-1].add(r.Outcome, r.Duration)
	}
	return list
}

// in returns what an answer says of a test in a run, and how it ended there.
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
