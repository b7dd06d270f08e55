package redact

import (
	"bytes"
	"strings"
)

// endsInEscape reports whether a text ends with an escape, such as \n, %3D, \u003d, or the code of a color. A word
// begins behind it, although its last character is a letter or a digit.
func endsInEscape(before []byte) bool {
	n := len(before)
	switch {
	case n > 1 && before[n-2] == '\\' && strings.IndexByte("nrtvfb0", before[n-1]) >= 0,
		n > 2 && before[n-3] == '%' && areHex(before[n-2:]),
		n > 3 && before[n-4] == '\\' && (before[n-3] == 'x' && areHex(before[n-2:]) || digits(before[n-3:]) == 3),
		n > 5 && before[n-6] == '\\' && before[n-5] == 'u' && areHex(before[n-4:]):
		return true
	}
	return n > 0 && before[n-1] == 'm' && endsInColor(before[:n-1])
}

func areHex(text []byte) bool {
	for _, c := range text {
		if !isHex(c) {
			return false
		}
	}
	return true
}

// endsInColor reports whether a text ends with the code of a color without its last letter: ESC[32. The escape
// character may be escaped itself: \x1b[32, \033[32, \e[32.
func endsInColor(before []byte) bool {
	before = bytes.TrimRight(before, "0123456789;")
	n := len(before) - 1
	return n > 0 && before[n] == '[' && strings.IndexByte("\x1b"+"bB3e", before[n-1]) >= 0
}

// escapeLen returns the length of the end of an escape at text[from:], or 0 if no escape ends there.
func escapeLen(text []byte, from int) int {
	const longest = 5 // bytes of u003d in \u003d
	for n := 1; n <= longest && from+n <= len(text); n++ {
		if endsInEscape(text[:from+n]) {
			return n
		}
	}
	return 0
}
