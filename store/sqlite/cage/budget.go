package cage

import (
	"math"
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

// budget counts the CPU time of tenants. Each tenant has a number of seconds, and may use all of them at once. Used
// time becomes available again evenly within a minute.
type budget struct {
	limit time.Duration
	now   func() time.Time

	mu   sync.Mutex
	used map[string]*usage // usage by tenant, for tenants that have used CPU time
}

type usage struct {
	spent time.Duration
	at    time.Time
}

func newBudget(limit time.Duration, now func() time.Time) *budget {
	return &budget{limit: limit, now: now, used: map[string]*usage{}}
}

// allow returns a RateLimited error if a tenant has no CPU time left.
func (b *budget) allow(tenant string) error {
	if tenant == "" {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	over := b.spent(tenant) - b.limit
	if over < 0 {
		return nil
	}
	seconds := math.Ceil((over.Seconds() + 1) * time.Minute.Seconds() / b.limit.Seconds())
	err := store.Errorf(store.RateLimited, "the statements of this caller have used their %s of CPU time per minute",
		b.limit)
	return store.Later(store.Hint(err, "try again later, or ask for fewer runs"), time.Duration(seconds)*time.Second)
}

// charge records CPU time that a tenant has used.
func (b *budget) charge(tenant string, d time.Duration) {
	if tenant == "" || d <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used[tenant] = &usage{spent: b.spent(tenant) + d, at: b.now()}
	if len(b.used) > 1000 {
		for t := range b.used {
			b.spent(t)
		}
	}
}

// spent returns the CPU time that a tenant has used and that is not available again yet.
func (b *budget) spent(tenant string) time.Duration {
	u := b.used[tenant]
	if u == nil {
		return 0
	}
	back := time.Duration(float64(b.now().Sub(u.at)) / float64(time.Minute) * float64(b.limit))
	if back >= u.spent {
		delete(b.used, tenant)
		return 0
	}
	return u.spent - back
}
