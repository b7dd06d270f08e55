package query

import (
	"regexp"
	"regexp/syntax"

	"github.com/blq-ci/blq/store"
)

// These limits bound regular expressions, because the time of a search grows with their size.
const (
	maxPattern = 1000 // bytes
	maxProgram = 5000 // instructions
)

// pattern compiles a regular expression. Invalid: it is malformed. TooLarge: it is too large.
func pattern(text string) (*regexp.Regexp, error) {
	if len(text) > maxPattern {
		return nil, tooLarge("%d bytes, more than %d", len(text), maxPattern)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, store.Next(store.Errorf(store.Invalid, "grep: %w", err),
			store.NewCall("output", `escape . [ ( and the like with \`, "grep", `main\.c\[1\]`))
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, store.Errorf(store.Invalid, "grep: %w", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, store.Errorf(store.Invalid, "grep: %w", err)
	}
	if n := len(program.Inst); n > maxProgram {
		return nil, tooLarge("%d steps, more than %d", n, maxProgram)
	}
	return re, nil
}

func tooLarge(format string, args ...any) error {
	return store.Next(store.Errorf(store.TooLarge, "grep: the expression has "+format, args...),
		store.NewCall("output", "repeat less, name fewer alternatives", "grep", "error|fail"))
}
