// Package fair shares scarce resources of a process among its callers, so that no caller takes everything. The package
// may import store only.
//
// Both Share and Queue leave room for the next caller. A holder gets no more than what is still free for others. So a
// single greedy holder gets half, two greedy holders get a third each, and so on.
package fair

import "sync"

// Share is a limited quantity, such as bytes of memory. It is safe for concurrent use.
type Share struct {
	limit int64

	mu   sync.Mutex
	used int64
	of   map[string]int64
}

// NewShare returns a Share with a number of units, all of which are free.
func NewShare(limit int64) *Share { return &Share{limit: limit, of: map[string]int64{}} }

// Limit returns the total number of units.
func (s *Share) Limit() int64 { return s.limit }

// Take takes n units for a holder, and reports whether it did so. It takes nothing if the holder would then hold more
// units than would be free. So no holder gets more than half, not even with a single call.
func (s *Share) Take(holder string, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[holder]+n > s.limit-s.used-n {
		return false
	}
	s.used += n
	s.of[holder] += n
	return true
}

// Give gives back n units that the holder took.
func (s *Share) Give(holder string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= n
	if s.of[holder] -= n; s.of[holder] <= 0 {
		delete(s.of, holder)
	}
}

// Used returns the number of units that are taken.
func (s *Share) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}
