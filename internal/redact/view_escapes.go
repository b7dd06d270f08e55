package redact

import (
	"bytes"
	"html"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxCode is the max length in bytes of an escaped character.
const maxCode = 18

// decode fills the view with the text of the view coded, and decodes its escapes: %41, \x41, \u0041, \101 and &#65;.
// If the text ends within an escape, keep is the index of the escape in the raw text. ok reports whether there is an
// escape.
func (v *view) decode(coded *view, final bool) (keep int, ok bool) {
	v.reset()
	done := 0
	marks := codeMarks{-1, -1, -1}
	for i := 0; ; {
		if i = marks.next(coded.text, i); i == len(coded.text) {
			break
		}
		text, n, more := code(coded.text[i:], final)
		if more {
			v.take(coded, done, i)
			keep, _ = coded.position(i)
			return keep, true
		}
		if n == 0 {
			i++
			continue
		}
		ok = true
		v.take(coded, done, i)
		pos, _ := coded.position(i)
		_, end := coded.position(i + n - 1)
		v.addAll(text, pos, end)
		i += n
		done = i
	}
	if ok {
		v.take(coded, done, len(coded.text))
	}
	return math.MaxInt, ok
}

// codeMarks has the next index of each character that begins an escape.
type codeMarks [3]int

// next returns the first index at or after i of a character that begins an escape. It returns the length of the text
// if there is none.
func (m *codeMarks) next(text []byte, i int) int {
	first := len(text)
	for k, mark := range [...]byte{'%', '&', '\\'} {
		if m[k] < i {
			m[k] = len(text)
			if n := bytes.IndexByte(text[i:], mark); n >= 0 {
				m[k] = i + n
			}
		}
		first = min(first, m[k])
	}
	return first
}

// code decodes the escape at the beginning of a text. n is the length of the escape, or 0 for none. undecided is
// true if the text may end within an escape.
func code(b []byte, final bool) (text []byte, n int, undecided bool) {
	switch b[0] {
	case '%':
		if len(b) > 1 && b[1] == 'u' {
			text, n, undecided = hexCode(b, 2, 4)
		} else {
			text, n, undecided = hexCode(b, 1, 2)
		}
	case '&':
		text, n, undecided = entity(b)
	case '\\':
		text, n, undecided = backslash(b)
	}
	return text, n, undecided && !final
}

// hexCode decodes a byte from two hex digits, or a character from more digits. mark is the number of characters before
// the digits, such as \x. The results are like those of the function code.
func hexCode(b []byte, mark, digits int) (text []byte, n int, more bool) {
	end := mark
	for end < len(b) && end < mark+digits && isHex(b[end]) {
		end++
	}
	if end < mark+digits {
		return nil, 0, end == len(b)
	}
	c, _ := strconv.ParseUint(string(b[mark:end]), 16, 32)
	if digits == 2 {
		return []byte{byte(c)}, end, false
	}
	return utf8.AppendRune(nil, rune(c)), end, false
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func entity(b []byte) (text []byte, n int, more bool) {
	head := b[:min(len(b), maxCode)]
	for i, c := range head[1:] {
		switch {
		case c == ';':
			whole := string(head[:i+2])
			if plain := html.UnescapeString(whole); plain != whole && i > 0 {
				return []byte(plain), i + 2, false
			}
			return nil, 0, false
		case c == '#' && i == 0, c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z':
		default:
			return nil, 0, false
		}
	}
	return nil, 0, len(b) < maxCode
}

func backslash(b []byte) (text []byte, n int, more bool) {
	if len(b) < 2 {
		return nil, 0, true
	}
	switch c := b[1]; {
	case (c == 'x' || c == 'u') && len(b) > 2 && b[2] == '{':
		return braced(b)
	case c == 'x':
		return hexCode(b, 2, 2)
	case c == 'u':
		return unicode16(b)
	case c == 'U':
		return hexCode(b, 2, 8)
	case c >= '0' && c <= '7':
		return octal(b)
	case (c == 'e' || c == 'E') && len(b) == 2:
		return nil, 0, true
	case (c == 'e' || c == 'E') && (b[2] == '[' || b[2] == ']'):
		return []byte{'\x1b'}, 2, false
	case c > ' ' && c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z' && c < 0x7f:
		// Markdown escapes these characters with a backslash.
		return b[1:2], 2, false
	}
	return nil, 0, false
}

// braced decodes \u{41} and \x{41}. The results are like those of the function code.
func braced(b []byte) (text []byte, n int, more bool) {
	head := b[:min(len(b), maxCode)]
	end := bytes.IndexByte(head, '}')
	if end < 0 {
		return nil, 0, len(head) < maxCode
	}
	c, err := strconv.ParseUint(string(head[3:end]), 16, 32)
	if err != nil {
		return nil, 0, false
	}
	return utf8.AppendRune(nil, rune(c)), end + 1, false
}

// unicode16 decodes \u0041, and two such escapes that are a surrogate pair. The results are like those of the
// function code.
func unicode16(b []byte) (text []byte, n int, more bool) {
	end := 2
	for end < len(b) && end < 6 && isHex(b[end]) {
		end++
	}
	if end < 6 {
		return nil, 0, end == len(b)
	}
	c, _ := strconv.ParseUint(string(b[2:6]), 16, 32)
	if !utf16.IsSurrogate(rune(c)) {
		return utf8.AppendRune(nil, rune(c)), 6, false
	}
	if len(b) < 12 {
		return nil, 0, true
	}
	low, err := strconv.ParseUint(string(b[8:12]), 16, 32)
	if err != nil || b[6] != '\\' || b[7] != 'u' {
		return nil, 0, false
	}
	return utf8.AppendRune(nil, utf16.DecodeRune(rune(c), rune(low))), 12, false
}

func octal(b []byte) (text []byte, n int, more bool) {
	c := 0
	for i := 1; i < 4; i++ {
		if i == len(b) {
			return nil, 0, true
		}
		if b[i] < '0' || b[i] > '7' {
			return []byte{byte(c)}, i, false
		}
		c = c<<3 | int(b[i]-'0')
	}
	return []byte{byte(c)}, 4, false
}
