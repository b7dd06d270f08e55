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
// goes to a request that has worked briefly so far, else to any. Among these it goes to the caller that has worked
// least of late while others wanted to; among equals, the lines take turns. So a caller that works rarely seldom waits
// for those that always work. A few slots may be reserved for brief requests, see Spare. Its methods may be called from
// several goroutines.
type Queue struct {
	slots   int
	spare   int // slots beyond those, for brief requests
	more    int // turns beyond those, while turns in spare slots are found to be long
	modest  int // turns beyond those, for callers that have worked far less than those at work
	maxWait int
	brief   time.Duration

	mu      sync.Mutex
	now     func() time.Time
	atWork  map[*ticket]struct{}
	working map[string]int     // turns at work, by caller
	worked  map[string]*effort // of callers that have worked of late
	lines   map[string][]*ticket
	turns   []string // callers with a line, next first
	paused  int      // turns that wait for their second part
	looks   bool     // whether somebody looks soon who may work
}

// effort is how long a caller has worked. It fades away.
type effort struct {
	time time.Duration
	at   time.Time
}

const (
	brief    = 10 * time.Millisecond  // up to which a turn is brief
	perBrief = 5                      // times this, up to which a request is brief: the sum of its turns
	overdue  = 200 * time.Millisecond // after which a long request that waits goes with the brief ones
)

// fades is the time after which half of an effort is forgotten, and forgotten how little of it is forgotten altogether.
const (
	fades     = 10 * time.Second
	forgotten = time.Millisecond
)

// maxPaused is the max number of turns of a Queue that pause at a time. Each keeps what it has, such as a connection.
const maxPaused = 8

// MaxHolders returns how many turns have begun at a time, those that pause among them.
func (q *Queue) MaxHolders() int { return q.atMost() + maxPaused }

// atMost returns how many turns are at work at a time, those that pause not among them.
func (q *Queue) atMost() int { return q.slots + q.spare + q.more + q.modest }

// ticket is a place in a line, and then a turn.
type ticket struct {
	caller    string
	request   *request
	since     time.Time // when it began to wait, and then to work
	called    chan struct{}
	contended bool // whether others wanted to work when it began
}

// isBrief reports whether a waiting ticket has a request that has worked briefly so far, or has waited for a long time.
func (q *Queue) isBrief(t *ticket, now time.Time) bool {
	return !q.wasLong(t) || now.Sub(t.since) > overdue
}

// wasLong reports whether the turns of a request have been long so far.
func (q *Queue) wasLong(t *ticket) bool { return t.request.time(q) >= perBrief*q.brief }

// isLong reports whether a turn is long, or that of a long request.
func (q *Queue) isLong(t *ticket, now time.Time) bool {
	return now.Sub(t.since) > q.brief || q.wasLong(t)
}

// NewQueue returns a Queue with a number of slots, at least 1, and a max number of requests that
// wait for each caller.
func NewQueue(slots, maxWait int) *Queue {
	return &Queue{slots: max(1, slots), maxWait: maxWait, atWork: map[*ticket]struct{}{}, working: map[string]int{},
		lines: map[string][]*ticket{}, worked: map[string]*effort{}, brief: brief, now: time.Now}
}

// Spare reserves n of the slots for brief turns of brief requests. At least one slot is for everybody. A turn that
// turns out to be long does not keep others out of its reserved slot: up to more turns work besides.
func (q *Queue) Spare(n, more int) *Queue {
	n = max(0, min(n, q.slots-1))
	q.slots, q.spare, q.more = q.slots-n, n, more
	return q
}

// Modest allows n turns more for brief requests of callers that have none at work, and have worked less than half as
// much of late as each caller at work. So they need not wait until a long turn ends, which cannot be interrupted.
func (q *Queue) Modest(n int) *Queue {
	q.modest = n
	return q
}

// Brief sets the time up to which a turn is brief.
func (q *Queue) Brief(d time.Duration) *Queue {
	q.brief = d
	return q
}

// Enter waits for a slot. The caller must call leave when the work is done. All turns with contexts of one Request
// belong together. Errors: rate_limited when too many requests of the caller wait, the error of ctx when it ends first.
func (q *Queue) Enter(ctx context.Context, caller string) (leave func(), err error) {
	t := &ticket{caller: caller, request: requestOf(ctx)}
	if err := q.join(t); err != nil {
		return nil, err
	}
	if err := q.wait(ctx, t); err != nil {
		return nil, err
	}
	h := &holding{q: q, t: t}
	t.request.hold(h)
	return h.leave, nil
}

// wait waits until a ticket is called.
func (q *Queue) wait(ctx context.Context, t *ticket) error {
	select {
	case <-t.called:
		return nil
	default:
	}
	select {
	case <-t.called:
		return nil
	case <-ctx.Done():
		q.abandon(t)
		return context.Cause(ctx)
	}
}

func (q *Queue) join(t *ticket) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	t.called, t.since = make(chan struct{}), q.now()
	line := q.lines[t.caller]
	switch {
	case len(line) == 0 && q.mayWork(t, t.since):
		q.begin(t, t.since)
		return nil
	case len(line) >= q.maxWait:
		err := store.Errorf(store.RateLimited, "%d requests of this caller are already waiting", len(line))
		return store.Later(store.Hint(err, "send fewer at a time"), time.Second)
	}
	q.line(t)
	return nil
}

// line puts a ticket at the end of the line of its caller.
func (q *Queue) line(t *ticket) {
	line := q.lines[t.caller]
	if len(line) == 0 {
		q.turns = append(q.turns, t.caller)
	}
	q.lines[t.caller] = append(line, t)
	q.lookSoon()
}

// lookSoon calls again who may work when brief turns at work have become long.
func (q *Queue) lookSoon() {
	if q.spare == 0 || q.looks {
		return
	}
	q.looks = true
	time.AfterFunc(q.brief, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.looks = false
		q.call()
		if len(q.turns) > 0 {
			q.lookSoon()
		}
	})
}

// atOnce returns how many turns at work are brief, and how many are long.
func (q *Queue) atOnce(now time.Time) (short, long int) {
	for t := range q.atWork {
		if q.isLong(t, now) {
			long++
		}
	}
	return len(q.atWork) - long, long
}

// mayWork reports whether a slot is free for a ticket.
func (q *Queue) mayWork(t *ticket, now time.Time) bool {
	short, long := q.atOnce(now)
	if q.working[t.caller] < q.slots-long-max(0, short-q.spare) {
		return true
	}
	return q.working[t.caller] == 0 && q.isBrief(t, now) && short+min(long, q.slots) < q.slots+q.spare &&
		len(q.atWork) < q.slots+q.spare+q.more || q.isModest(t, now)
}

// isModest reports whether a turn is free for a ticket because its caller has worked far less than all at work.
func (q *Queue) isModest(t *ticket, now time.Time) bool {
	if q.working[t.caller] > 0 || q.wasLong(t) || len(q.atWork) >= q.atMost() || q.modest == 0 {
		return false
	}
	effort := q.effort(t.caller, now)
	for w := range q.atWork {
		if 2*effort > q.effort(w.caller, now)+now.Sub(w.since) {
			return false
		}
	}
	return true
}

func (q *Queue) begin(t *ticket, now time.Time) {
	q.atWork[t] = struct{}{}
	q.working[t.caller]++
	t.since, t.contended = now, q.isContended()
	close(t.called)
}

// isContended reports whether more than one wants to work.
func (q *Queue) isContended() bool { return len(q.atWork) > 1 || len(q.turns) > 0 }

// leave ends a turn.
func (q *Queue) leave(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end(t)
	q.call()
}

// end takes a turn from those at work, and adds it to the effort of its caller. Time that nobody else wanted is free.
func (q *Queue) end(t *ticket) {
	now := q.now()
	worked := now.Sub(t.since)
	t.request.add(q, worked)
	if t.contended || q.isContended() {
		q.worked[t.caller] = &effort{q.effort(t.caller, now) + worked, now}
	}
	if len(q.worked) > maxWorked {
		for c := range q.worked {
			q.effort(c, now)
		}
	}
	delete(q.atWork, t)
	if q.working[t.caller]--; q.working[t.caller] == 0 {
		delete(q.working, t.caller)
	}
}

// maxWorked is the number of efforts beyond which those that have faded are looked for.
const maxWorked = 1000

// effort returns how long a caller has worked of late.
func (q *Queue) effort(caller string, now time.Time) time.Duration {
	e := q.worked[caller]
	if e == nil {
		return 0
	}
	left := math.Exp2(-now.Sub(e.at).Seconds() / fades.Seconds())
	faded := time.Duration(float64(e.time) * left)
	if faded < forgotten {
		delete(q.worked, caller)
		return 0
	}
	return faded
}

// call calls those who may work now.
func (q *Queue) call() {
	for len(q.turns) > 0 && len(q.atWork) < q.atMost() {
		now := q.now()
		i, t := q.next(now)
		if t == nil {
			return
		}
		q.begin(t, now)
		q.turns = slices.Delete(q.turns, i, i+1)
		if q.shorten(t) {
			q.turns = append(q.turns, t.caller)
		}
	}
}

// next returns the ticket that is next, and the place of its caller among the turns; nil if nobody may work.
func (q *Queue) next(now time.Time) (turn int, next *ticket) {
	var least time.Duration
	var isBrief bool
	for i, caller := range q.turns {
		t := q.first(caller, now)
		if !q.mayWork(t, now) {
			continue
		}
		b, e := q.isBrief(t, now), q.effort(caller, now)
		if next == nil || b && !isBrief || b == isBrief && e < least {
			turn, next, isBrief, least = i, t, b, e
		}
	}
	return turn, next
}

// first returns the first ticket of a caller's line whose request is brief, else the first.
func (q *Queue) first(caller string, now time.Time) *ticket {
	line := q.lines[caller]
	if i := slices.IndexFunc(line, func(t *ticket) bool { return q.isBrief(t, now) }); i >= 0 {
		return line[i]
	}
	return line[0]
}

// shorten takes a ticket out of its line, and reports whether others are left.
func (q *Queue) shorten(t *ticket) (more bool) {
	line := slices.DeleteFunc(q.lines[t.caller], func(o *ticket) bool { return o == t })
	if len(line) == 0 {
		delete(q.lines, t.caller)
		return false
	}
	q.lines[t.caller] = line
	return true
}

// abandon gives up a place in a line, or the slot that came at the same moment.
func (q *Queue) abandon(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-t.called:
		q.end(t)
		q.call()
		return
	default:
	}
	if !q.shorten(t) {
		q.turns = slices.DeleteFunc(q.turns, func(c string) bool { return c == t.caller })
	}
}
