package fair_test

import (
	"context"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/fair"
)

// A caller that has worked far less than all callers at work need not wait for the end of a turn. Only a few such
// callers may work at a time.
func TestAModestCallerDoesNotWaitForLongTurns(t *testing.T) {
	t.Parallel()
	var c clock
	q := fair.NewQueue(2, 100).Spare(1, 0).Modest(2)
	c.set(q)
	mayEnter := func(ctx context.Context, caller string) (leave func()) {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		leave, _ = q.Enter(gone, caller)
		return leave
	}
	leaveA, leaveB := enter(t, q, "a"), enter(t, q, "b")
	c.pass(time.Second)
	leaveA()
	leaveB()
	enter(t, q, "a")
	enter(t, q, "b")
	c.pass(20 * time.Millisecond) // both turns are long now
	long := fair.Request(t.Context())
	fair.Long(long)
	if mayEnter(t.Context(), "b") != nil || mayEnter(long, "d") != nil {
		t.Error("a caller at work, or a long request, does not wait")
	}
	leaveD, leaveE := enter(t, q, "d"), enter(t, q, "e")
	if mayEnter(t.Context(), "f") != nil {
		t.Error("more work than may")
	}
	c.pass(1500 * time.Millisecond)
	leaveD()
	leaveE()
	if mayEnter(t.Context(), "d") != nil {
		t.Error("a caller that has worked as much as those at work does not wait")
	}
	enter(t, q, "f")
}
