package auth

import (
	"context"
	"sync"
)

// shared lets concurrent requests with the same token share lookups. A request shares only a lookup that begins after
// the request, so a token that was revoked before the request is refused. Each token has at most two lookups at a time:
// one that runs, and one that waits. All requests that came after the running lookup began share the waiting lookup.
type shared struct {
	mu sync.Mutex
	by map[string]*lookups
}

// lookups belongs to a token with a running lookup. next is the lookup that begins after the running one, or nil.
type lookups struct{ next *result }

// result is the result of a lookup.
type result struct {
	find func() (Principal, error)
	done chan struct{} // closed when the other fields are final
	p    Principal
	err  error
}

// get returns the result of a lookup that begins after the call. The lookup goes on for others if ctx ends.
func (s *shared) get(ctx context.Context, key string, find func() (Principal, error)) (Principal, error) {
	r := s.join(key, find)
	select {
	case <-r.done:
		return r.p, r.err
	case <-ctx.Done():
		return Principal{}, context.Cause(ctx)
	}
}

func (s *shared) join(key string, find func() (Principal, error)) *result {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.by[key]
	if of != nil && of.next != nil {
		return of.next
	}
	r := &result{find: find, done: make(chan struct{})}
	if of != nil {
		of.next = r
		return r
	}
	if s.by == nil {
		s.by = map[string]*lookups{}
	}
	s.by[key] = &lookups{}
	go s.run(key, r)
	return r
}

// run executes the lookups of a token until none waits.
func (s *shared) run(key string, r *result) {
	for ; r != nil; r = s.following(key) {
		r.p, r.err = r.find()
		close(r.done)
	}
}

// following returns the next lookup of a token, or nil if there is none.
func (s *shared) following(key string) *result {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.by[key]
	r := of.next
	if of.next = nil; r == nil {
		delete(s.by, key)
	}
	return r
}
