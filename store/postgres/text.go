package postgres

import (
	"strings"
	"unicode/utf8"
)

// firstByte is the code point that stands for the byte 0 in the database. PostgreSQL accepts neither NUL nor invalid
// UTF-8 in a text, but logs have both. Therefore a byte b that PostgreSQL does not accept is stored as the code point
// firstByte + b. These 256 code points are the last ones of Unicode, and no character is assigned to them. If a text
// itself has such a code point, each byte of the code point is stored in this way.
const firstByte = 0x10FF00

// encode returns s as the database stores it.
func encode(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r != 0 && r < firstByte && (r != utf8.RuneError || n > 1) {
			b.WriteString(s[i : i+n])
		} else {
			for _, c := range []byte(s[i : i+n]) {
				b.WriteRune(firstByte + rune(c))
			}
		}
		i += n
	}
	return b.String()
}

func isPlain(s string) bool {
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		return false
	}
	return strings.IndexByte(s, 0xf4) < 0 || !strings.ContainsFunc(s, func(r rune) bool { return r >= firstByte })
}

// decode is the inverse of encode.
func decode(s string) string {
	if strings.IndexByte(s, 0xf4) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if r >= firstByte {
			b.WriteByte(byte(r - firstByte))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func encodeAll(list []string) []string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = encode(s)
	}
	return all
}

func decodeAll(texts ...*string) {
	for _, t := range texts {
		*t = decode(*t)
	}
}
