package main

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blq-ci/blq/store/blob/open"
)

// hanging is a place that does not answer until it is let go.
type hanging struct {
	open.Place
	asked *atomic.Int64
	free  chan struct{}
}

func (h hanging) CheckWrite(context.Context) error {
	h.asked.Add(1)
	<-h.free
	return nil
}

// Anybody may ask whether the service is ready, and a disk may hang for days.
func TestADependencyThatHangsIsAskedOnce(t *testing.T) {
	t.Parallel()
	a := &app{config: defaults()}
	a.config.Data = t.TempDir()
	p, err := a.open(t.Context())
	check(t, err)
	t.Cleanup(func() { p.Close() })
	place := hanging{p.blobs, new(atomic.Int64), make(chan struct{})}
	p.blobs = place
	h := &health{places: p, metrics: newMetrics(), log: func(context.Context, string, error) {}}
	for range 5 {
		h.asked = time.Time{} // the last answer no longer holds
		if found := h.look(t.Context()); found["logs"] == nil || found["database"] != nil {
			t.Errorf("found %v", found)
		}
	}
	if n := place.asked.Load(); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
	close(place.free)
	until(t, "it is asked again", func() bool {
		h.asked = time.Time{}
		return h.look(t.Context())["logs"] == nil
	})
}
