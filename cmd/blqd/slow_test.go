package main

import (
	"context"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
)

// A client that sends too many requests that cost it nothing has to wait. During the wait, the connection of the client
// is idle, so a new connection may replace it.
func TestRequestsThatCostNothingAreSlowedDown(t *testing.T) {
	t.Parallel()
	s := &service{brake: httpserver.NewRate(freeAnswers, freeBurst, time.Now), slowBy: time.Hour}
	c := newCapped(nil, 2, func(string) bool { return true }, func(int) {}, func() {})
	k, _ := c.admit(conn{from: "1.2.3.4:5"})
	ctx, cancel := context.WithCancel(t.Context())
	ctx, end := c.begin(ctx, k)
	occupied(ctx)
	isIdle := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return k.place != nil
	}
	for range freeBurst {
		s.slow(ctx, "1.2.3.4")
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range 2 * freeBurst { // the rate recovers a little in the meantime
			s.slow(ctx, "1.2.3.4")
		}
	}()
	until(t, "the connection is idle", isIdle)
	s.slow(ctx, "5.6.7.8") // other addresses do not wait
	cancel()
	<-ended
	if isIdle() {
		t.Error("the connection is idle while its answer is sent")
	}
	if end(); !isIdle() {
		t.Error("the connection is not idle after its request")
	}
}
