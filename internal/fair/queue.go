package fair

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

// Queue lets a number of callers work at a time. Others wait, each caller in a line of its own, and
// the lines take turns. Its methods may be called from several goroutines.
type Queue struct {
	slots   int
	maxWait int

	mu      sync.Mutex
	used    int
	working map[string]int
	lines   map[string][]*ticket
	turns   []string // callers with a line, next first
}

// ticket is a place in a line.
type ticket struct{ called chan struct{} }

// NewQueue returns a Queue with a number of slots, at least 1, and a max number of requests that
// wait for each caller.
func NewQueue(slots, maxWait int) *Queue {
	return &Queue{slots: max(1, slots), maxWait: maxWait, working: map[string]int{}, lines: map[string][]*ticket{}}
}

// Enter waits for a slot. The caller must call leave when the work is done. Errors: rate_limited when
// too many requests of the caller wait, the error of ctx when it ends first.
func (q *Queue) Enter(ctx context.Context, caller string) (leave func(), err error) {
	t, err := q.join(caller)
	if err != nil {
		return nil, err
	}
	leave = sync.OnceFunc(func() { q.leave(caller) })
	select {
	case <-t.called:
		return leave, nil
	default:
	}
	select {
	case <-t.called:
		return leave, nil
	case <-ctx.Done():
		q.abandon(caller, t)
		return nil, context.Cause(ctx)
	}
}

func (q *Queue) join(caller string) (*ticket, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &ticket{called: make(chan struct{})}
	line := q.lines[caller]
	switch {
	case len(line) == 0 && q.mayWork(caller):
		q.begin(caller, t)
		return t, nil
	case len(line) >= q.maxWait:
		err := store.Errorf(store.RateLimited, "%d requests of this caller wait already", len(line))
		return nil, store.Later(store.Hint(err, "send fewer at a time"), time.Second)
	case len(line) == 0:
		q.turns = append(q.turns, caller)
	}
	q.lines[caller] = append(line, t)
	return t, nil
}

// mayWork reports whether a slot is free for a caller.
func (q *Queue) mayWork(caller string) bool { return q.working[caller] < q.slots-q.used }

func (q *Queue) begin(caller string, t *ticket) {
	q.used++
	q.working[caller]++
	close(t.called)
}

func (q *Queue) leave(caller string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used--
	if q.working[caller]--; q.working[caller] == 0 {
		delete(q.working, caller)
	}
	q.call()
}

// call calls those who may work now.
func (q *Queue) call() {
	for i := 0; i < len(q.turns) && q.used < q.slots; {
		caller := q.turns[i]
		if !q.mayWork(caller) {
			i++
			continue
		}
		t := q.lines[caller][0]
		q.begin(caller, t)
		q.turns = slices.Delete(q.turns, i, i+1)
		if q.shorten(caller, t) {
			q.turns = append(q.turns, caller)
		}
	}
}

// shorten takes a ticket out of a line, and reports whether others are left.
func (q *Queue) shorten(caller string, t *ticket) (more bool) {
	line := slices.DeleteFunc(q.lines[caller], func(o *ticket) bool { return o == t })
	if len(line) == 0 {
		delete(q.lines, caller)
		return false
	}
	q.lines[caller] = line
	return true
}

// abandon gives up a place in a line, or the slot that came at the same moment.
func (q *Queue) abandon(caller string, t *ticket) {
	q.mu.Lock()
	select {
	case <-t.called:
		q.mu.Unlock()
		q.leave(caller)
		return
	default:
	}
	defer q.mu.Unlock()
	if !q.shorten(caller, t) {
		q.turns = slices.DeleteFunc(q.turns, func(c string) bool { return c == caller })
	}
}
