package httpserver

import (
	"sync"
	"time"
)

// Rate limits the amount that each caller takes per second. The state is in the memory of this process. A caller that
// has taken less for some time can take up to burst at once.
type Rate struct {
	perSecond float64
	burst     float64
	now       func() time.Time

	mu   sync.Mutex
	of   map[string]*bucket
	room int // number of buckets at which full buckets are dropped
}

// bucket is the remaining amount of a caller.
type bucket struct {
	left float64
	at   time.Time // time at which the bucket had this amount
}

// maxBuckets is the number of buckets at which full buckets are dropped. This makes no difference for their callers,
// because a new bucket is full, too. The next drop is at twice the number of the remaining buckets, but at least
// at maxBuckets.
const maxBuckets = 10_000

// NewRate returns a Rate. Each caller may take the amount burst at once, and the amount perSecond in every second after
// that. The parameter now is a function that returns the current time.
func NewRate(perSecond float64, burst int, now func() time.Time) *Rate {
	return &Rate{perSecond: perSecond, burst: float64(burst), now: now, of: map[string]*bucket{}, room: maxBuckets}
}

// Take takes an amount for a caller and returns 0. If too little is left, it takes nothing and returns how long the
// caller must wait. An amount larger than burst is never available. For such an amount, the result is the time until
// the bucket is full.
func (r *Rate) Take(caller string, n int) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	b := r.of[caller]
	if b == nil {
		if len(r.of) >= r.room {
			r.drop(now)
			r.room = max(maxBuckets, 2*len(r.of))
		}
		b = &bucket{left: r.burst, at: now}
		r.of[caller] = b
	}
	b.left, b.at = r.left(b, now), now
	if want := float64(n); want <= b.left {
		b.left -= want
		return 0
	}
	missing := max(1, min(float64(n), r.burst)-b.left)
	return time.Duration(missing / r.perSecond * float64(time.Second))
}

// Wait returns how long a caller must wait before it can take the amount 1, or 0 if the caller can take it now.
func (r *Rate) Wait(caller string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.of[caller]
	if b == nil {
		return 0
	}
	left := r.left(b, r.now())
	if left >= 1 {
		return 0
	}
	return time.Duration((1 - left) / r.perSecond * float64(time.Second))
}

// left returns the present amount of a bucket. If the clock was set back, the amount does not change.
func (r *Rate) left(b *bucket, now time.Time) float64 {
	return min(r.burst, b.left+max(0, now.Sub(b.at).Seconds())*r.perSecond)
}

func (r *Rate) drop(now time.Time) {
	for caller, b := range r.of {
		if r.left(b, now) >= r.burst {
			delete(r.of, caller)
		}
	}
}
