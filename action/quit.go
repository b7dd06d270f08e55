package action

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// The runner cancels a step with SIGINT, after 7.5 s with SIGTERM, and kills it
// after 2.5 s more.
const quitAfter = 9 * time.Second

// quitting knows when the step has to be over.
type quitting struct {
	ctx    context.Context // done when nothing of ours may go on
	cancel context.CancelFunc
	c      chan os.Signal
	mu     sync.Mutex
	asked  bool
}

// listen notes from now on when the runner wants the step to end. The command
// hears of it by others.
func listen() *quitting {
	q := &quitting{c: make(chan os.Signal, 8)}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	// A note that nobody reads must not end us, so SIGPIPE is caught as well.
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

// cancelled says whether the runner wants the step to end.
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
