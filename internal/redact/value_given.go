package redact

import (
	"bytes"
	"strings"
)

// The functions of this file are not inlined. They have many callers and run rarely, and inlining would make the
// program larger.

// isGiven reports whether a value may be a real secret. It returns false for a word, a name, a path, a variable, a
// placeholder, and a value with spaces or parentheses.
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

// trimLeft returns a text without leading spaces and line ends.
//
//go:noinline
func trimLeft(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t' || text[0] == '\r' || text[0] == '\n') {
		text = text[1:]
	}
	return text
}

// contains reports whether a text contains a word.
//
//go:noinline
func contains(text []byte, word string) bool { return indexOf(text, word) >= 0 }

// indexOf returns the index of a word in a text, or -1 for none.
//
//go:noinline
func indexOf(text []byte, word string) int { return bytes.Index(text, []byte(word)) }

// cutAt returns the text before and after the first occurrence of a word, and whether there is one.
//
//go:noinline
func cutAt(text []byte, word string) (before, after []byte, found bool) {
	return bytes.Cut(text, []byte(word))
}
