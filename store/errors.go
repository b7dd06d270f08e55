package store

import (
	"errors"
	"fmt"
)

// Code says who has to act on an error. An error without a code is internal.
type Code string

// The codes, from the caller's fault to ours.
const (
	Invalid      Code = "invalid"      // the request makes no sense: the caller changes it
	Unauthorized Code = "unauthorized" // no or unknown credentials
	Forbidden    Code = "forbidden"    // known, but not allowed
	NotFound     Code = "not_found"    // no such thing, none any more, or none the caller may see
	Conflict     Code = "conflict"     // it exists with other content
	TooLarge     Code = "too_large"    // over a limit of size
	RateLimited  Code = "rate_limited" // over a limit of rate
	Unavailable  Code = "unavailable"  // a dependency is down or busy: try again
)

// Error is an error with a code and, where one is known, the next step.
type Error struct {
	Code    Code
	Message string
	Hint    string // a command or an action that helps, may be empty
	cause   error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an error with a code. A %w verb keeps the cause.
func Errorf(code Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// Hint returns err with a next step attached. It keeps the code of err, and
// nil stays nil.
func Hint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &Error{Code: CodeOf(err), Message: err.Error(), Hint: fmt.Sprintf(format, args...), cause: err}
}

// CodeOf returns the code of err, "" for an internal error.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// HintOf returns the outermost next step attached to err, "" when there is none.
func HintOf(err error) string {
	var e *Error
	for errors.As(err, &e) {
		if e.Hint != "" {
			return e.Hint
		}
		err = e.cause
	}
	return ""
}
