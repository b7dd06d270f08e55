package query

import (
	"context"
	"slices"
	"sort"

	"github.com/blq-ci/blq/store"
)

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

// slowest returns the tests of the newest runs, slowest first.
func (q *testQuestion) slowest(context.Context) ([]TestAnswer, error) {
	var list []TestAnswer
	for _, r := range q.blocks {
		for _, t := range r.tests {
			if t.seconds > 0 {
				list = append(list, r.in(t))
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Seconds > list[j].Seconds })
	return list, nil
}

// neverRun returns the tests that were skipped in the newest runs and did not run in earlier runs either.
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
	for _, r := range q.blocks { // the newest run of a step may be older than the last runs
		if !slices.ContainsFunc(runs, func(o testRun) bool { return o.Attempt == r.Attempt }) {
			runs = append(runs, r)
		}
	}
	q.out.Looked = len(runs)
	for _, r := range runs {
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
	return q.reader().Runs(ctx, q.Scope, f)
}

// changed compares the newest runs with their baselines. It returns the tests whose result has changed: they fail now
// and did not fail in the baseline, or they pass now and failed in the baseline.
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
		if err != nil {
			return nil, err
		}
		if len(base) > 0 { // otherwise the baseline has no test results
			list = append(list, r.since(base[0])...)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Change > list[j].Change })
	return list, nil
}

// since returns the tests whose result has changed since the baseline: they fail in the run r and did not fail in the
// baseline, or they pass in r and failed in the baseline.
func (r testRun) since(base testRun) []TestAnswer {
	before := map[int64]store.TestOutcome{} // a test without a result did not fail
	for _, t := range base.tests {
		before[t.id] = t.outcome
	}
	var list []TestAnswer
	for _, t := range r.tests {
		answer := r.in(t)
		answer.Before = base.Ref().String()
		switch failed := before[t.id].Failed(); {
		case t.outcome.Failed() && !failed:
			answer.Change = "newly_failing"
		case t.outcome == store.TestPassed && failed:
			answer.Change = "fixed"
		default:
			continue
		}
		list = append(list, answer)
	}
	return list
}
