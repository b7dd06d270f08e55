//go:build linux

package faults

import (
	"math"
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

// The server and its database are killed in turn, whenever clients have got some further acknowledgements.
func TestKilledDatabasesLoseNothing(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	s := newScene(t, c.env()...)
	r := chance(t, 0)
	var mu sync.Mutex
	next := 5
	due := make(chan bool, 1)
	s.recorder.heard(func(acks, _ int) {
		mu.Lock()
		defer mu.Unlock()
		if acks < next {
			return
		}
		next = acks + 3 + r.IntN(12)
		select {
		case due <- true:
		default: // the last kill is not over
		}
	})
	var kills sync.WaitGroup
	n := 0
	kills.Go(func() {
		for range due {
			if n++; n%2 == 0 {
				s.server.restart()
			} else if err := c.database.Kill(); err != nil {
				t.Error(err)
			}
		}
	})
	s.uploads(*uploads/8, func(int, *work) *fault { return none() })
	mu.Lock()
	next = math.MaxInt
	mu.Unlock()
	close(due)
	kills.Wait()
	t.Logf("the database was killed %d times, the server %d times", (n+1)/2, s.server.ends)
	s.judge(c.open)
	if s.server.ends == 0 {
		t.Error("the server was not killed")
	}
}
