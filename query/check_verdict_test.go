package query

import (
	"testing"

	"github.com/blq-ci/blq/store"
)

func TestVerdictsOfChecks(t *testing.T) {
	t.Parallel()
	code := func(n, errors int) store.Run {
		r := store.Run{State: store.StateCompleted, Errors: errors}
		r.ExitCode = &n
		return r
	}
	incomplete := code(1, 2)
	incomplete.Lost = "lines"
	killed := store.Run{State: store.StateCompleted, Errors: 2}
	killed.Signal = "SIGKILL"
	timeout := code(1, 0)
	timeout.Reason = store.ReasonTimeout
	imported := func(errors int) store.Run { return store.Run{State: store.StateCompleted, Errors: errors} }
	base := store.Baseline{Kind: store.BaselinePrevious, Run: store.Run{Attempt: "a", Source: "build", Serial: 4}}
	green := base
	green.Run.State, green.Run.ExitCode = store.StateCompleted, new(int)
	none := store.Baseline{Kind: store.BaselineNone, Reason: "it is the first"}
	const all, fresh = FailOnErrors, FailOnNewErrors
	for _, tt := range []struct {
		r      store.Run
		on     FailOn
		b      store.Baseline
		fresh  int
		passed bool
		why    string
	}{
		{store.Run{State: store.StateRunning}, fresh, base, 0, false, "it has not ended"},
		{store.Run{State: store.StateOrphaned, Errors: 1}, fresh, base, 0, false,
			"it did not end by itself, with 1 error so far"},
		{killed, fresh, base, 0, false, "it did not end by itself, with 2 errors so far"},
		{timeout, fresh, base, 0, false, "it did not end by itself, with 0 errors so far"},
		{code(1, 0), fresh, base, 0, false, "its command failed, and no error was recognised"},
		{imported(0), all, none, 0, true, "no recognised errors; how its command ended is not known"},
		{code(0, 0), all, none, 0, true, "no errors"},
		{code(1, 3), fresh, base, 1, false, "3 errors, 1 new since build:4"},
		{code(1, 1), all, base, 1, false, "1 error, 1 new since build:4"},
		{code(1, 3), all, base, 0, false, "3 errors, none new since build:4"},
		{code(1, 3), all, none, 0, false, "3 errors"},
		{incomplete, fresh, base, 0, false, "2 errors, and not all was recorded"},
		{code(1, 3), fresh, base, 0, true, "3 errors, none new since build:4"},
		{code(0, 3), fresh, base, 0, true, "3 errors, none new since build:4"},
		{code(1, 3), fresh, none, 0, false, "3 errors, and nothing to tell new from known: it is the first"},
		{code(1, 3), fresh, green, 0, false, "3 errors: its command failed, that of build:4 passed, and no error is new"},
		{code(139, 3), fresh, base, 0, false, "3 errors: its command crashed, that of build:4 did not, and no error is new"},
		{code(0, 3), fresh, none, 0, true, "3 errors, but its command passed, and nothing to compare with: it is the first"},
	} {
		counts := store.Changes{New: tt.fresh, Unchanged: tt.r.Errors - tt.fresh}
		if passed, why := verdict(tt.r, tt.on, tt.b, counts); passed != tt.passed || why != tt.why {
			t.Errorf("%+v on %s, %d new: %v, %s; want %v, %s", tt.r, tt.on, tt.fresh, passed, why, tt.passed, tt.why)
		}
	}
}

func TestALostLogIsNotAnEmptyOne(t *testing.T) {
	t.Parallel()
	if got := (Triage{}).failed("build:4 failed", true); got != "build:4 failed, and its log was not recorded in full" {
		t.Error(got)
	}
	if got := (Triage{}).failed("build:4 failed", false); got != "build:4 failed and printed nothing" {
		t.Error(got)
	}
}

func TestRunsOfOneProposal(t *testing.T) {
	t.Parallel()
	pr := func(n int, fork bool) store.Run {
		return store.Run{CI: &store.CI{Provider: "github", PR: n, Fork: fork}}
	}
	elsewhere := pr(0, false)
	elsewhere.CI.Provider = "gitlab"
	for _, tt := range []struct {
		a, b store.Run
		want bool
	}{
		{pr(1, false), pr(1, false), true}, {pr(1, false), pr(2, false), false}, {pr(1, false), pr(1, true), false},
		{store.Run{}, pr(1, true), true}, {pr(1, true), store.Run{}, true}, {pr(0, false), pr(0, false), true},
		{pr(0, false), pr(1, false), true}, {pr(1, false), pr(0, false), true}, {pr(0, false), pr(1, true), false},
		{pr(1, false), elsewhere, false},
	} {
		if got := sameProposal(tt.a, tt.b); got != tt.want {
			t.Errorf("%+v and %+v: %v", tt.a.CI, tt.b.CI, got)
		}
	}
}

// If the recorded errors of a run may be incomplete, the comparison says so and names the run.
func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	run := func(state store.State, e store.Ending, errors int) store.Run {
		return store.Run{Source: "build", Serial: 4, State: state, Ending: e, Errors: errors}
	}
	one := 1
	for _, tt := range []struct {
		r          store.Run
		head, base string
	}{
		{run(store.StateRunning, store.Ending{}, 0), "has not ended", "has not ended"},
		{run(store.StateOrphaned, store.Ending{}, 1), "is ORPHANED", "is ORPHANED"},
		{run(store.StateCompleted, store.Ending{Signal: "SIGTERM"}, 1), "was ended by SIGTERM", "was ended by SIGTERM"},
		{run(store.StateCompleted, store.Ending{ExitCode: &one, Lost: "lines"}, 1), "was not recorded in full",
			"was not recorded in full"},
		{run(store.StateCompleted, store.Ending{ExitCode: &one}, 0), "", "failed without an error that was recognised"},
		{run(store.StateCompleted, store.Ending{ExitCode: &one}, 1), "", ""},
		{run(store.StateCompleted, store.Ending{ExitCode: new(int)}, 0), "", ""},
	} {
		head, base := "", ""
		if tt.head != "" {
			head = "build:4 " + tt.head + ": what is missing there counts as fixed"
		}
		if tt.base != "" {
			base = "build:4 " + tt.base + ": what is missing there counts as new"
		}
		if partial(tt.r) != head || partialBase(tt.r) != base {
			t.Errorf("%+v: %q and %q", tt.r, partial(tt.r), partialBase(tt.r))
		}
	}
}
