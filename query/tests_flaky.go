package query

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/blq-ci/blq/store"
)

// proves reports whether the results of a run are reliable. The run must have ended by itself, and its log must be
// complete.
func proves(r store.Run) bool { return r.Ended() && r.Lost == "" }

// codePoint holds the commit and the step, which are equal for runs of the same code.
type codePoint struct{ repo, commit, step string }

// pointOf returns the code point of a run. If the code of a run is unknown, its code point is different from all
// others.
func pointOf(r store.Run) codePoint {
	if r.Git.Commit == "" || r.Git.Dirty || imported(r) {
		return codePoint{step: r.Attempt}
	}
	return codePoint{r.Repo, r.Git.Commit, r.Step().Key()}
}

// flaky returns tests that failed and passed at one commit, in runs of one step or in attempts of one run. It does not
// count failures of the machine, or runs that did not end by themselves.
func (q *testQuestion) flaky(ctx context.Context) ([]TestAnswer, error) {
	runs, err := q.last(ctx, maxTestRuns)
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(r store.Run) bool { return !proves(r) })
	suspect, err := q.suspect(ctx, runs)
	if err != nil {
		return nil, err
	}
	tally := flakyTests{byID: map[int64]*TestAnswer{}, hurt: hurtPulls{}}
	for _, group := range suspect {
		blocks, err := q.results(ctx, group)
		if err != nil {
			return nil, err
		}
		tally.add(blocks)
	}
	return tally.list(), nil
}

// suspect returns groups of runs of the same code in which a test failed and may also have passed. It also adds the
// number of all runs to the answer.
func (q *testQuestion) suspect(ctx context.Context, runs []store.Run) ([][]store.Run, error) {
	groups := map[codePoint][]store.Run{}
	failed := map[codePoint]bool{}
	var order []codePoint
	q.out.Looked = 0
	for len(runs) > 0 {
		n := min(len(runs), 10*testBlocks)
		sums, err := q.Store.TestBlocks(ctx, q.Scope, attempts(runs[:n]), false)
		if err != nil {
			return nil, err
		}
		for _, r := range q.join(runs[:n], sums) {
			q.out.Looked++
			at := pointOf(r.Run)
			if groups[at] == nil {
				order = append(order, at)
			}
			groups[at] = append(groups[at], r.Run)
			failed[at] = failed[at] || r.Flaky > 0 || r.TestSum.Failed > 0
		}
		runs = runs[n:]
	}
	var list [][]store.Run
	for _, at := range order {
		if failed[at] {
			list = append(list, groups[at])
		}
	}
	return list, nil
}

// flakyTests collects flaky tests.
type flakyTests struct {
	byID map[int64]*TestAnswer
	hurt hurtPulls
}

// maxFlakyCommits is the max number of commits for a flaky test in an answer.
const maxFlakyCommits = 3

// add adds the tests that failed and passed in runs of the same code, newest first.
func (f *flakyTests) add(runs []testRun) {
	type both struct {
		passed, failed int
		newest         TestAnswer
	}
	tests := map[int64]*both{}
	for _, r := range runs {
		for _, t := range r.tests {
			f.hurt.add(r.Run, t)
			if !t.passed && !t.failed {
				continue
			}
			b := tests[t.id]
			if b == nil {
				b = &both{newest: r.in(t)}
				tests[t.id] = b
			}
			if t.passed {
				b.passed++
			}
			if t.failed {
				b.failed++
			}
		}
	}
	for id, b := range tests {
		if b.passed == 0 || b.failed == 0 {
			continue
		}
		t := f.byID[id]
		if t == nil {
			t = &b.newest
			f.byID[id] = t
		}
		t.Passed += b.passed
		t.Failed += b.failed
		if commit := runs[0].Git.Commit; commit != "" && len(t.Commits) < maxFlakyCommits {
			t.Commits = append(t.Commits, commit)
		}
	}
}

// list returns the flaky tests. Tests that failed in the most pull requests come first. Among these, tests with the
// most failures come first.
func (f *flakyTests) list() []TestAnswer {
	list := make([]TestAnswer, 0, len(f.byID))
	for id, t := range f.byID {
		t.PRs = len(f.hurt[id])
		list = append(list, *t)
	}
	sort.Slice(list, func(i, j int) bool {
		return cmp.Or(cmp.Compare(list[j].PRs, list[i].PRs), cmp.Compare(list[j].Failed, list[i].Failed),
			cmp.Compare(list[i].id, list[j].id)) < 0
	})
	return list
}
