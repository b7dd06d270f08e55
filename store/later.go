package store

import (
	"errors"
	"time"
)

// later is an error with a time to wait before another try.
type later struct {
	error
	after time.Duration
}

func (l later) Unwrap() error { return l.error }

// Later returns err with the time to wait before another try. The error keeps its code and its next step. If err is
// nil, Later returns nil.
func Later(err error, after time.Duration) error {
	if err == nil {
		return nil
	}
	return later{err, after}
}

// RetryAfter returns the time to wait before another try, and reports whether err has such a time.
func RetryAfter(err error) (time.Duration, bool) {
	var l later
	ok := errors.As(err, &l)
	return l.after, ok
}
