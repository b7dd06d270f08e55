package ingest

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

// rates are the token buckets of this replica.
type rates struct {
	now             func() time.Time
	requests, bytes buckets
}

func newRates(l Limits, now func() time.Time) *rates {
	return &rates{
		now:      now,
		requests: buckets{rate: rate.Limit(l.Requests), burst: l.RequestsBurst, of: map[string]*rate.Limiter{}},
		bytes:    buckets{rate: rate.Limit(l.Bytes), burst: l.BytesBurst, of: map[string]*rate.Limiter{}},
	}
}

// request counts a request of a caller. RateLimited: there were too many.
func (r *rates) request(p auth.Principal) error {
	if after := r.requests.take(string(p.Kind)+" "+p.ID, 1, r.now()); after > 0 {
		return retryAfter(after, store.Hint(store.Errorf(store.RateLimited, "too many requests"), "try again in %v, and send fewer at a time", wholeSeconds(after)))
	}
	return nil
}

// body counts a body for a repository. RateLimited: there was too much.
func (r *rates) body(repo string, bytes int64) error {
	if after := r.bytes.take(repo, int(bytes), r.now()); after > 0 {
		return retryAfter(after, store.Hint(store.Errorf(store.RateLimited, "too much at a time for repository %s", repo), "try again in %v", wholeSeconds(after)))
	}
	return nil
}

// buckets are token buckets of one size.
type buckets struct {
	rate  rate.Limit
	burst int

	mu sync.Mutex
	of map[string]*rate.Limiter
}

// mostBuckets bounds the memory: beyond it those that are full are dropped,
// which makes no difference to anybody.
const mostBuckets = 10_000

// take takes n from a bucket, or says after how long it may be tried again.
func (b *buckets) take(key string, n int, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.of[key]
	if l == nil {
		if len(b.of) >= mostBuckets {
			b.drop(now)
		}
		l = rate.NewLimiter(b.rate, b.burst)
		b.of[key] = l
	}
	if l.AllowN(now, n) {
		return 0
	}
	missing := float64(min(n, b.burst)) - l.TokensAt(now)
	return time.Duration(math.Max(missing, 1) / float64(b.rate) * float64(time.Second))
}

func (b *buckets) drop(now time.Time) {
	for key, l := range b.of {
		if l.TokensAt(now) >= float64(b.burst) {
			delete(b.of, key)
		}
	}
}

func wholeSeconds(d time.Duration) time.Duration {
	return time.Duration(math.Ceil(d.Seconds())) * time.Second
}
