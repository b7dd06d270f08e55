package fair

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

// Queue lets a number of callers work at a time. Others wait, each caller in a line of its own. When a slot is free, it
// goes to the caller that has worked least of late; among equals, the lines take turns. So a caller that works rarely
// seldom waits for those that always work. A few slots may be reserved for light callers, see Spare. Its methods may be
// called from several goroutines.
type Queue struct {
	slots   int
	spare   int // slots beyond those, for light callers
	maxWait int

	mu      sync.Mutex
	now     func() time.Time
	used    int
	working map[string]int
	worked  map[string]*effort // of callers that have worked of late
	lines   map[string][]*ticket
	turns   []string // callers with a line, next first
}

// effort is how long a caller has worked. It fades away.
type effort struct {
	time    time.Duration
	squares float64 // of the times of its turns, in seconds
	at      time.Time
}

// brief is the time up to which turns are short. One that is found at work is expected to take the sum of squares of
// the caller's turns by their sum: long turns count by their time, not by their number.
const brief = 10 * time.Millisecond

// isBrief reports whether the turns of a caller are short.
func (e *effort) isBrief() bool { return e.squares <= brief.Seconds()*e.time.Seconds() }

// fades is the time after which half of an effort is forgotten, and forgotten how little of it is forgotten altogether.
const (
	fades     = 10 * time.Second
	forgotten = time.Millisecond
)

// ticket is a place in a line.
type ticket struct{ called chan struct{} }

// NewQueue returns a Queue with a number of slots, at least 1, and a max number of requests that
// wait for each caller.
func NewQueue(slots, maxWait int) *Queue {
	return &Queue{slots: max(1, slots), maxWait: maxWait, working: map[string]int{}, lines: map[string][]*ticket{},
		worked: map[string]*effort{}, now: time.Now}
}

// Spare reserves n of the slots for callers whose turns are short, or that have worked far less than all others that
// work. At least one slot is for everybody.
func (q *Queue) Spare(n int) *Queue {
	n = max(0, min(n, q.slots-1))
	q.slots, q.spare = q.slots-n, n
	return q
}

// Enter waits for a slot. The caller must call leave when the work is done. Errors: rate_limited when
// too many requests of the caller wait, the error of ctx when it ends first.
func (q *Queue) Enter(ctx context.Context, caller string) (leave func(), err error) {
	t, err := q.join(caller)
	if err != nil {
		return nil, err
	}
	var began time.Time
	leave = sync.OnceFunc(func() { q.leave(caller, q.now().Sub(began)) })
	select {
	case <-t.called:
		began = q.now()
		return leave, nil
	default:
	}
	select {
	case <-t.called:
		began = q.now()
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
func (q *Queue) mayWork(caller string) bool {
	return q.working[caller] < q.slots-q.used ||
		q.used < q.slots+q.spare && q.working[caller] == 0 && q.isLight(caller)
}

// isLight reports whether the turns of a caller are short, or all those who work have worked at least four times as
// long.
func (q *Queue) isLight(caller string) bool {
	now := q.now()
	own := q.effort(caller, now)
	if own.time > 0 && own.isBrief() {
		return true
	}
	for other := range q.working {
		if q.effort(other, now).time <= 4*own.time {
			return false
		}
	}
	return true
}

func (q *Queue) begin(caller string, t *ticket) {
	q.used++
	q.working[caller]++
	close(t.called)
}

func (q *Queue) leave(caller string, worked time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	e := q.effort(caller, now)
	q.worked[caller] = &effort{e.time + worked, e.squares + worked.Seconds()*worked.Seconds(), now}
	if len(q.worked) > maxWorked {
		for c := range q.worked {
			q.effort(c, now)
		}
	}
	q.used--
	if q.working[caller]--; q.working[caller] == 0 {
		delete(q.working, caller)
	}
	q.call()
}

// maxWorked is the number of efforts beyond which those that have faded are looked for.
const maxWorked = 1000

// effort returns how long a caller has worked of late.
func (q *Queue) effort(caller string, now time.Time) effort {
	e := q.worked[caller]
	if e == nil {
		return effort{}
	}
	left := math.Exp2(-now.Sub(e.at).Seconds() / fades.Seconds())
	faded := effort{time.Duration(float64(e.time) * left), e.squares * left, now}
	if faded.time < forgotten {
		delete(q.worked, caller)
		return effort{}
	}
	return faded
}

// call calls those who may work now.
func (q *Queue) call() {
	for q.used < q.slots+q.spare {
		i := q.next()
		if i < 0 {
			return
		}
		caller := q.turns[i]
		t := q.lines[caller][0]
		q.begin(caller, t)
		q.turns = slices.Delete(q.turns, i, i+1)
		if q.shorten(caller, t) {
			q.turns = append(q.turns, caller)
		}
	}
}

// next returns the turn of the caller that has worked least of those who may work, -1 if there is none.
func (q *Queue) next() int {
	least, now := -1, q.now()
	var effort time.Duration
	for i, caller := range q.turns {
		if !q.mayWork(caller) {
			continue
		}
		if e := q.effort(caller, now).time; least < 0 || e < effort {
			least, effort = i, e
		}
	}
	return least
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
		q.leave(caller, 0)
		return
	default:
	}
	defer q.mu.Unlock()
	if !q.shorten(caller, t) {
		q.turns = slices.DeleteFunc(q.turns, func(c string) bool { return c == caller })
	}
}
