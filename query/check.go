package query

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/blq-ci/blq/store"
)

// FailOn is the condition on which a check fails.
type FailOn string

// These are the values of FailOn. With each of them, a run also fails the check if it did not end by itself, or if its
// command failed and its errors do not explain the failure. Without a baseline, FailOnNewErrors accepts no failed run.
const (
	FailOnErrors FailOn = "errors" // any failed command, any error
	// errors that are new: not flaky, not in the baseline, and not on the base branch now
	FailOnNewErrors FailOn = "new-errors"
)

// CheckParams select the runs to check, and the condition for failing.
type CheckParams struct {
	// If Run is "", the check selects the newest run of each step at the commit of the newest run. If At has no commit,
	// it also selects earlier failed runs of steps that did not run at that commit; see checked.
	Run      string `json:"run,omitempty" kind:"ref"`
	Baseline string `json:"baseline,omitempty" kind:"ref"` // a run, branch or commit; "" for the baseline of each run
	FailOn   FailOn `json:"fail_on,omitempty"`             // "" means FailOnErrors
	At              // selects the runs
}

// Check is the verdict on runs.
type Check struct {
	Passed bool       `json:"passed" jsonschema:"true when every run passed"`
	FailOn FailOn     `json:"fail_on" jsonschema:"value of the parameter" enum:"errors,new-errors"`
	Runs   []RunCheck `json:"runs" jsonschema:"newest first"`
	// Retired holds failed runs of retired steps: later commits no longer run these steps.
	Retired []OtherRun `json:"retired,omitempty" jsonschema:"failed runs that do not count" schema:"unlisted"`
}

// RunCheck is the verdict on one run.
type RunCheck struct {
	RunRef   string       `json:"run_ref" jsonschema:"the run"`
	Status   store.Status `json:"status" jsonschema:"outcome"`
	Passed   bool         `json:"passed" jsonschema:"true when it passed"`
	Reason   string       `json:"reason" jsonschema:"reason in a few words"`
	Errors   int          `json:"error_count" jsonschema:"errors"`
	New      *int         `json:"new_count,omitempty" jsonschema:"errors that the baseline does not have"`
	Baseline BaselineNote `json:"baseline" jsonschema:"run that it was compared with"`
	Events   []Event      `json:"errors" jsonschema:"the errors that matter: all, or the new ones"`

	Truncated []Omission `json:"truncated,omitempty" jsonschema:"left out: call to get it"`
}

// maxCheckErrors is the max number of errors that a check lists, of all runs together.
const maxCheckErrors = 5000

// Check reports whether runs pass the condition p.FailOn.
func (a *Asker) Check(ctx context.Context, p CheckParams) (Check, error) {
	a = a.once()
	switch p.FailOn {
	case "":
		p.FailOn = FailOnErrors
	case FailOnErrors, FailOnNewErrors:
	default:
		return Check{}, store.Next(store.Errorf(store.Invalid, "a check cannot fail on %q", p.FailOn),
			store.NewCall("check", "or errors", "fail_on", "new-errors"))
	}
	if err := a.sweep(ctx); err != nil {
		return Check{}, err
	}
	runs, err := a.checked(ctx, p)
	if err != nil {
		return Check{}, err
	}
	trees, out, err := a.checkedTrees(ctx, p, runs)
	if err != nil {
		return Check{}, err
	}
	for _, o := range trees {
		runs = append(runs, o.Run)
	}
	at := "" // commit that the check is about
	if len(runs) > 0 {
		at = runs[0].Git.Commit
	}
	c := Check{Passed: true, FailOn: p.FailOn, Runs: []RunCheck{}, Retired: out}
	var misfit error
	fits := len(runs) == 0
	room := maxCheckErrors
	for _, r := range runs {
		b, diff, err := a.compareForCheck(ctx, r, p.Baseline)
		switch {
		case p.Baseline != "" && store.CodeOf(err) == store.NotFound:
			misfit = err
			b = store.Baseline{Kind: store.BaselineNone, Reason: err.Error()}
		case err != nil:
			return Check{}, err
		case p.Run == "" && b.Found() && (b.Run.Source != r.Source || b.Run.Shape != r.Shape):
			b, diff = store.Baseline{Kind: store.BaselineNone,
				Reason: fmt.Sprintf("%s is of another source or command", b.Run.Ref())}, store.Comparison{}
		default:
			fits = true
		}
		one, err := a.checkRun(ctx, r, p.FailOn, b, diff, room)
		if err != nil {
			return Check{}, err
		}
		if i := slices.IndexFunc(trees, func(o unanswered) bool { return o.Attempt == r.Attempt }); i >= 0 {
			one.Reason += trees[i].despite()
		} else if at != "" && r.Git.Commit != at {
			one.Reason += fmt.Sprintf("; it was at %.9s, and has not run since%s", r.Git.Commit, a.unclearNote(ctx, runs[0], r))
		}
		c.Runs = append(c.Runs, one)
		room -= len(one.Events)
		c.Passed = c.Passed && one.Passed
	}
	if !fits && misfit != nil {
		return Check{}, misfit // the caller named a baseline, and no run can be compared with it
	}
	return c, nil
}

// compareForCheck returns the baseline of a run, and the changes since the baseline. Flaky errors do not count as new.
// Errors that the base branch has now do not count as new either, because the change under test cannot fix them. A run
// without errors is not compared, because a check does not need the errors that are gone.
func (a *Asker) compareForCheck(ctx context.Context, r store.Run, baseline string) (
	store.Baseline, store.Comparison, error) {
	b, err := a.baseline(ctx, r, baseline)
	if err != nil || !b.Found() || r.Errors == 0 && r.State == store.StateCompleted {
		return b, store.Comparison{}, err
	}
	s, err := a.sift(ctx, r, b, Sorting{})
	if err != nil {
		return b, store.Comparison{}, err
	}
	c := store.Comparison{New: s.fresh, Counts: s.counts}
	if !s.bySample {
		c.Unchanged = append(s.excused, s.unchanged...)
	}
	return s.base, c, nil
}

// checked returns the runs to check. If the question names a run, the list holds only that run. Otherwise it holds
// the newest run of each step at the commit of the newest run. Unless the question names a commit, the list also holds
// failed runs of steps that did not run at that commit: runs at earlier commits of the same branch, runs in the history
// of that commit or of the checked-out commit, and runs of the checked-out branch.
func (a *Asker) checked(ctx context.Context, p CheckParams) ([]store.Run, error) {
	newest, err := a.runAt(ctx, p.At, p.Run)
	if err != nil || p.Run != "" {
		return []store.Run{newest}, err
	}
	if newest.Git.Commit == "" {
		runs, err := a.reader().Runs(ctx, a.Scope,
			store.RunFilter{Repo: newest.Repo, Branch: p.Branch, PR: p.PR, Newest: true})
		there := slices.Clone(runs)
		return slices.DeleteFunc(runs, func(r store.Run) bool { return a.redefined(r, there) != "" }), err
	}
	f := store.RunFilter{Repo: newest.Repo, Branch: newest.Git.Branch, Commits: []string{newest.Git.Commit}, Newest: true}
	if newest.CI == nil && p.Branch == "" && p.PR == 0 {
		f.Branch = "" // a new branch has only the runs at its commit
	}
	runs, err := a.reader().Runs(ctx, a.Scope, f)
	there := slices.Clone(runs)
	runs = slices.DeleteFunc(runs, func(r store.Run) bool {
		return r.CI != nil && r.Git.Branch != newest.Git.Branch || a.redefined(r, there) != ""
	})
	if err == nil && p.PR != 0 {
		f.PR = p.PR // adds failed jobs that build the merge of the pull request
		var merges []store.Run
		merges, err = a.reader().Runs(ctx, a.Scope, f)
		for _, r := range merges {
			if (endedBadly(r) || isCancelledJob(r)) && !slices.ContainsFunc(runs, isAttempt(r)) {
				runs = append(runs, r)
			}
		}
	}
	if err != nil || p.Commit != "" {
		return runs, err
	}
	before, err := a.failedBefore(ctx, newest)
	runs = append(runs, before...)
	if err != nil || p.Branch != "" || p.PR != 0 {
		return runs, err
	}
	merged, err := a.failedInHistory(ctx, newest, runs)
	runs = append(runs, merged...)
	if err != nil || a.Root == "" || a.Ancestry == nil || newest.CI != nil {
		return runs, err
	}
	// The newest run may belong to a branch that is not checked out.
	head, err := a.head(ctx, []store.Run{newest})
	if err != nil || head.Git.Commit == "" {
		return runs, err
	}
	head.Repo = newest.Repo
	if head.Git.Commit != newest.Git.Commit {
		checkedOut, err := a.failedInHistory(ctx, head, runs)
		if err != nil {
			return runs, err
		}
		runs = append(runs, checkedOut...)
	}
	if head.Git.Branch == newest.Git.Branch {
		return runs, nil
	}
	left, err := a.failedOnBranch(ctx, head, runs)
	return append(runs, left...), err
}

// checkedTrees returns failed runs that still count, although their steps passed later in other work trees or at
// other commits. It leaves out the runs in the list runs, which the check has read already. The second result holds
// failed runs of retired steps.
func (a *Asker) checkedTrees(ctx context.Context, p CheckParams, runs []store.Run) ([]unanswered, []OtherRun, error) {
	if p.Run != "" || len(runs) == 0 {
		return nil, nil, nil
	}
	f := store.RunFilter{Newest: true}
	if err := a.at(ctx, p.At, &f); err != nil {
		return nil, nil, err
	}
	f.Repo = runs[0].Repo
	if runs[0].CI != nil && p.Commit == "" && p.PR == 0 {
		f.Branch, f.NoBranch = runs[0].Git.Branch, runs[0].Git.Branch == ""
	}
	newest, err := a.reader().Runs(ctx, a.Scope, f)
	if err != nil {
		return nil, nil, err
	}
	_, out, err := a.current(ctx, newest)
	if err != nil {
		return nil, nil, err
	}
	trees, err := a.unanswered(ctx, f, newest, p.At != (At{}))
	known := func(r store.Run) bool {
		elsewhere := runs[0].CI != nil && r.Git.Branch != runs[0].Git.Branch
		return elsewhere || slices.ContainsFunc(runs, isAttempt(r))
	}
	out = slices.DeleteFunc(append(out, retiredRuns(trees)...), func(o leftOut) bool { return known(o.Run) })
	return slices.DeleteFunc(trees, func(o unanswered) bool { return !o.Counts || known(o.Run) }), others(out), err
}

// checkRun checks a run. room is the max number of errors in the result.
func (a *Asker) checkRun(ctx context.Context, r store.Run, on FailOn, b store.Baseline, c store.Comparison, room int) (
	RunCheck, error) {
	one := RunCheck{RunRef: r.Ref().String(), Status: r.Status(), Errors: r.Errors, Baseline: newBaselineNote(b),
		Events: []Event{}}
	if b.Found() {
		one.New = &c.Counts.New
	}
	total, cut := r.Errors, false
	if on == FailOnNewErrors && b.Found() {
		total, cut = c.Counts.New, c.Counts.New > len(c.New)
	}
	for e, err := range a.listedErrors(ctx, r, on, b, c) {
		if err != nil {
			return one, err
		}
		if cut = cut || len(one.Events) == room; len(one.Events) == room {
			break
		}
		one.Events = append(one.Events, newEvent(e))
	}
	if cut {
		one.Truncated = []Omission{{plural(total-len(one.Events), "error"),
			store.NewCall("events", "", "ref", r.Ref(), "limit", 100, "severity", "error")}}
	}
	one.Passed, one.Reason = verdict(r, on, b, c.Counts)
	return one, nil
}

// listedErrors returns the errors of a run that a check lists. If the condition is about new errors and the run has
// a baseline, these are the new errors. Otherwise these are all errors.
func (a *Asker) listedErrors(ctx context.Context, r store.Run, on FailOn, b store.Baseline,
	c store.Comparison) iter.Seq2[store.RunEvent, error] {
	list := c.New
	if on == FailOnErrors || !b.Found() {
		if list = inLogOrder(slices.Concat(c.New, c.Unchanged)); len(list) != r.Errors {
			return a.eachError(ctx, r) // the comparison did not read all errors
		}
	}
	return func(yield func(store.RunEvent, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// verdict reports whether a run passes the check, and returns the reason as text.
func verdict(r store.Run, on FailOn, b store.Baseline, counts store.Changes) (bool, string) {
	failed, fresh, why := r.Status() != store.StatusOK, counts.New, unexplained(r, b.Run, counts)
	errors := fmt.Sprintf("%d errors", r.Errors)
	if r.Errors == 1 {
		errors = "1 error"
	}
	switch {
	case r.State == store.StateRunning:
		return false, "it has not ended"
	case !r.Ended():
		return false, fmt.Sprintf("it did not end by itself, with %s so far", errors)
	case why != "" && r.Errors == 0:
		return false, why
	case r.Errors == 0 && r.ExitCode == nil:
		return true, "no recognised errors; how its command ended is not known"
	case r.Errors == 0:
		return true, "no errors"
	case b.Found() && fresh > 0:
		return false, fmt.Sprintf("%s, %d new %s", errors, fresh, Against(b))
	case b.Found() && on == FailOnErrors:
		return false, fmt.Sprintf("%s, none new %s", errors, Against(b))
	case on == FailOnErrors:
		return false, errors
	case why != "":
		return false, fmt.Sprintf("%s: %s", errors, why)
	case failed && r.Lost != "":
		return false, fmt.Sprintf("%s, and not all was recorded", errors)
	case b.Found():
		return true, fmt.Sprintf("%s, none new %s", errors, Against(b))
	case failed:
		return false, fmt.Sprintf("%s, and nothing to tell new from known: %s", errors, b.Reason)
	}
	return true, fmt.Sprintf("%s, but its command passed, and nothing to compare with: %s", errors, b.Reason)
}
