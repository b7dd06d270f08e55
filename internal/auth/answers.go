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
	now     func() time.Time
	version func(context.Context) (int64, error) // of what answers are made of
	lock    sync.Mutex
	by      map[string]*answer
}

// found is a principal that was looked up, or how long to remember that there is none.
type found struct {
	p       Principal
	version int64 // when the look-up began
	good    time.Duration
}

// lookup finds a principal. It sets good with errors, too.
type lookup func(context.Context) (found, error)

type answer struct {
	done  chan struct{} // closed when the answer is there
	found found
	err   error
	until time.Time
}

func newAnswers(now func() time.Time, version func(context.Context) (int64, error)) *answers {
	return &answers{now: now, version: version, by: map[string]*answer{}}
}

// get returns the answer for a key, from the cache or from find. A caller that stops waiting does not end the lookup
// for others. A principal of another version is looked up again. Refusals count as long as they are valid, so that they
// cost nothing.
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

// find returns the answer for a key, which may not be there yet.
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

// forget drops an answer.
func (s *answers) forget(key string, a *answer) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.by[key] == a {
		delete(s.by, key)
	}
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
