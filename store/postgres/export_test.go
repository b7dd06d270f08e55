package postgres

import "time"

const (
	SliceRuns   = sliceRuns
	SliceEvents = sliceEvents
)

// LockTimeout returns options with a limit on the time of waiting on a lock.
func LockTimeout(d time.Duration) Options { return Options{lock: d} }

// StatementTimeout returns options with a limit on the time of a statement.
func StatementTimeout(d time.Duration) Options { return Options{statement: d} }
