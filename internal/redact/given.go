package redact

import (
	"strings"
)

// Functions that are called from many places and rarely are not inlined: what they hold would be in the program as
// often.

// isGiven reports whether a value that stands where a secret belongs is one: not a word, a name or a placeholder.
//
//go:noinline
func isGiven(v string) bool {
	return v != "" && isStrong(v) && !isName(v) && !isPath(v) && !isVariable(v) && !isPlaceholder(v) &&
		!strings.ContainsAny(v, " ()")
}

// hasHead reports whether a text begins with a word.
//
//go:noinline
func hasHead(text []byte, word string) bool {
	return len(text) >= len(word) && string(text[:len(word)]) == word
}

// hasTail reports whether a text ends with a word.
//
//go:noinline
func hasTail(text []byte, word string) bool {
	return len(text) >= len(word) && string(text[len(text)-len(word):]) == word
}

// trimLeft returns a text without the spaces and line ends that it begins with.
//
//go:noinline
func trimLeft(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t' || text[0] == '\r' || text[0] == '\n') {
		text = text[1:]
	}
	return text
}
