package main

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/blq-ci/blq/store/blob/open"
)

// hanging is a place for objects. Its check of writing does not end until it is released.
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

// Anybody may ask whether the service is ready, and a disk may hang for days. In the synctest bubble, a timeout ends as
// soon as everything waits only for the disk, however busy the machine is.
func TestADependencyThatHangsIsAskedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, askAHangingDisk)
}

func askAHangingDisk(t *testing.T) {
	a := &app{config: defaults()}
	a.config.Data = t.TempDir()
	p, err := a.open(t.Context())
	check(t, err)
	t.Cleanup(func() { p.Close() })
	place := hanging{p.blobs, new(atomic.Int64), make(chan struct{})}
	p.blobs = place
	h := &health{places: p, metrics: newMetrics(), log: func(context.Context, string, error) {}}
	for range 5 {
		h.asked = time.Time{} // the last answer is no longer valid
		if found := h.look(t.Context()); found["logs"] == nil || found["database"] != nil {
			t.Errorf("found %v", found)
		}
	}
	if n := place.asked.Load(); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
	close(place.free)
	synctest.Wait() // wait for the late answer
	h.asked = time.Time{}
	if found := h.look(t.Context()); found["logs"] != nil || place.asked.Load() != 2 {
		t.Errorf("it was not asked again: %v", found)
	}
}
