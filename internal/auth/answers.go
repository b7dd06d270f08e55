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

// answers caches the owners of tokens, by the token's hash. Concurrent requests for the same token share one lookup.
type answers struct {
	now     func() time.Time
	version func(context.Context) (int64, error) // version of the data from which answers are made
	lock    sync.Mutex
	by      map[string]*answer
}

// found is the result of a lookup: a principal, or the fact that there is none. It is cached for the duration good.
type found struct {
	p       Principal
	version int64 // version at the start of the lookup
	good    time.Duration
}

// lookup finds a principal. Its result is cached for the duration found.good. Errors are cached, too.
type lookup func(context.Context) (found, error)

type answer struct {
	done  chan struct{} // closed when the answer is ready
	found found
	err   error
	until time.Time
}

func newAnswers(now func() time.Time, version func(context.Context) (int64, error)) *answers {
	return &answers{now: now, version: version, by: map[string]*answer{}}
}

// get returns the answer for a key, from the cache or from a lookup. A caller that stops waiting does not end the
// lookup for others. If the version of the data has changed since the lookup, a principal is looked up again. Refusals
// stay cached until they expire, so repeated requests with a bad token are cheap.
func (s *answers) get(ctx context.Context, key string, find lookup) (Principal, error) {
	for {
		a := s.find(ctx, key, find)
		select {
		case <-a.done:
		case <-ctx.Done():
			return Principal{}, ctx.Err()
		}
		if a.err != nil {
			return Principal{}, a.err
		}
		now, err := s.version(ctx)
		if err != nil {
			return Principal{}, err
		}
		if now == a.found.version {
			return a.found.p, nil
		}
		s.forget(key, a)
	}
}

// find returns the answer for a key. The answer may not be ready yet.
func (s *answers) find(ctx context.Context, key string, find lookup) *answer {
	s.lock.Lock()
	defer s.lock.Unlock()
	a := s.by[key]
	if a == nil || a.over(s.now()) {
		a = &answer{done: make(chan struct{})}
		s.makeRoom()
		s.by[key] = a
		go s.fill(context.WithoutCancel(ctx), a, find)
	}
	return a
}

func (s *answers) fill(ctx context.Context, a *answer, find lookup) {
	defer close(a.done)
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	a.found, a.err = find(ctx)
	a.until = s.now().Add(a.found.good)
}

// forget drops an answer from the cache.
func (s *answers) forget(key string, a *answer) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.by[key] == a {
		delete(s.by, key)
	}
}

// over reports whether an answer is ready and has expired.
func (a *answer) over(now time.Time) bool {
	select {
	case <-a.done:
		return !now.Before(a.until)
	default:
		return false
	}
}

// makeRoom removes answers if the cache is full. It first removes expired answers. Then it removes refusals until a
// quarter of the cache is free, so that there is room for the next bad tokens. It removes other answers only if there
// is still no room.
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

// refused reports whether an answer is ready and is an error.
func (a *answer) refused() bool {
	select {
	case <-a.done:
		return a.err != nil
	default:
		return false
	}
}
