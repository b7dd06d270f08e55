package auth

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

const (
	maxAnswers = 4096
	askFor     = 30 * time.Second
	patience   = 3 * time.Second  // max wait for a lookup, if an earlier answer can be used instead
	staleFor   = 15 * time.Minute // max age of an earlier answer that is used while the forge does not answer
)

// answers caches the owners of tokens, by the token's hash. Concurrent requests for the same token share one lookup.
type answers struct {
	now     func() time.Time
	version func(context.Context) (int64, error) // version of the data from which answers are made

	patience time.Duration // see the constant
	lock     sync.Mutex
	by       map[string]*answer
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
	begun  time.Time
	before *past         // last success of earlier lookups, nil for none
	done   chan struct{} // closed when the answer is ready
	found  found
	err    error
	until  time.Time
	at     time.Time // when the lookup ended
}

// past is the result of an earlier lookup.
type past struct {
	found found
	at    time.Time
}

// isReady reports whether the lookup has ended.
func (a *answer) isReady() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// last returns the last success, including the success of the lookup itself. It returns nil if the forge has refused
// the token since. The lookup must have ended.
func (a *answer) last() *past {
	switch {
	case a == nil:
		return nil
	case a.err == nil:
		return &past{a.found, a.at}
	case isDown(a.err):
		return a.before
	}
	return nil
}

// isDown reports whether an error means that the forge does not answer. A forge that limits the rate of a token does
// answer.
func isDown(err error) bool {
	var l limited
	return !errors.As(err, &l) && (store.CodeOf(err) == store.Unavailable || errors.Is(err, context.DeadlineExceeded))
}

func newAnswers(now func() time.Time, version func(context.Context) (int64, error)) *answers {
	return &answers{now: now, version: version, patience: patience, by: map[string]*answer{}}
}

// get returns the answer for a key, from the cache or from a lookup. A caller that stops waiting does not end the
// lookup for others. If the version of the data has changed since the lookup, a principal is looked up again. Refusals
// stay cached until they expire, so repeated requests with a bad token are cheap. While the forge does not answer, an
// earlier answer is used until its age is staleFor.
func (s *answers) get(ctx context.Context, key string, find lookup) (Principal, error) {
	for {
		a := s.find(ctx, key, find)
		select {
		case <-a.done:
		case <-s.tooLong(a):
		case <-ctx.Done():
			return Principal{}, ctx.Err()
		}
		if a.before != nil && (!a.isReady() || a.err != nil && isDown(a.err)) {
			if p, usable, err := s.stale(ctx, a.before); usable || err != nil {
				return p, err
			}
		}
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

// tooLong returns a channel that is ready when a lookup has taken too long and there is an earlier answer.
func (s *answers) tooLong(a *answer) <-chan time.Time {
	if a.before == nil {
		return nil
	}
	return time.After(s.patience - time.Since(a.begun))
}

// stale returns the principal of an earlier lookup, and whether it may be used: it is not too old, and the data has not
// changed since.
func (s *answers) stale(ctx context.Context, of *past) (p Principal, usable bool, err error) {
	version, err := s.version(ctx)
	if err != nil || s.now().Sub(of.at) >= staleFor || version != of.found.version {
		return Principal{}, false, err
	}
	return of.found.p, true, nil
}

// find returns the answer for a key. The answer may not be ready yet.
func (s *answers) find(ctx context.Context, key string, find lookup) *answer {
	s.lock.Lock()
	defer s.lock.Unlock()
	a := s.by[key]
	if a == nil || a.over(s.now()) {
		a = &answer{begun: time.Now(), before: a.last(), done: make(chan struct{})}
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
	a.at = s.now()
	a.until = a.at.Add(a.found.good)
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
	return a.isReady() && !now.Before(a.until)
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
	return a.isReady() && a.err != nil
}
