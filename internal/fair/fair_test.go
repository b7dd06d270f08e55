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

// enter enters and fails the test if that does not work at once.
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

// waits has a caller wait, and sends its name when it is its turn.
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
	leave() // one slot is free, for a caller that has none
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

func TestWhoHasWorkedLeastIsNext(t *testing.T) {
	t.Parallel()
	q := fair.NewQueue(1, 100)
	var now atomic.Int64
	q.SetClock(func() time.Time { return time.Unix(now.Load(), 0) })
	for caller, seconds := range map[string]int64{"a": 5, "b": 1, "c": 3} {
		leave := enter(t, q, caller)
		now.Add(seconds)
		leave()
	}
	hold := func(callers ...string) (got []string) {
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
	if got, want := hold("a", "a", "c", "b", "new"), []string{"new", "b", "c", "a", "a"}; !slices.Equal(got, want) {
		t.Errorf("served %v, want %v", got, want)
	}
	now.Add(1000) // all is forgotten
	if got, want := hold("a", "c", "b"), []string{"a", "c", "b"}; !slices.Equal(got, want) {
		t.Errorf("after a while served %v, want %v", got, want)
	}
}

func TestASpareSlotIsForLightCallers(t *testing.T) {
	t.Parallel()
	q := fair.NewQueue(2, 100).Spare(1)
	var now atomic.Int64
	q.SetClock(func() time.Time { return time.Unix(now.Load(), 0) })
	for _, c := range []struct {
		name    string
		seconds int64
	}{{"heavy", 9}, {"half", 4}, {"light", 1}} { // in this order, because what is long ago counts less
		leave := enter(t, q, c.name)
		now.Add(c.seconds)
		leave()
	}
	enter(t, q, "heavy")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, caller := range []string{"heavy", "half"} {
		if _, err := q.Enter(gone, caller); !errors.Is(err, context.Canceled) {
			t.Errorf("%s took the spare slot: %v", caller, err)
		}
	}
	enter(t, q, "light")()
	leave := enter(t, q, "new")
	if _, err := q.Enter(gone, "light"); !errors.Is(err, context.Canceled) {
		t.Errorf("there is one spare slot, and two got it: %v", err)
	}
	leave()
	enter(t, q, "light")
}

func TestASpareSlotIsForCallersWithShortTurns(t *testing.T) {
	t.Parallel()
	q := fair.NewQueue(2, 100).Spare(1)
	var now atomic.Int64
	q.SetClock(func() time.Time { return time.UnixMilli(now.Load()) })
	work := func(caller string, turns int, ms int64) {
		for range turns {
			leave := enter(t, q, caller)
			now.Add(ms)
			leave()
		}
	}
	work("long", 1, 200)
	work("mixed", 100, 1)
	work("mixed", 1, 200)
	work("short", 100, 9)
	enter(t, q, "long")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Enter(gone, "mixed"); !errors.Is(err, context.Canceled) {
		t.Errorf("one that may work for long took the spare slot: %v", err)
	}
	enter(t, q, "short")
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
	leave() // once is enough
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
