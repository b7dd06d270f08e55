package auth

import (
	"context"
	"sync"
	"time"
)

const (
	maxAnswers = 4096
	askFor     = 30 * time.Second
)

// answers caches who owns a token, by the token's hash. Concurrent requests for the same token
// share one lookup.
type answers struct {
	now  func() time.Time
	lock sync.Mutex
	by   map[string]*answer
}

type answer struct {
	version int64
	done    chan struct{} // closed when the answer is there
	p       Principal
	err     error
	until   time.Time
}

func newAnswers(now func() time.Time) *answers {
	return &answers{now: now, by: map[string]*answer{}}
}

// get returns the answer for a key, from the cache or from find, which also returns how long the
// answer is valid. One of another version is not used. A caller that stops waiting does not end the lookup for others.
func (s *answers) get(ctx context.Context, key string, version int64,
	find func(context.Context) (Principal, time.Duration, error)) (Principal, error) {
	s.lock.Lock()
	a := s.by[key]
	if a == nil || a.version != version || a.over(s.now()) {
		a = &answer{version: version, done: make(chan struct{})}
		s.makeRoom()
		s.by[key] = a
		go s.find(context.WithoutCancel(ctx), a, find)
	}
	s.lock.Unlock()
	select {
	case <-a.done:
		return a.p, a.err
	case <-ctx.Done():
		return Principal{}, ctx.Err()
	}
}

func (s *answers) find(ctx context.Context, a *answer, find func(context.Context) (Principal, time.Duration, error)) {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	p, good, err := find(ctx)
	a.p, a.err, a.until = p, err, s.now().Add(good)
	close(a.done)
}

// over reports whether an answer is there and has expired.
func (a *answer) over(now time.Time) bool {
	select {
	case <-a.done:
		return !now.Before(a.until)
	default:
		return false
	}
}

// makeRoom removes expired answers. If that is not enough it removes many of bad tokens, so that the next bad ones
// find room, and then any others.
func (s *answers) makeRoom() {
	if len(s.by) < maxAnswers {
		return
	}
	now := s.now()
	for key, a := range s.by {
		if a.over(now) {
			delete(s.by, key)
		}
	}
	for key, a := range s.by {
		if len(s.by) < maxAnswers*3/4 {
			return
		}
		if a.refused() {
			delete(s.by, key)
		}
	}
	for key := range s.by {
		if len(s.by) < maxAnswers {
			return
		}
		delete(s.by, key)
	}
}

// refused reports whether an answer is there and is an error.
func (a *answer) refused() bool {
	select {
	case <-a.done:
		return a.err != nil
	default:
		return false
	}
}
