package docs

import (
	"errors"

	"github.com/blq-ci/blq/store"
)

// Code is a JSON-RPC error code.
type Code int

// These are the JSON-RPC error codes of the documentation tools.
const (
	NoSource    Code = -32000 // no such source or document
	BadCitation Code = -32002 // the citation cannot be read
	BadIndex    Code = -32010 // the index cannot be used or built
	BadParams   Code = -32602 // a parameter is not valid
)

// kinds maps the codes to the store's error codes.
var kinds = map[Code]store.Code{NoSource: store.NotFound, BadCitation: store.Invalid, BadParams: store.Invalid}

// coded is an error with a code.
type coded struct {
	code Code
	error
}

func (e *coded) Unwrap() error { return e.error }

// Errorf returns an error with a code, and with the matching code of the store. The operand of %w is the cause of the
// error.
func Errorf(code Code, format string, args ...any) error {
	return &coded{code, store.Errorf(kinds[code], format, args...)}
}

// hint adds a sentence about the next step to err.
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
