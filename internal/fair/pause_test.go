package fair_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/fair"
)

func TestALongTurnPausesForOthers(t *testing.T) {
	t.Parallel()
	var c clock
	q := fair.NewQueue(2, 100).Spare(1, 0)
	c.set(q)
	request := fair.Request(t.Context())
	leave, err := q.Enter(request, "a")
	if err != nil {
		t.Fatal(err)
	}
	enter(t, q, "spare")
	turns := make(chan string)
	go func() {
		leave, err := q.Enter(t.Context(), "b")
		if err == nil {
			turns <- "b"
			leave()
		}
	}()
	for waiting := 0; waiting == 0; {
		_, waiting = q.Used()
	}
	if err := fair.Pause(request); err != nil {
		t.Fatal(err) // a brief turn does not pause
	}
	c.pass(11 * time.Millisecond)
	paused := make(chan error)
	go func() { paused <- fair.Pause(request) }()
	if got := <-turns; got != "b" {
		t.Error(got)
	}
	if err := <-paused; err != nil {
		t.Error(err)
	}
	if working, _ := q.Used(); working != 2 {
		t.Errorf("%d work", working)
	}
	leave()
	leave()
	if working, waiting := q.Used(); working != 1 || waiting != 0 {
		t.Errorf("%d work, %d wait", working, waiting)
	}
}

func TestAPauseEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	var c clock
	q := fair.NewQueue(2, 100).Spare(1, 0)
	c.set(q)
	ctx, cancel := context.WithCancel(fair.Request(t.Context()))
	leave, err := q.Enter(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	other := enter(t, q, "spare")
	waits(t, q, "b", make(chan string, 1), 0)
	c.pass(11 * time.Millisecond)
	paused := make(chan error)
	go func() { paused <- fair.Pause(ctx) }()
	cancel()
	if err := <-paused; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	leave()
	other()
	if working, waiting := q.Used(); working != 1 || waiting != 0 { // b works
		t.Errorf("%d work, %d wait", working, waiting)
	}
	if err := fair.Pause(t.Context()); err != nil { // without a turn, Pause does nothing
		t.Error(err)
	}
}
