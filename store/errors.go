package store

import (
	"errors"
	"fmt"
)

// Code is the kind of an error. It shows who has to act. An error without a code is internal.
type Code string

// These are the codes of errors.
const (
	Invalid      Code = "invalid"              // the request is not valid: the caller must change it
	Unauthorized Code = "unauthorized"         // no or unknown credentials
	Forbidden    Code = "forbidden"            // the caller is known, but not allowed to do this
	NotFound     Code = "not_found"            // does not exist, no longer exists, or does not exist for this caller
	Conflict     Code = "conflict"             // contradicts stored data, for example other content for a stored key
	TooLarge     Code = "too_large"            // larger than a limit
	RateLimited  Code = "rate_limited"         // more requests than a rate limit allows
	Full         Code = "insufficient_storage" // more data than a storage quota allows
	Unavailable  Code = "unavailable"          // something that the service needs is down or busy: try again
	Malformed    Code = "malformed"            // the syntax of a citation, address or name is wrong
	Failed       Code = "failed"               // an external text could not be fetched or indexed
)

// Error is an error with a code. If a next step is known, Error has it, too.
type Error struct {
	Code    Code
	Message string
	Next    NextStep // nil if no next step is known
	cause   error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an error with a code. The operand of %w becomes the error's cause.
func Errorf(code Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// Next returns err with a next step. The error keeps its code. If step is nil, the error keeps its next step, too. If
// err is nil, Next returns nil.
func Next(err error, step NextStep) error {
	if err == nil {
		return nil
	}
	return &Error{Code: CodeOf(err), Message: err.Error(), Next: step, cause: err}
}

// Hint returns err with a sentence as its next step; see Next.
func Hint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	if text := fmt.Sprintf(format, args...); text != "" {
		return Next(err, Text(text))
	}
	return err
}

// CodeOf returns the code of err. It returns "" for an internal error.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// NextOf returns the outermost next step of err, or nil if err has none.
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
