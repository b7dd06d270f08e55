package query

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
)

// FlakyRule says what shows that a failure is flaky.
type FlakyRule string

// The rules.
const (
	// FlakySameCommit: at one clean commit it failed in one run and not in another.
	FlakySameCommit FlakyRule = "same_commit"
	// FlakyCameAndWent: on one branch the test failed and stopped failing at least
	// twice. One that was fixed and broken again went only once.
	FlakyCameAndWent FlakyRule = "came_and_went"
)

// Flaky says that a failure comes and goes by itself, and what shows it.
type Flaky struct {
	Rule   FlakyRule `json:"rule" jsonschema:"same_commit or came_and_went"`
	Failed int       `json:"failed" jsonschema:"runs in which it failed"`
	Runs   int       `json:"runs" jsonschema:"of so many that can tell"`
}

const (
	flakyRuns   = 20   // that are looked at unless asked for more
	flakyScan   = 5    // times as many are read to find those that are alike
	flakyErrors = 500  // a run with more errors is only asked for certain failures
	flakyEvents = 5000 // of those, at most
)

// window is the last runs that did the same: of one source, matrix leg and
// command. Other commands of a source may leave out a test, so that its absence
// from them tells nothing.
type window struct {
	runs   []windowRun // oldest first
	goesOn bool        // the test runner does not stop at the first failure
}

// windowRun is a run with its failures, by fingerprint.
type windowRun struct {
	store.Run
	failed map[string]store.RunEvent // the first of each
	whole  bool                      // failed holds all there are
	pure   bool                      // all of them are failed tests
}

// window reads the last n runs like the head, up to and with it. Of runs with
// very many errors it only knows whether they have these fingerprints.
func (a *Asker) window(ctx context.Context, head store.Run, n int, fingerprints []string) (window, error) {
	var w window
	leg := head.Leg()
	runs, err := a.Store.Runs(ctx, a.Scope, store.RunFilter{Repo: head.Repo, Source: head.Source, Leg: &leg, Before: head.Serial + 1, Limit: n * flakyScan})
	if err != nil {
		return w, err
	}
	for _, r := range runs {
		if len(w.runs) < n && alike(r, head) {
			w.runs = append([]windowRun{{Run: r, failed: map[string]store.RunEvent{}, whole: r.Errors <= flakyErrors}}, w.runs...)
		}
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

// alike says whether a run did what the head did and ended so that it tells
// something. What forks did counts for themselves only.
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
	return r.Repo == head.Repo && r.Leg() == head.Leg() && whatRan(r) == whatRan(head)
}

// whatRan returns the command of a run in a form that can be compared. That of
// an imported log is not known.
func whatRan(r store.Run) string {
	if imported(r) {
		return "import"
	}
	return strings.Join(strings.Fields(r.Command), " ")
}

// imported says whether a run is a log that came from elsewhere: then its
// commit is the one that it was imported at.
func imported(r store.Run) bool { return strings.HasPrefix(r.Command, "import ") }

// fill reads the errors of those runs that are to be known as a whole, or of
// the others.
func (a *Asker) fill(ctx context.Context, runs []windowRun, whole bool, f store.EventFilter) error {
	at := map[store.Ref]*windowRun{}
	f.Severities = []store.Severity{store.SeverityError}
	for i, r := range runs {
		if r.Errors > 0 && r.whole == whole {
			at[r.Ref()] = &runs[i]
			runs[i].pure = whole
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

// outcome is what a run says of a failure.
type outcome int

const (
	silent outcome = iota // it may not have come that far
	absent
	failed
)

// outcome says whether a run had a failure. That it is not there means
// something when the run passed, and for a test when only other tests failed
// under a runner that goes on after a failure.
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

// flaky says whether a failure is flaky, nil for one that is not known to be.
// What compilers and linters say follows from the source and what is installed,
// so it never is.
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

// streak is how a failure came and went, from the oldest run to the newest.
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

// byItself says whether runs of the same code had a failure and had it not.
// What came and stayed may have come from a change outside of the code.
func (s *streak) byItself() bool { return s.went > 0 || s.hasPassed && s.fails == 1 }
