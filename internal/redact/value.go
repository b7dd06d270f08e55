package redact

import (
	"strings"
)

// isVariable reports whether a value stands for another: $X, ${X}, $(cmd), <token>, {{ x }}, %s, ***.
func isVariable(v string) bool {
	next := byte(0)
	if len(v) > 1 {
		next = v[1]
	}
	switch v[0] {
	case '$':
		return next == '{' || next == '(' || next == '_' || next >= 'A' && next <= 'Z' || next >= 'a' && next <= 'z' &&
			len(v) < 40
	case '<', '[', '(', '*':
		return true
	case '{':
		return next == '{' || next == '}' || strings.HasSuffix(v, "}")
	case '%':
		return len(v) < 4 || strings.HasSuffix(v, "%")
	}
	return strings.HasPrefix(v, "...") || strings.Contains(v, "${") || strings.Contains(v, "$(") ||
		strings.Contains(v, mask)
}

// isName reports whether a value may be a name of a program or a file: words with dots, dashes and
// underscores between, and no digit but at the end of a word.
func isName(v string) bool {
	hasMark := false
	for i := range len(v) {
		c := v[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		case c == '_' || c == '.' || c == '-' || c == ':' || c == '/':
			hasMark = true
		default:
			return false
		}
	}
	return hasMark
}

// isPath reports whether a value is a path of a file.
func isPath(v string) bool {
	return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") ||
		strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "@")
}

func count(v string) (letters, digits, others int) {
	for i := range len(v) {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		default:
			others++
		}
	}
	return letters, digits, others
}

// minConsonants is the number of consonants in a row that no word and hardly a name has.
const minConsonants = 6

// isRandom reports whether letters are in no order that words have: capital and small ones, and consonants alone.
func isRandom(v string) bool {
	if len(v) < 10 || v == strings.ToUpper(v) || v == strings.ToLower(v) {
		return false
	}
	run := 0
	for i := range len(v) {
		if strings.IndexByte("aeiouyAEIOUY", v[i]) >= 0 {
			run = 0
		} else if run++; run >= minConsonants {
			return true
		}
	}
	return false
}
