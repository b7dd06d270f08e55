package postgres

import "time"

const (
	SliceRuns   = sliceRuns
	SliceEvents = sliceEvents
)

// LockTimeout returns options with a max time to wait for a lock.
func LockTimeout(d time.Duration) Options { return Options{lock: d} }

// StatementTimeout returns options with a max time of a statement.
func StatementTimeout(d time.Duration) Options { return Options{statement: d} }

// WaitingTogether returns the number of statements that wait for a common transaction.
func (s *Store) WaitingTogether() int {
	s.together.mu.Lock()
	defer s.together.mu.Unlock()
	return len(s.together.waiting)
}
