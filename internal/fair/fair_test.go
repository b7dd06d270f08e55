package fair_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/store"
)

func TestAShareLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	s := fair.NewShare(120)
	take := func(holder string) (n int64) {
		for s.Take(holder, 1) {
			n++
		}
		return n
	}
	a, b, c := take("a"), take("b"), take("c")
	if a != 60 || b != 30 || c != 15 || s.Used() != 105 {
		t.Errorf("a has %d, b %d, c %d of 120", a, b, c)
	}
	s.Give("a", a)
	if got := take("b"); got == 0 || !s.Take("d", 1) {
		t.Errorf("b got %d more of what a gave back", got)
	}
	s = fair.NewShare(10)
	if s.Take("a", 11) || s.Used() != 0 {
		t.Error("more than there is was taken")
	}
}

func TestASingleRequestLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	for _, held := range []int64{0, 1, 25, 50} {
		s := fair.NewShare(100)
		if held > 0 && !s.Take("a", held) {
			t.Fatalf("%d of 100 were refused", held)
		}
		if s.Take("a", 51-held) {
			t.Errorf("a had %d and got %d more of 100", held, 51-held)
		}
		if !s.Take("a", 50-held) || !s.Take("b", 25) {
			t.Errorf("a with %d did not get half, or b a quarter", held)
		}
	}
}

// enter enters a queue, and fails the test if the caller has to wait.
func enter(t *testing.T, q *fair.Queue, caller string) (leave func()) {
	t.Helper()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	leave, err := q.Enter(gone, caller)
	if err != nil {
		t.Fatalf("%s has to wait: %v", caller, err)
	}
	return leave
}

// waits makes a caller wait. The caller sends its name when its turn comes.
func waits(t *testing.T, q *fair.Queue, caller string, turns chan<- string, before int) {
	t.Helper()
	go func() {
		if _, err := q.Enter(t.Context(), caller); err == nil {
			turns <- caller
		}
	}()
	for waiting := before; waiting == before; {
		_, waiting = q.Used()
	}
}

func TestAGreedyCallerDoesNotKeepOthersOut(t *testing.T) {
	t.Parallel()
	q := fair.NewQueue(4, 100)
	leave := enter(t, q, "a")
	enter(t, q, "a")
	turns := make(chan string, 10)
	for i := range 5 {
		waits(t, q, "a", turns, i)
	}
	enter(t, q, "b")
	enter(t, q, "c")
	if working, waiting := q.Used(); working != 4 || waiting != 5 {
		t.Errorf("%d work, %d wait", working, waiting)
	}
	leave() // one slot is free for a caller without a turn
	if working, waiting := q.Used(); working != 3 || waiting != 5 {
		t.Errorf("then %d work, %d wait", working, waiting)
	}
	enter(t, q, "d")
}

func TestLinesTakeTurns(t *testing.T) {
	t.Parallel()
	q := fair.NewQueue(1, 100)
	leave := enter(t, q, "x")
	turns := make(chan string)
	n := 0
	for _, caller := range []string{"a", "a", "a", "b", "c"} {
		go func() {
			leave, err := q.Enter(t.Context(), caller)
			if err == nil {
				turns <- caller
				leave()
			}
		}()
		for waiting := n; waiting == n; {
			_, waiting = q.Used()
		}
		n++
	}
	leave()
	var got []string
	for range 5 {
		got = append(got, <-turns)
	}
	if want := []string{"a", "b", "c", "a", "a"}; !slices.Equal(got, want) {
		t.Errorf("served %v, want %v", got, want)
	}
}

// clock is a clock that tests set.
type clock struct{ ms atomic.Int64 }

func (c *clock) now() time.Time              { return time.UnixMilli(c.ms.Load()) }
func (c *clock) pass(d time.Duration)        { c.ms.Add(d.Milliseconds()) }
func (c *clock) set(q *fair.Queue)           { q.SetClock(c.now) }
func (c *clock) work(leave func(), ms int64) { c.ms.Add(ms); leave() }

// order makes callers wait while another caller works, and returns the order in which they then work.
func order(t *testing.T, q *fair.Queue, callers ...string) (got []string) {
	t.Helper()
	leave, turns := enter(t, q, "x"), make(chan string)
	var all sync.WaitGroup
	defer all.Wait()
	for i, caller := range callers {
		all.Go(func() {
			leave, err := q.Enter(t.Context(), caller)
			if err == nil {
				turns <- caller
				leave()
			}
		})
		for waiting := i; waiting == i; {
			_, waiting = q.Used()
		}
	}
	leave()
	for range callers {
		got = append(got, <-turns)
	}
	return got
}

func TestWhoHasWorkedLeastWhileOthersWaitedIsNext(t *testing.T) {
	t.Parallel()
	var c clock
	q := fair.NewQueue(2, 100)
	c.set(q)
	c.work(enter(t, q, "alone"), 9000) // nobody else wanted to work
	for _, w := range []struct {
		caller string
		ms     int64
	}{{"a", 5000}, {"b", 1000}, {"c", 3000}} {
		other := enter(t, q, "other")
		c.work(enter(t, q, w.caller), w.ms)
		other()
	}
	enter(t, q, "y") // one slot is left
	want := []string{"alone", "new", "b", "c", "a", "a"}
	if got := order(t, q, "a", "a", "c", "b", "alone", "new"); !slices.Equal(got, want) {
		t.Errorf("served %v, want %v", got, want)
	}
	c.pass(1000 * time.Second) // all is forgotten
	if got, want := order(t, q, "a", "c", "b"), []string{"a", "c", "b"}; !slices.Equal(got, want) {
		t.Errorf("after a while served %v, want %v", got, want)
	}
}

// isFree reports whether a request may work at once. If so, isFree ends the turn of the request.
func isFree(t *testing.T, q *fair.Queue, request context.Context, caller string) bool {
	t.Helper()
	gone, cancel := context.WithCancel(request)
	cancel()
	leave, err := q.Enter(gone, caller)
	if err == nil {
		leave()
	} else if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return err == nil
}

func TestASpareSlotIsForBriefRequests(t *testing.T) {
	t.Parallel()
	var c clock
	q := fair.NewQueue(2, 100).Spare(1, 0)
	c.set(q)
	long, many, told := fair.Request(t.Context()), fair.Request(t.Context()), fair.Request(t.Context())
	work := func(request context.Context, ms int64) {
		leave, err := q.Enter(request, "a")
		if err != nil {
			t.Fatal(err)
		}
		c.work(leave, ms)
	}
	work(long, 51)
	for range 6 {
		work(many, 9)
	}
	fair.Long(told)
	enter(t, q, "x")
	c.pass(20 * time.Millisecond) // the turn in the general slot becomes long
	for name, request := range map[string]context.Context{"long": long, "of many turns": many, "told to be long": told} {
		if isFree(t, q, request, "b") {
			t.Errorf("a request that is %s took the spare slot", name)
		}
	}
	if !isFree(t, q, fair.Request(t.Context()), "b") {
		t.Error("the spare slot was kept from a brief request")
	}
	enter(t, q, "b")
	if isFree(t, q, t.Context(), "c") {
		t.Error("there is one spare slot, and two got it")
	}
}

func TestATurnThatBecomesLongDoesNotKeepBriefOnesOut(t *testing.T) {
	t.Parallel()
	var c clock
	q := fair.NewQueue(2, 100).Spare(1, 1)
	c.set(q)
	enter(t, q, "a")
	enter(t, q, "b")
	c.pass(11 * time.Millisecond)
	if isFree(t, q, t.Context(), "b") {
		t.Error("a caller that works got another slot")
	}
	leave := enter(t, q, "c")
	c.pass(11 * time.Millisecond)
	if isFree(t, q, t.Context(), "d") {
		t.Error("more turns work than may")
	}
	leave()
	enter(t, q, "d")
}

func TestWhoWaitsIsCalledWhenATurnBecomesLong(t *testing.T) {
	t.Parallel()
	q := fair.NewQueue(2, 100).Spare(1, 1)
	enter(t, q, "a")
	enter(t, q, "b")
	leave, err := q.Enter(t.Context(), "c") // nobody leaves
	if err != nil {
		t.Fatal(err)
	}
	leave()
}

func TestALongRequestWaitsForBriefOnesButNotForever(t *testing.T) {
	t.Parallel()
	var c clock
	q := fair.NewQueue(1, 100)
	c.set(q)
	leave := enter(t, q, "x")
	long := fair.Request(t.Context())
	fair.Long(long)
	turns := make(chan string)
	for i, request := range []context.Context{long, fair.Request(t.Context()), fair.Request(t.Context())} {
		go func() {
			leave, err := q.Enter(request, string(rune('a'+i)))
			if err == nil {
				turns <- string(rune('a' + i))
				if i == 1 {
					c.pass(300 * time.Millisecond) // the long request has waited for too long
				}
				leave()
			}
		}()
		for waiting := i; waiting == i; {
			_, waiting = q.Used()
		}
	}
	leave()
	if got, want := []string{<-turns, <-turns, <-turns}, []string{"b", "a", "c"}; !slices.Equal(got, want) {
		t.Errorf("served %v, want %v", got, want)
	}
}

func TestTooManyThatWait(t *testing.T) {
	t.Parallel()
	q := fair.NewQueue(1, 1)
	enter(t, q, "a")
	waits(t, q, "a", make(chan string, 1), 0)
	_, err := q.Enter(t.Context(), "a")
	if _, later := store.RetryAfter(err); store.CodeOf(err) != store.RateLimited || !later {
		t.Errorf("the third: %v", err)
	}
}

func TestWhoLeavesALineIsNotCalled(t *testing.T) {
	t.Parallel()
	q := fair.NewQueue(1, 100)
	leave := enter(t, q, "a")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { _, err := q.Enter(ctx, "b"); ended <- err }()
	for waiting := 0; waiting == 0; {
		_, waiting = q.Used()
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	leave()
	leave() // a second call does nothing
	if working, waiting := q.Used(); working != 0 || waiting != 0 {
		t.Errorf("%d work, %d wait", working, waiting)
	}
	enter(t, q, "c")
}

func TestAQueueLosesNoSlot(t *testing.T) {
	t.Parallel()
	q := fair.NewQueue(3, 1000)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			if i%3 == 0 {
				go cancel()
			}
			defer cancel()
			if leave, err := q.Enter(ctx, string(rune('a'+i%5))); err == nil {
				leave()
			}
		})
	}
	all.Wait()
	if working, waiting := q.Used(); working != 0 || waiting != 0 {
		t.Errorf("%d work, %d wait", working, waiting)
	}
}
