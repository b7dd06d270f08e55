package store

import (
	"errors"
	"fmt"
)

// Code says who has to act on an error. An error without a code is internal.
type Code string

// These are the codes, from errors of the caller to errors of the service.
const (
	Invalid      Code = "invalid"              // the request is not valid: the caller has to change it
	Unauthorized Code = "unauthorized"         // no or unknown credentials
	Forbidden    Code = "forbidden"            // known, but not allowed
	NotFound     Code = "not_found"            // it does not exist, not any more, or not for this caller
	Conflict     Code = "conflict"             // it exists with other content
	TooLarge     Code = "too_large"            // over a limit of size
	RateLimited  Code = "rate_limited"         // over a limit of rate
	Full         Code = "insufficient_storage" // over a quota of storage
	Unavailable  Code = "unavailable"          // a dependency is down or busy: try again
	Malformed    Code = "malformed"            // a citation, address or name is not written as it has to be
	Failed       Code = "failed"               // a text from outside could not be fetched, or not be indexed
)

// Error is an error with a code and, if one is known, the next step.
type Error struct {
	Code    Code
	Message string
	Next    NextStep // may be nil
	cause   error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an error with a code. Its cause is the operand of %w.
func Errorf(code Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// Next returns err with a next step attached; a nil step attaches none. It keeps
// the code of err, and nil stays nil.
func Next(err error, step NextStep) error {
	if err == nil {
		return nil
	}
	return &Error{Code: CodeOf(err), Message: err.Error(), Next: step, cause: err}
}

// Hint returns err with a sentence as its next step, as Next does.
func Hint(err error, format string, args ...any) error {
	if text := fmt.Sprintf(format, args...); text != "" {
		return Next(err, Text(text))
	}
	return err
}

// CodeOf returns the code of err, "" for an internal error.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// NextOf returns the outermost next step attached to err, nil for none.
func NextOf(err error) NextStep {
	var e *Error
	for errors.As(err, &e) {
		if e.Next != nil {
			return e.Next
		}
		err = e.cause
	}
	return nil
}
