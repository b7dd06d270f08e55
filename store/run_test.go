package store_test

import (
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// completed returns a completed run.
func completed(e store.Ending, errors int) store.Run {
	return store.Run{Attempt: "a", State: store.StateCompleted, Ending: e, Errors: errors}
}

func TestTheExitCodeDecidesTheStatus(t *testing.T) {
	zero, one := 0, 1
	for _, tt := range []struct {
		run   store.Run
		want  store.Status
		ended bool
	}{
		{store.Run{State: store.StateRunning, Ending: store.Ending{Reason: store.ReasonTimeout}}, store.StatusRunning, false},
		{store.Run{State: store.StateOrphaned, Ending: store.Ending{ExitCode: &zero}}, store.StatusOrphaned, false},
		{completed(store.Ending{Reason: store.ReasonTimeout, ExitCode: &zero}, 0), store.StatusTimeout, false},
		{completed(store.Ending{Reason: store.ReasonCancelled, ExitCode: &zero}, 0), store.StatusCancelled, false},
		{completed(store.Ending{ExitCode: &zero}, 3), store.StatusOK, true},
		{completed(store.Ending{ExitCode: &one}, 0), store.StatusFail, true},
		{completed(store.Ending{ExitCode: &zero, Signal: "SIGSEGV"}, 0), store.StatusFail, true},
		{completed(store.Ending{Signal: "SIGSEGV"}, 0), store.StatusFail, true},
		{completed(store.Ending{Signal: "SIGTERM"}, 0), store.StatusFail, false},
		{completed(store.Ending{}, 0), store.StatusOK, true},
		{completed(store.Ending{}, 1), store.StatusFail, true},
	} {
		if got := tt.run.Status(); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.run, got, tt.want)
		}
		if got := tt.run.Ended(); got != tt.ended {
			t.Errorf("%+v ended: %v", tt.run, got)
		}
	}
}

func TestDurationOfARunThatGoesOnIsZero(t *testing.T) {
	r := store.Run{StartedAt: time.Unix(100, 0)}
	if r.Duration() != 0 {
		t.Error(r.Duration())
	}
	if r.FinishedAt = time.Unix(107, 0); r.Duration() != 7*time.Second {
		t.Error(r.Duration())
	}
}

func TestLegIgnoresOrderAndBlanks(t *testing.T) {
	for matrix, want := range map[string]string{
		"": "", "null": "", "{}": "", " { } ": "", "[]": "[]", "0": "0",
		`{"b": 1.50, "a": "<x>"}`: `{"a":"<x>","b":1.50}`,
		" windows ":               "windows",
		`{"a":1} {"b":2}`:         `{"a":1} {"b":2}`,
		`{"a":`:                   `{"a":`,
	} {
		if got := (store.Run{CI: &store.CI{Matrix: matrix}}).Leg(); got != want {
			t.Errorf("%q: got %q, want %q", matrix, got, want)
		}
	}
	if got := (store.Run{}).Leg(); got != "" {
		t.Error(got)
	}
}
