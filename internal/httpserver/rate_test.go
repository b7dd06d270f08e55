package httpserver

import (
	"fmt"
	"testing"
	"time"
)

func TestRate(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := NewRate(2, 5, func() time.Time { return now })
	for i, step := range []struct {
		wait time.Duration
		who  string
		n    int
		want time.Duration // time until the next try
	}{
		{0, "a", 5, 0},
		{0, "a", 1, 500 * time.Millisecond},
		{0, "b", 5, 0}, // each caller has its own limit
		{499 * time.Millisecond, "a", 1, 500 * time.Millisecond}, // nearly enough: the time until one is available
		{time.Millisecond, "a", 1, 0},
		{time.Second, "a", 3, 500 * time.Millisecond}, // two are available, and stay
		{0, "a", 2, 0},
		{time.Hour, "a", 6, 500 * time.Millisecond}, // never
		{0, "a", 5, 0}, // at most burst is available
		{-time.Hour, "a", 1, 500 * time.Millisecond}, // the clock was set back
		{time.Second, "a", 2, 0},
	} {
		now = now.Add(step.wait)
		if got := r.Take(step.who, step.n); got != step.want {
			t.Fatalf("step %d: %s takes %d and is told %v, want %v", i, step.who, step.n, got, step.want)
		}
	}
}

func TestRateForgetsCallersWithoutLoss(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := NewRate(1, 1, func() time.Time { return now })
	r.Take("early", 1)
	now = now.Add(time.Second)
	for i := range maxBuckets - 1 {
		r.Take(fmt.Sprint(i), 1)
	}
	r.Take("late", 1)
	if len(r.of) != maxBuckets || r.of["early"] != nil {
		t.Errorf("%d callers are known", len(r.of))
	}
	if r.Take("late", 1) == 0 || r.Take("0", 1) == 0 {
		t.Error("a caller who has nothing left was forgotten")
	}
}
