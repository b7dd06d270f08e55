package action

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// quitAfter is the time after a cancellation at which blq must have ended. blq stops its work 500 ms earlier. The
// runner sends SIGINT at once, SIGTERM after 7.5 s, and SIGKILL after 10 s.
const quitAfter = 9 * time.Second

// quitting reports when the step has to end.
type quitting struct {
	ctx    context.Context // ends when blq has to stop
	cancel context.CancelFunc
	c      chan os.Signal
	mu     sync.Mutex
	asked  bool
}

// listen starts to watch for a cancellation by the runner. listen passes no signal on to the command of the step.
func listen() *quitting {
	q := &quitting{c: make(chan os.Signal, 8)}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	// SIGPIPE is caught, because otherwise a note that nobody reads would end the process.
	signal.Notify(q.c, os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	go func() {
		for s := range q.c {
			if s != syscall.SIGPIPE {
				q.hurry()
			}
		}
	}()
	return q
}

func (q *quitting) hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.asked {
		q.asked = true
		time.AfterFunc(quitAfter-500*time.Millisecond, q.cancel)
	}
}

// cancelled reports whether the runner cancelled the step.
func (q *quitting) cancelled() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.asked
}

func (q *quitting) stop() {
	signal.Stop(q.c)
	close(q.c)
	q.cancel()
}
