package parse

import (
	"bytes"
	"strings"
)

// StripEscapes returns text without escape sequences of terminals. It also removes each backspace and the byte before
// the backspace.
func StripEscapes(text string) string {
	if !strings.ContainsAny(text, "\x1b\b") {
		return text
	}
	return string(stripEscapes(nil, []byte(text)))
}

// stripEscapes appends raw to dst, without escape sequences of terminals. It also removes each backspace and the byte
// before the backspace.
func stripEscapes(dst, raw []byte) []byte {
	if bytes.IndexByte(raw, '\b') < 0 {
		return stripColours(dst, raw)
	}
	begun := len(dst)
	for len(raw) > 0 {
		n := 0
		for n < len(raw) && raw[n] != '\x1b' && raw[n] != '\b' {
			n++
		}
		dst = append(dst, raw[:n]...)
		if raw = raw[n:]; len(raw) == 0 {
			break
		}
		if raw[0] == '\x1b' {
			raw = raw[escapeLen(raw):]
			continue
		}
		if len(dst) > begun {
			dst = dst[:len(dst)-1]
		}
		raw = raw[1:]
	}
	return dst
}

// stripColours is stripEscapes for a text without backspaces.
func stripColours(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\x1b')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i+escapeLen(raw[i:]):]
	}
}

// escapeLen returns the length of the escape sequence at the start of b.
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
