package query

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
)

// FlakyRule is a kind of evidence that a failure is flaky.
type FlakyRule string

// These are the kinds of evidence that a test is flaky.
const (
	// FlakySameCommit: at one clean commit the test failed in one run and passed in another.
	FlakySameCommit FlakyRule = "same_commit"
	// FlakyCameAndWent: on one branch the test failed and stopped failing at least twice. Once is not enough: a failure
	// that was fixed and came back has also stopped once.
	FlakyCameAndWent FlakyRule = "came_and_went"
)

// Flaky is the evidence that a failure occurs and disappears without a change of the code.
type Flaky struct {
	Rule   FlakyRule `json:"rule" jsonschema:"same_commit or came_and_went"`
	Failed int       `json:"failed" jsonschema:"runs in which it failed"`
	Runs   int       `json:"runs" jsonschema:"of so many that can tell"`
}

const (
	flakyRuns   = 20   // default number of runs to compare
	flakyScan   = 5    // runs to read for each comparable run
	flakyErrors = 500  // max errors of a run for reading all of them; from a larger run, only certain failures are read
	flakyEvents = 5000 // max number of looked-up failures
)

// window holds the last comparable runs: runs of one source, matrix leg and command. Another command of the source may
// not run a test at all. So a run of another command would prove nothing about a missing failure.
type window struct {
	runs   []windowRun // oldest first
	goesOn bool        // the test runner continues after the first failure
}

// windowRun is a run with its failures.
type windowRun struct {
	store.Run
	failed map[string]store.RunEvent // the first event with each fingerprint
	whole  bool                      // whether failed holds all failures
	pure   bool                      // all failures are failed tests
}

// window reads the last n runs that are comparable with the run head, including head. For runs with very many errors,
// it reads only failures with the given fingerprints.
func (a *Asker) window(ctx context.Context, head store.Run, n int, fingerprints []string) (window, error) {
	return a.windowOf(ctx, head, store.RunFilter{Before: head.Serial + 1}, n, fingerprints)
}

// windowOf does the same as window, but reads only runs that the filter f selects.
func (a *Asker) windowOf(ctx context.Context, head store.Run, f store.RunFilter, n int, fingerprints []string) (
	window, error) {
	var w window
	for _, f.Limit = range []int{n, n * (flakyScan - 1)} { // the first read is usually enough
		runs, err := store.RunsOfStep(ctx, a.reader(), a.Scope, head, f)
		if err != nil {
			return w, err
		}
		for _, r := range runs {
			if len(w.runs) < n && alike(r, head) {
				w.runs = append([]windowRun{{Run: r, failed: map[string]store.RunEvent{}, whole: r.Errors <= flakyErrors}},
					w.runs...)
			}
		}
		if len(w.runs) == n || len(runs) < f.Limit {
			break
		}
		f.Before = runs[len(runs)-1].Serial
	}
	if err := a.fill(ctx, w.runs, true, store.EventFilter{}); err != nil {
		return w, err
	}
	if len(fingerprints) > 0 {
		if err := a.fill(ctx, w.runs, false, store.EventFilter{Fingerprints: fingerprints, Limit: flakyEvents}); err != nil {
			return w, err
		}
	}
	for i := range w.runs {
		w.goesOn = w.goesOn || w.runs[i].pure && len(w.runs[i].failed) > 1
	}
	return w, nil
}

// alike reports whether a run can be compared with the run head. The run must have an outcome, and its step must be
// comparable with the step of head. If the run belongs to a fork, head must belong to the same pull request.
func alike(r, head store.Run) bool {
	switch r.Status() {
	case store.StatusOK, store.StatusFail, store.StatusTimeout:
	default:
		return false
	}
	fork := r.CI != nil && r.CI.Fork
	if fork && (head.CI == nil || r.CI.PR != head.CI.PR) {
		return false
	}
	return r.Step().Compares(head.Step())
}

// imported reports whether a run is an imported log. The commit of such a run is the commit at the time of the import.
func imported(r store.Run) bool { return strings.HasPrefix(r.Command, "import ") }

// fill reads the errors of runs. isWhole selects the runs by their field whole, and f selects the errors.
func (a *Asker) fill(ctx context.Context, runs []windowRun, isWhole bool, f store.EventFilter) error {
	at := map[store.Ref]*windowRun{}
	f.Severities, f.Uncounted = []store.Severity{store.SeverityError}, true
	for i, r := range runs {
		if r.Errors > 0 && r.whole == isWhole {
			at[r.Ref()] = &runs[i]
			runs[i].pure = isWhole
			f.Runs.Attempts = append(f.Runs.Attempts, r.Attempt)
		}
	}
	if len(at) == 0 {
		return nil
	}
	page, err := a.Store.Events(ctx, a.Scope, f)
	for _, e := range page.Events {
		r := at[e.Run]
		if _, seen := r.failed[e.Fingerprint]; !seen {
			r.failed[e.Fingerprint] = e
		}
		r.pure = r.pure && e.Category == store.CategoryTest
	}
	return err
}

// outcome says whether a failure occurred in a run.
type outcome int

const (
	silent outcome = iota // the run may have ended before the failure could show
	absent
	failed
)

// outcome says whether a failure occurred in a run. It returns silent if this is unknown. A failure is absent if the
// run passed. The failure of a test is also absent if only other tests failed, and the test runner continues after a
// failure.
func (w window) outcome(r windowRun, fingerprint string, test bool) outcome {
	_, is := r.failed[fingerprint]
	switch {
	case is:
		return failed
	case r.Lost != "" || !r.Ended():
		return silent
	case r.Status() == store.StatusOK:
		return absent
	case r.Status() == store.StatusFail && test && w.goesOn && r.whole && r.pure:
		return absent
	}
	return silent
}

// flaky returns the evidence that a failure is flaky, or nil. Errors of compilers and linters are never flaky, because
// they follow from the source and the installed tools.
func (w window) flaky(e store.Event) *Flaky {
	switch e.Category {
	case store.CategoryCompile, store.CategoryLink, store.CategoryType, store.CategoryLint:
		return nil
	}
	test := e.Category == store.CategoryTest
	var f Flaky
	commits, branches := map[string]*streak{}, map[string]*streak{}
	for _, r := range w.runs {
		o := w.outcome(r, e.Fingerprint, test)
		if o == silent {
			continue
		}
		f.Runs++
		if o == failed {
			f.Failed++
		}
		if r.Git.Commit != "" && !r.Git.Dirty && !imported(r.Run) {
			of(commits, r.Git.Commit).add(o)
		}
		of(branches, r.Git.Branch).add(o)
	}
	for _, b := range branches {
		if test && b.went >= 2 {
			f.Rule = FlakyCameAndWent
		}
	}
	for _, c := range commits {
		if c.byItself() {
			f.Rule = FlakySameCommit
		}
	}
	if f.Rule == "" {
		return nil
	}
	return &f
}

// streak counts how often a failure occurred and disappeared, from the oldest run to the newest.
type streak struct {
	last        outcome
	fails, went int
	hasPassed   bool
}

func of(all map[string]*streak, key string) *streak {
	if all[key] == nil {
		all[key] = &streak{}
	}
	return all[key]
}

func (s *streak) add(o outcome) {
	switch o {
	case failed:
		s.fails++
	case absent:
		s.hasPassed = true
		if s.last == failed {
			s.went++
		}
	}
	s.last = o
}

// byItself reports whether a failure came or went although the code stayed the same: it disappeared after it had
// occurred, or it occurred once and other runs passed. A failure that came back and stayed may have a lasting cause
// outside the code.
func (s *streak) byItself() bool { return s.went > 0 || s.hasPassed && s.fails == 1 }
