package fair

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

// Queue limits how many requests work at the same time. The other requests wait. Each caller has its own waiting list.
//
// A free slot goes to a brief request if there is one. A request is brief as long as its turns are short. Among equal
// requests, the slot goes to the caller with the least recent work. A turn counts as work only if other turns are at
// work or waiting when it begins or ends. Equal callers take turns. So an occasional caller seldom waits for busy
// callers.
//
// Some slots may be reserved for brief requests (see Spare). A Queue is safe for concurrent use.
type Queue struct {
	slots   int
	spare   int // additional slots for brief requests
	more    int // max additional turns while turns in spare slots are long
	modest  int // additional turns for callers with far less work than the callers at work
	maxWait int
	brief   time.Duration

	mu      sync.Mutex
	now     func() time.Time
	atWork  map[*ticket]struct{}
	working map[string]int     // number of turns at work by caller
	worked  map[string]*effort // recent work by caller
	lines   map[string][]*ticket
	turns   []string // callers with a line, next caller first
	paused  int      // number of turns that wait for their next part
	looks   bool     // a timer for the next check is set
}

// effort is the recent work of a caller. It decreases with time.
type effort struct {
	time time.Duration
	at   time.Time
}

const (
	brief    = 10 * time.Millisecond  // max length of a brief turn
	perBrief = 5                      // a request is brief while its turns add up to less than perBrief brief turns
	overdue  = 200 * time.Millisecond // a long request that has waited longer gets its turn like a brief request
)

// halfLife is the half-life of an effort. An effort below minEffort is dropped.
const (
	halfLife  = 10 * time.Second
	minEffort = time.Millisecond
)

// maxPaused is the max number of paused turns of a Queue. Each paused turn still holds its resources, such as a
// connection.
const maxPaused = 8

// MaxHolders returns the max number of turns that have begun and have not ended. Paused turns count, too.
func (q *Queue) MaxHolders() int { return q.atMost() + maxPaused }

// atMost returns the max number of turns at work, without paused turns.
func (q *Queue) atMost() int { return q.slots + q.spare + q.more + q.modest }

// ticket is a turn of a request, from the beginning of its wait to its end.
type ticket struct {
	caller    string
	request   *request
	since     time.Time // when the wait began, and later when the turn began
	called    chan struct{}
	contended bool // other callers wanted to work when the turn began
}

// isBrief reports whether a waiting ticket gets its turn like a brief request: its request is brief, or the ticket has
// waited longer than overdue. A long request still gets no slot that is reserved for brief requests.
func (q *Queue) isBrief(t *ticket, now time.Time) bool {
	return !q.wasLong(t) || now.Sub(t.since) > overdue
}

// wasLong reports whether the earlier turns of a ticket's request took too long together for a brief request.
func (q *Queue) wasLong(t *ticket) bool { return t.request.time(q) >= perBrief*q.brief }

// isLong reports whether a turn is long or belongs to a long request.
func (q *Queue) isLong(t *ticket, now time.Time) bool {
	return now.Sub(t.since) > q.brief || q.wasLong(t)
}

// NewQueue returns a Queue with at least one slot. maxWait is the max number of waiting requests of each caller.
func NewQueue(slots, maxWait int) *Queue {
	return &Queue{slots: max(1, slots), maxWait: maxWait, atWork: map[*ticket]struct{}{}, working: map[string]int{},
		lines: map[string][]*ticket{}, worked: map[string]*effort{}, brief: brief, now: time.Now}
}

// Spare reserves n of the slots for brief turns of brief requests. At least one slot remains for all
// requests. If a turn in a reserved slot becomes long, other brief turns may still begin. The
// parameter more is the max number of these additional turns.
func (q *Queue) Spare(n, more int) *Queue {
	n = max(0, min(n, q.slots-1))
	q.slots, q.spare, q.more = q.slots-n, n, more
	return q
}

// Modest allows n additional turns for brief requests of modest callers. A caller is modest if it has no turn at work,
// and has done at most half of the recent work of each caller at work. Because of the additional turns, a modest
// caller need not wait for the end of a long turn, which cannot be interrupted.
func (q *Queue) Modest(n int) *Queue {
	q.modest = n
	return q
}

// Brief sets the max length of a brief turn.
func (q *Queue) Brief(d time.Duration) *Queue {
	q.brief = d
	return q
}

// Enter waits for a slot. The caller must call the returned function when the work is done. Turns whose contexts come
// from the same call of Request belong together. Errors: rate_limited when too many requests of the caller wait, and
// the error of the context when the context ends first.
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

// wait waits until a ticket gets its turn.
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

// line adds a ticket to the end of its caller's line.
func (q *Queue) line(t *ticket) {
	line := q.lines[t.caller]
	if len(line) == 0 {
		q.turns = append(q.turns, t.caller)
	}
	q.lines[t.caller] = append(line, t)
	q.lookSoon()
}

// lookSoon checks the waiting tickets again after the time q.brief. By then, brief turns at work may have become long.
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

// atOnce returns the numbers of brief and of long turns at work.
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
	return q.working[t.caller] == 0 && !q.wasLong(t) && short+min(long, q.slots) < q.slots+q.spare &&
		len(q.atWork) < q.slots+q.spare+q.more || q.isModest(t, now)
}

// isModest reports whether a ticket gets an additional turn because its caller has done far less work than each
// caller at work.
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

// isContended reports whether several turns are at work, or at least one turn is waiting.
func (q *Queue) isContended() bool { return len(q.atWork) > 1 || len(q.turns) > 0 }

// leave ends a turn.
func (q *Queue) leave(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end(t)
	q.call()
}

// end removes a turn from the turns at work. If other turns were at work or waiting when the turn began or ended, end
// adds the time of the turn to the effort of its caller.
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

// maxWorked is the number of stored efforts above which efforts below minEffort are dropped.
const maxWorked = 1000

// effort returns the recent work of a caller.
func (q *Queue) effort(caller string, now time.Time) time.Duration {
	e := q.worked[caller]
	if e == nil {
		return 0
	}
	left := math.Exp2(-now.Sub(e.at).Seconds() / halfLife.Seconds())
	faded := time.Duration(float64(e.time) * left)
	if faded < minEffort {
		delete(q.worked, caller)
		return 0
	}
	return faded
}

// call starts the turns that may begin now.
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

// next returns the ticket that may work next, and the index of its caller in q.turns. The ticket is nil if no ticket
// may work.
func (q *Queue) next(now time.Time) (turn int, chosen *ticket) {
	var least time.Duration
	var isBrief bool
	for i, caller := range q.turns {
		t := q.first(caller, now)
		if !q.mayWork(t, now) {
			continue
		}
		b, e := q.isBrief(t, now), q.effort(caller, now)
		if chosen == nil || b && !isBrief || b == isBrief && e < least {
			turn, chosen, isBrief, least = i, t, b, e
		}
	}
	return turn, chosen
}

// first returns a caller's first waiting ticket for which isBrief is true. If there is none, it returns the caller's
// first waiting ticket.
func (q *Queue) first(caller string, now time.Time) *ticket {
	line := q.lines[caller]
	if i := slices.IndexFunc(line, func(t *ticket) bool { return q.isBrief(t, now) }); i >= 0 {
		return line[i]
	}
	return line[0]
}

// shorten removes a ticket from its waiting list, and reports whether the list has other tickets.
func (q *Queue) shorten(t *ticket) (more bool) {
	line := slices.DeleteFunc(q.lines[t.caller], func(o *ticket) bool { return o == t })
	if len(line) == 0 {
		delete(q.lines, t.caller)
		return false
	}
	q.lines[t.caller] = line
	return true
}

// abandon removes a ticket from its waiting list. If the ticket has just got its turn, abandon ends
// the turn.
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
