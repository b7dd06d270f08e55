package formats

import "strings"

func cutAny(s string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	_, ok := cutAny(s, prefixes...)
	return ok
}

func hasAnySuffix(s string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// eachDigit returns before+digit+after for each of the ten digits. Such triggers find a number by its last or first
// digit.
func eachDigit(before, after string) []string {
	literals := make([]string, 0, 10)
	for digit := '0'; digit <= '9'; digit++ {
		literals = append(literals, before+string(digit)+after)
	}
	return literals
}

// leading returns triggers for words at the beginning of a line, even if blanks, a time in brackets or a bullet precede
// them. The words themselves must be in Starts.
func leading(words ...string) (literals []string) {
	for _, word := range words {
		for _, before := range [...]string{"  ", "\t", "] ", "]", "* ", "- ", "> ", "! "} {
			literals = append(literals, before+word)
		}
	}
	return literals
}
