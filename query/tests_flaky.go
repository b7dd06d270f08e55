package query

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/blq-ci/blq/store"
)

// proves reports whether the results of a run are reliable: the run ended by itself, and its log is complete.
func proves(r store.Run) bool { return r.Ended() && r.Lost == "" }

// stepCode identifies the step of a run and the code on which it ran. Two runs with equal values ran the same step on
// the same code.
type stepCode struct{ repo, commit, step string }

// stepCodeOf returns the stepCode of a run. If blq does not know the run's code, no other run has the same value.
func stepCodeOf(r store.Run) stepCode {
	if r.Git.Commit == "" || r.Git.Dirty || imported(r) {
		return stepCode{step: r.Attempt}
	}
	return stepCode{r.Repo, r.Git.Commit, r.Step().Key()}
}

// stepCodesOf returns the stepCode of each run, by attempt. Two jobs in one attempt of a workflow may have equal
// steps, for example if a workflow is called twice. Then nobody can say which of the two jobs ran again. So each run
// of such jobs gets a value of its own.
func stepCodesOf(runs []store.Run) map[string]stepCode {
	type attempt struct {
		stepCode
		run   string
		times int
	}
	jobs, mixed := map[attempt]string{}, map[stepCode]bool{}
	for _, r := range runs {
		if r.CI == nil || r.CI.RunAttempt == 0 {
			continue
		}
		at, job := attempt{stepCodeOf(r), r.CI.RunID, r.CI.RunAttempt}, cmp.Or(r.CI.CheckRunID, r.CI.JobRun)
		if other := jobs[at]; other != "" && job != "" && other != job {
			mixed[at.stepCode] = true
		}
		jobs[at] = job
	}
	points := map[string]stepCode{}
	for _, r := range runs {
		points[r.Attempt] = stepCodeOf(r)
		if mixed[stepCodeOf(r)] {
			points[r.Attempt] = stepCode{step: r.Attempt}
		}
	}
	return points
}

// flaky returns the tests that failed and passed at one commit, in runs of one step or in attempts of one run. Failures
// of the machine do not count, and runs that did not end by themselves do not count.
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
	tally := flakyTests{byID: map[int64]*TestAnswer{}, hurt: failedPulls{}}
	for _, group := range suspect {
		blocks, err := q.results(ctx, group)
		if err != nil {
			return nil, err
		}
		tally.add(blocks)
	}
	return tally.list(), nil
}

// suspect returns groups of runs of the same code. In each group, a test failed and the same test may have passed.
// suspect also sets the number of runs with test results in the answer.
func (q *testQuestion) suspect(ctx context.Context, runs []store.Run) ([][]store.Run, error) {
	points := stepCodesOf(runs)
	groups := map[stepCode][]store.Run{}
	failed := map[stepCode]bool{}
	var order []stepCode
	q.out.Looked = 0
	for len(runs) > 0 {
		n := min(len(runs), 10*testBlocks)
		sums, err := q.Store.TestBlocks(ctx, q.Scope, attempts(runs[:n]), false)
		if err != nil {
			return nil, err
		}
		for _, r := range q.join(runs[:n], sums) {
			q.out.Looked++
			at := points[r.Attempt]
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
	hurt failedPulls
}

// maxFlakyCommits is the max number of commits that an answer lists for a flaky test.
const maxFlakyCommits = 3

// add adds the tests that failed and passed in the given runs. The runs are runs of the same code, newest first.
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

// list returns the flaky tests, sorted. Tests that failed in more pull requests come first. Tests with equal numbers of
// pull requests are sorted by the number of failures, highest first.
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
