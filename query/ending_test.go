package query

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

func TestExitNotes(t *testing.T) {
	t.Parallel()
	code := func(n int) store.Run {
		r := store.Run{State: store.StateCompleted}
		r.ExitCode = &n
		return r
	}
	killed := store.Run{State: store.StateCompleted}
	killed.Signal = "SIGKILL"
	cancelled := killed
	cancelled.Reason = store.ReasonCancelled
	for _, tt := range []struct {
		run  store.Run
		want string
	}{
		{code(0), ""}, {code(1), ""}, {code(2), ""}, {code(127), "not found"}, {code(126), "executed"}, {code(137), "memory"},
		{killed, "memory"}, {cancelled, ""}, {code(139), "SIGSEGV"}, {code(124), "too long"}, {code(143), "asked to stop"},
	} {
		got := ExitNote(tt.run)
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%+v: %q, want %q", tt.run, got, tt.want)
		}
	}
}
