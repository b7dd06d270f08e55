package docs

import (
	"errors"

	"github.com/blq-ci/blq/store"
)

// Code is the code of an error in JSON-RPC.
type Code int

// These are the codes.
const (
	NoSource    Code = -32000 // no such source or document
	BadCitation Code = -32002 // the citation cannot be read
	BadIndex    Code = -32010 // the index cannot be used, or not be built
	BadParams   Code = -32602 // a parameter is out of its range
)

// kinds are the codes of the store's errors.
var kinds = map[Code]store.Code{NoSource: store.NotFound, BadCitation: store.Invalid, BadParams: store.Invalid}

// coded is an error with a code.
type coded struct {
	code Code
	error
}

func (e *coded) Unwrap() error { return e.error }

// Errorf returns an error with a code. It has the store's code of its kind, too, and its cause is the operand of %w.
func Errorf(code Code, format string, args ...any) error {
	return &coded{code, store.Errorf(kinds[code], format, args...)}
}

// hint returns err with a sentence that says what to do.
func hint(err error, format string, args ...any) error {
	code, _ := CodeOf(err)
	return &coded{code, store.Hint(err, format, args...)}
}

// CodeOf returns the code of an error, and false for an error without one.
func CodeOf(err error) (Code, bool) {
	var e *coded
	if errors.As(err, &e) {
		return e.code, true
	}
	return 0, false
}
