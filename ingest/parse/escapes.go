package parse

import (
	"strings"
)

// StripEscapes returns text without ANSI and other terminal control sequences.
func StripEscapes(text string) string {
	if !strings.ContainsAny(text, "\x1b\b") {
		return text
	}
	return string(stripEscapes(nil, []byte(text)))
}

// stripEscapes appends raw to dst without ANSI and terminal control sequences.
func stripEscapes(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '\x1b':
			i += escapeLen(raw[i:])
		case '\b':
			if len(dst) > 0 {
				dst = dst[:len(dst)-1]
			}
			i++
		default:
			dst = append(dst, raw[i])
			i++
		}
	}
	return dst
}

// escapeLen returns the length of the escape sequence that b starts with.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[': // CSI: parameters, then a final byte
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
			if b[i] < 0x20 {
				return i
			}
		}
		return len(b)
	case ']', '_', 'P', '^', 'X': // a string up to BEL or ESC \
		for i := 2; i < len(b); i++ {
			if b[i] == '\a' {
				return i + 1
			}
			if b[i] == '\x1b' && i+1 < len(b) && b[i+1] == '\\' {
				return i + 2
			}
		}
		return 2
	case '(', ')', '*', '+', '#', '%': // one more byte
		return min(3, len(b))
	}
	return 2
}
