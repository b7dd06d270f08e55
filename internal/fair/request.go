package fair

import (
	"context"
	"math"
	"sync"
	"time"
)

// request groups the turns of one request in all queues.
type request struct {
	mu     sync.Mutex
	worked map[*Queue]time.Duration
	isLong bool // set by Long
	holds  []*holding
}

type requestKey struct{}

// Request returns a context for one request. All turns that begin with this context belong to the request. A request
// with long turns waits for brief requests. Without Request, each turn is a separate request.
func Request(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, &request{})
}

func requestOf(ctx context.Context) *request {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r
	}
	return &request{}
}

// Long marks the request of a context as long, no matter how long its turns were so far.
func Long(ctx context.Context) {
	r := requestOf(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isLong = true
}

// time returns the total length of a request's turns in a queue. After a call of Long, it returns the max duration.
func (r *request) time(q *Queue) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isLong {
		return math.MaxInt64
	}
	return r.worked[q]
}

func (r *request) add(q *Queue, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.worked == nil {
		r.worked = map[*Queue]time.Duration{}
	}
	r.worked[q] += d
}

func (r *request) hold(h *holding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holds = append(r.holds, h)
}

// only returns the turn of a request if the request has exactly one turn.
func (r *request) only() *holding {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.holds) == 1 {
		return r.holds[0]
	}
	return nil
}

func (r *request) release(h *holding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, held := range r.holds {
		if held == h {
			r.holds = append(r.holds[:i], r.holds[i+1:]...)
			return
		}
	}
}

// holding is a turn that has begun. It may have several parts with pauses between them.
type holding struct {
	q    *Queue
	mu   sync.Mutex
	t    *ticket // nil after the end of the turn
	once sync.Once
}

func (h *holding) leave() {
	h.once.Do(func() {
		h.mu.Lock()
		t := h.t
		h.t = nil
		h.mu.Unlock()
		if t != nil {
			t.request.release(h)
			h.q.leave(t)
		}
	})
}

// Pause gives the slot to a waiting request if the turn of this request is already long. It then waits for the next
// part of the turn. Pause does nothing if the request has no turn or several turns, if the queue has no spare slots, or
// if too many turns are paused. If the context ends first, Pause returns the error of the context, and the turn has
// ended.
func Pause(ctx context.Context) error {
	h := requestOf(ctx).only()
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.t == nil {
		return nil
	}
	next := h.q.pause(h.t)
	if next == nil {
		return nil
	}
	err := h.q.wait(ctx, next)
	h.q.resumed()
	if h.t = next; err != nil {
		h.t.request.release(h)
		h.t = nil
	}
	return err
}

// pause ends the current part of a long turn if other requests wait. It returns the ticket of the next part, or nil if
// the current part continues.
func (q *Queue) pause(t *ticket) *ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	if q.spare == 0 || now.Sub(t.since) < q.brief || len(q.turns) == 0 || q.paused >= maxPaused {
		return nil
	}
	q.end(t)
	next := &ticket{caller: t.caller, request: t.request, since: now, called: make(chan struct{})}
	q.paused++
	q.line(next)
	q.call()
	return next
}

func (q *Queue) resumed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.paused--
}
