package query

import (
	"regexp"
	"regexp/syntax"

	"github.com/blq-ci/blq/store"
)

// These limits bound regular expressions, because a search takes longer with a larger expression.
const (
	maxPattern = 1000 // bytes
	maxProgram = 5000 // instructions, see steps
)

// pattern compiles a regular expression. Invalid: the text is not a regular expression. TooLarge: the expression is too
// large.
func pattern(text string) (*regexp.Regexp, error) {
	if len(text) > maxPattern {
		return nil, tooLarge("%d bytes, more than %d", len(text), maxPattern)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, wrongPattern(err)
	}
	if n := steps(parsed); n > maxProgram { // check first: compiling needs memory for all steps
		return nil, tooLarge("%d steps, more than %d", n, maxProgram)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, wrongPattern(err)
	}
	return re, nil
}

// steps returns the approximate number of instructions in the compiled expression.
func steps(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n += steps(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpRepeat:
		if re.Max < 0 { // x{2,} is xx+
			return n*max(1, re.Min) + 1
		}
		return n*re.Max + re.Max - re.Min // x{1,3} is x(x(x)?)?
	case syntax.OpCapture:
		return n + 2
	case syntax.OpAlternate:
		return n + len(re.Sub) - 1
	case syntax.OpConcat:
		return n
	}
	return n + 1
}

func wrongPattern(err error) error {
	return store.Next(store.Errorf(store.Invalid, "grep: %w", err),
		store.NewCall("output", `escape . [ ( and the like with \`, "grep", `main\.c\[1\]`))
}

func tooLarge(format string, args ...any) error {
	return store.Next(store.Errorf(store.TooLarge, "grep: the expression has "+format, args...),
		store.NewCall("output", "repeat less, name fewer alternatives", "grep", "error|fail"))
}
