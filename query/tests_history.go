package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// history returns the runs of a test, and how often the test passed and failed. If the text in the question matches
// several tests, history returns these counts for each test, but no runs.
func (q *testQuestion) history(ctx context.Context) (Tests, error) {
	if q.p.Test == "" {
		return Tests{}, store.Next(store.Errorf(store.Invalid, "the history of which test?"),
			store.NewCall("tests", "lists some", "show", "slowest"))
	}
	f, err := q.filter(ctx)
	if err != nil {
		return Tests{}, err
	}
	tests, err := q.named(ctx, f.Repo)
	if err == nil && len(tests) == 0 {
		tests, err = q.Store.Tests(ctx, q.Scope, store.TestFilter{Repo: f.Repo, Like: q.p.Test, Limit: testMatches})
	}
	if err != nil {
		return Tests{}, err
	}
	if len(tests) == 0 {
		return Tests{}, store.Next(store.Errorf(store.NotFound, "no test is called %.200q", q.p.Test),
			store.NewCall("tests", "lists some", "show", "slowest"))
	}
	if err := q.past(ctx, f, tests); err != nil {
		return Tests{}, err
	}
	if len(q.out.Tests) == 0 {
		return Tests{}, store.Next(store.Errorf(store.NotFound, "no test called %.200q ran there", q.p.Test),
			store.NewCall("tests", "where it ran", "show", "history", "test", q.p.Test))
	}
	if q.out.Total = len(q.out.Tests); q.out.Total > 1 {
		q.out.Note = "the runs of one test are listed if its name is given, or its name, a space and its file"
	}
	return q.out, nil
}

// past adds the tests that ran in runs that f selects. If there is only one such test, it also adds the runs of the
// test.
func (q *testQuestion) past(ctx context.Context, f store.RunFilter, tests []store.Test) error {
	type ran struct {
		store.Test
		ends []pastResult
	}
	var list []ran
	runs := map[store.Ref]bool{}
	for _, t := range tests {
		past, err := q.Store.TestHistory(ctx, q.Scope, t)
		if err != nil {
			return err
		}
		ends, err := q.among(ctx, f, t.Repo, resultsByRun(past))
		if err != nil {
			return err
		}
		if len(ends) > 0 {
			list = append(list, ran{t, ends})
		}
		for _, e := range ends {
			runs[store.Ref{Repo: t.Repo, Serial: e.serial}] = true
		}
	}
	q.out.Looked = len(runs)
	for _, t := range list {
		if len(list) == 1 {
			if err := q.runs(ctx, t.Repo, t.ends); err != nil {
				return err
			}
		}
		q.out.Tests = append(q.out.Tests, q.count(t.Test, t.ends))
	}
	return nil
}

// historyRuns is the max number of runs that a statement looks up.
const historyRuns = 1000

// among returns the results in runs that the filter selects. If the filter has no source and no branch, among returns
// all results.
func (q *testQuestion) among(ctx context.Context, f store.RunFilter, repo string, ends []pastResult) (
	[]pastResult, error) {
	if f.Source == "" && f.Branch == "" {
		return ends, nil
	}
	in := map[int]bool{}
	for some := range slices.Chunk(ends, historyRuns) {
		f.Repo, f.Serials = repo, nil
		for _, e := range some {
			f.Serials = append(f.Serials, e.serial)
		}
		runs, err := q.reader().Runs(ctx, q.Scope, f)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			in[r.Serial] = true
		}
	}
	return slices.DeleteFunc(ends, func(e pastResult) bool { return !in[e.serial] }), nil
}

// named returns the tests whose name is the text in the question. Tests in several files may have one name, so the text
// may also be a name and a file, with a space between them.
func (q *testQuestion) named(ctx context.Context, repo string) ([]store.Test, error) {
	name, file := q.p.Test, ""
	for range testSpaces {
		tests, err := q.Store.Tests(ctx, q.Scope, store.TestFilter{Repo: repo, Name: name, Limit: testMatches})
		tests = slices.DeleteFunc(tests, func(t store.Test) bool { return file != "" && t.File != file })
		if err != nil || len(tests) > 0 {
			return tests, err
		}
		at := strings.LastIndexByte(name, ' ')
		if at < 0 {
			return nil, nil
		}
		name, file = name[:at], q.p.Test[at+1:]
	}
	return nil, nil
}

// pastResult is the combined result of a test in one run, with the serial of the run.
type pastResult struct {
	combinedResult
	serial int
}

// resultsByRun returns the result of a test in each run. It combines the attempts of the test in one run.
func resultsByRun(past []store.TestPast) []pastResult {
	var list []pastResult
	for _, p := range past {
		if len(list) == 0 || list[len(list)-1].serial != p.Serial {
			list = append(list, pastResult{serial: p.Serial})
		}
		list[len(list)-1].add(p.Outcome, p.Duration)
	}
	return list
}

// count returns a test with the numbers of its results.
func (q *testQuestion) count(t store.Test, ends []pastResult) TestAnswer {
	answer := TestAnswer{Test: Clean(t.Name), File: Clean(t.File), Repo: t.Repo}
	for i, e := range ends {
		if i == 0 {
			answer.Outcome, answer.Seconds = e.outcome.String(), round(e.seconds)
		}
		if e.retried {
			q.out.Counts.Retried++
		}
		switch {
		case e.outcome == store.TestPassed:
			answer.Passed++
			q.out.Counts.Passed++
		case e.outcome.Failed():
			answer.Failed++
			q.out.Counts.Failed++
		case e.outcome == store.TestSkipped:
			answer.Skipped++
			q.out.Counts.Skipped++
		default:
			q.out.Counts.Infra++
		}
	}
	return answer
}

// runs lists the newest runs of a test.
func (q *testQuestion) runs(ctx context.Context, repo string, ends []pastResult) error {
	if all := len(ends); all > q.p.Limit {
		ends = ends[:q.p.Limit]
		q.out.Note = fmt.Sprintf("the newest %d of %d runs are listed", q.p.Limit, all)
	}
	serials := []int{}
	for _, e := range ends {
		serials = append(serials, e.serial)
	}
	list, err := q.reader().Runs(ctx, q.Scope, store.RunFilter{Repo: repo, Serials: serials})
	if err != nil {
		return err
	}
	facts := map[int]store.Run{}
	for _, r := range list {
		facts[r.Serial] = r
	}
	type both struct{ passed, failed bool }
	points := stepCodesOf(list)
	at := map[stepCode]both{}
	for _, e := range ends {
		if r := facts[e.serial]; proves(r) {
			b := at[points[r.Attempt]]
			at[points[r.Attempt]] = both{b.passed || e.passed, b.failed || e.failed}
		}
	}
	for _, e := range ends {
		r, known := facts[e.serial]
		if !known { // the run was removed after the search
			continue
		}
		in := TestInRun{Run: r.Ref().String(), Outcome: e.outcome.String(), Seconds: round(e.seconds),
			Time: stamp(r.StartedAt), Commit: r.Git.Commit, Branch: Clean(r.Git.Branch)}
		if e.attempts > 1 {
			in.Tries = e.attempts
		}
		b := at[points[r.Attempt]]
		in.Flaky = b.passed && b.failed && proves(r)
		q.out.Runs = append(q.out.Runs, in)
	}
	return nil
}
