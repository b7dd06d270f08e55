//go:build linux

package faults

import (
	"sync"
	"testing"

	"github.com/blq-ci/blq/internal/pgtest"
)

// A database that crashes during uploads only makes the clients wait.
func TestACrashingDatabaseLosesNothing(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	s := newScene(t, c.env()...)
	chance(t, 0)
	const every, crashes = 15, 3
	var mu sync.Mutex
	next, crashed := every, 0
	s.recorder.heard(func(acks, _ int) {
		mu.Lock()
		defer mu.Unlock()
		if acks >= next && crashed < crashes {
			next, crashed = next+every, crashed+1
			if err := c.database.Restart(pgtest.Immediate); err != nil {
				t.Error(err)
			}
		}
	})
	s.uploads(12, func(int, *work) *fault { return none() })
	s.judge(c.open)
	if crashed != crashes || s.recorder.statuses[503] == 0 {
		t.Errorf("it crashed %d times, and %d requests were refused", crashed, s.recorder.statuses[503])
	}
}
