package query

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/store"
)

// FailuresParams select tests, and the runs to read.
type FailuresParams struct {
	Ref    string // the newest run to read; "" for the newest run of a source with failed tests
	Source string // without Ref: only this source
	At            // without Ref: selects the run
	Test   string // only tests with this text in their name, in any case
	Runs   int    // number of runs, 0 for 20
}

// Failures is the history of failed tests in the last runs of the same command.
type Failures struct {
	Source string         `json:"source_name" jsonschema:"source of the runs"`
	Runs   []FailedRun    `json:"runs" jsonschema:"newest first"`
	Tests  []TestFailures `json:"tests" jsonschema:"flaky ones first, then those that failed most"`
}

// FailedRun is a run with the tests that failed in it.
type FailedRun struct {
	RunRef string       `json:"run_ref" jsonschema:"run"`
	Status store.Status `json:"status" jsonschema:"outcome"`
	Time   string       `json:"time" jsonschema:"when"`
	Commit string       `json:"git_commit,omitempty" jsonschema:"commit"`
	Branch string       `json:"git_branch,omitempty" jsonschema:"branch"`
	Dirty  bool         `json:"git_dirty,omitempty" jsonschema:"with uncommitted changes"`
	Failed []string     `json:"failed,omitempty" jsonschema:"failed tests"`
}

// FailurePattern describes the results of a test over several runs.
type FailurePattern string

// These are the patterns of a test's history.
const (
	PatternFlaky   FailurePattern = "flaky"   // see Flaky
	PatternFailing FailurePattern = "failing" // failed in every run with a result
	PatternBroke   FailurePattern = "broke"   // passed at first, fails now
	PatternFixed   FailurePattern = "fixed"   // failed earlier, passes now
)

// TestFailures lists the failures of a test, and their number.
type TestFailures struct {
	Test        string         `json:"test_name" jsonschema:"test"`
	File        string         `json:"ref_file,omitempty" jsonschema:"file"`
	Fingerprint string         `json:"fingerprint" jsonschema:"identity"`
	Failed      int            `json:"failed" jsonschema:"runs in which it failed"`
	Runs        int            `json:"runs" jsonschema:"of so many that can tell"`
	Pattern     FailurePattern `json:"pattern" jsonschema:"flaky, failing, broke or fixed"`
	Rule        FlakyRule      `json:"rule,omitempty" jsonschema:"evidence that it is flaky"`
	In          []string       `json:"failed_in" jsonschema:"runs in which it failed, newest first"`
	Newest      string         `json:"newest_ref" jsonschema:"its newest failure"`
	Message     string         `json:"message,omitempty" jsonschema:"message of the failure"`
}

// Failures returns the tests that failed in the last runs of a source, with their numbers of failures. It marks flaky
// tests. It does not read the failures of runs with more than 500 errors. NotFound: there is no such run.
func (a *Asker) Failures(ctx context.Context, p FailuresParams) (Failures, error) {
	if err := a.sweep(ctx); err != nil {
		return Failures{}, err
	}
	heads, err := a.failureHeads(ctx, p)
	if err != nil {
		return Failures{}, err
	}
	var best Failures
	for _, head := range heads {
		w, err := a.window(ctx, head, cmp.Or(max(0, p.Runs), flakyRuns), nil)
		if err != nil {
			return Failures{}, err
		}
		f := w.failures(head.Source, p.Test)
		if len(f.Tests) > 0 {
			return f, nil
		}
		if best.Source == "" {
			best = f
		}
	}
	return best, nil
}

// failureHeads returns the newest runs in which Failures looks for failed tests: the run p.Ref, or else the newest run
// of each step that p selects, newest first.
func (a *Asker) failureHeads(ctx context.Context, p FailuresParams) ([]store.Run, error) {
	const limit = 10
	if p.Ref != "" {
		r, err := a.runAt(ctx, p.At, p.Ref)
		return []store.Run{r}, err
	}
	f := store.RunFilter{Source: p.Source, Newest: true, Limit: limit}
	if err := a.at(ctx, p.At, &f); err != nil {
		return nil, err
	}
	runs, err := a.reader().Runs(ctx, a.Scope, f)
	if err == nil && len(runs) == 0 {
		var r store.Run
		if r, err = a.runAt(ctx, p.At, p.Source); err == nil { // an error of runAt explains why there is no run
			runs = append(runs, r)
		}
	}
	return runs, err
}

// failures returns the failed tests of a window. It includes only tests whose names contain the text name, in upper or
// lower case.
func (w window) failures(source, name string) Failures {
	f := Failures{Source: source, Runs: []FailedRun{}, Tests: []TestFailures{}}
	newest := map[string]store.RunEvent{}
	in := map[string][]string{}
	for _, r := range slices.Backward(w.runs) {
		run := FailedRun{
			RunRef: r.Ref().String(), Status: r.Status(), Time: stamp(r.StartedAt), Commit: r.Git.Commit,
			Branch: Clean(r.Git.Branch), Dirty: r.Git.Dirty,
		}
		for _, e := range r.tests(name) {
			if _, seen := newest[e.Fingerprint]; !seen {
				newest[e.Fingerprint] = e
			}
			in[e.Fingerprint] = append(in[e.Fingerprint], run.RunRef)
			run.Failed = append(run.Failed, Clean(e.Test))
		}
		f.Runs = append(f.Runs, run)
	}
	for print, e := range newest {
		t := w.history(e.Event)
		t.In, t.Newest = in[print], e.Ref().String()
		f.Tests = append(f.Tests, t)
	}
	sort.Slice(f.Tests, func(i, j int) bool {
		x, y := &f.Tests[i], &f.Tests[j]
		return cmp.Or(cmp.Compare(x.Pattern.rank(), y.Pattern.rank()), cmp.Compare(y.Failed, x.Failed),
			cmp.Compare(x.Test, y.Test), cmp.Compare(x.Fingerprint, y.Fingerprint)) < 0
	})
	return f
}

// rank orders patterns by importance.
func (p FailurePattern) rank() int {
	return slices.Index([]FailurePattern{PatternFlaky, PatternFailing, PatternBroke, PatternFixed}, p)
}

// tests returns the failed tests of a run whose names contain a text, in log order. Upper and lower case are equal.
func (r windowRun) tests(name string) []store.RunEvent {
	var list []store.RunEvent
	for _, e := range r.failed {
		if e.Test != "" && e.Category == store.CategoryTest &&
			strings.Contains(strings.ToLower(e.Test), strings.ToLower(name)) {
			list = append(list, e)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

// history returns the history of a test in the window.
func (w window) history(e store.Event) TestFailures {
	t := TestFailures{Test: Clean(e.Test), File: Clean(e.File), Fingerprint: e.Fingerprint,
		Message: clip(Clean(e.Message), 400), Pattern: PatternFailing}
	now := silent
	for _, r := range w.runs {
		o := w.outcome(r, e.Fingerprint, true)
		if o == silent {
			continue
		}
		now = o
		t.Runs++
		if o == failed {
			t.Failed++
		}
	}
	flaky := w.flaky(e)
	switch {
	case flaky != nil:
		t.Pattern, t.Rule = PatternFlaky, flaky.Rule
	case now == absent:
		t.Pattern = PatternFixed
	case t.Failed < t.Runs:
		t.Pattern = PatternBroke
	}
	return t
}
