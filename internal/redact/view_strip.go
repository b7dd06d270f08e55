package redact

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

const (
	// maxSequence is the max length in bytes of an escape sequence. The further bytes of a longer sequence are text.
	maxSequence = 4 << 10
	// maxString is the max length in bytes of an escape sequence that has a string on one line, such as an image.
	maxString = 60 << 10
)

// plainByte has the bytes that are displayed unchanged.
var plainByte = func() (set class) {
	for c := range set {
		set[c] = c >= ' ' && c < 0x7f || c == '\n' || c == '\t'
	}
	return set
}()

// strip fills the view with the visible form of a text. If erases is set, a backspace removes the character before it.
// If final is not set, further text may follow. If an escape sequence or a character is then incomplete at the end of
// the text, keep is the index at which it begins. Otherwise keep is the length of the text.
func (v *view) strip(raw []byte, erases, final bool) (keep int) {
	v.reset()
	for i := 0; i < len(raw); {
		plain := i
		for i < len(raw) && plainByte[raw[i]] {
			i++
		}
		if v.copy(raw[plain:i], plain); i == len(raw) {
			break
		}
		switch c := raw[i]; {
		case c == '\x1b':
			n, more := sequence(raw[i:], final)
			if more {
				return i
			}
			i += n
		case c < utf8.RuneSelf:
			if c == '\b' && erases {
				v.erase()
			}
			i++
		default:
			n, more := v.character(raw, i, final)
			if more {
				return i
			}
			i += n
		}
	}
	return len(raw)
}

// character adds the visible form of the character beyond ASCII at raw[i], and returns the length of the character. For
// U+009B, it adds nothing, and returns the length of the escape sequence that begins there. The result more is true if
// further text is needed.
func (v *view) character(raw []byte, i int, final bool) (n int, more bool) {
	b := raw[i:]
	if r, n := overlong(b); n > 0 {
		v.add(r, i, i+n)
		return n, false
	}
	if !final && !utf8.FullRune(b) {
		return 0, true
	}
	r, n := utf8.DecodeRune(b)
	switch {
	case r == utf8.RuneError && n == 1, unseen(r):
		return n, false
	case r == '\u009b':
		skip, more := sequence(b, final)
		return skip, more
	}
	if isWide(r) {
		v.add(byte(r-wide), i, i+n)
		return n, false
	}
	if isBlank(r) {
		v.add(' ', i, i+n)
		return n, false
	}
	v.addAll(b[:n], i, i+n)
	return n, false
}

// wide is the difference between the codes of an ASCII character and of its full-width form.
const wide = '\uff01' - '!'

// isWide reports whether a character is the full-width form of an ASCII character, as in Chinese and Japanese texts.
func isWide(r rune) bool { return r > ' '+wide && r < 0x7f+wide }

// isBlank reports whether a character is a space beyond ASCII.
func isBlank(r rune) bool {
	return r >= 0x2000 && r <= 0x200a || r == 0x202f || r == 0x205f || r == 0x2800 || r == 0x3000
}

// overlong decodes an ASCII character in an overlong UTF-8 encoding. n is the length of the encoding, or 0 for none.
func overlong(b []byte) (c byte, n int) {
	switch {
	case b[0]&0xfe == 0xc0:
		n = 2
	case b[0] == 0xe0 && len(b) > 1 && b[1] < 0xa0:
		n = 3
	case b[0] == 0xf0 && len(b) > 1 && b[1] < 0x90:
		n = 4
	}
	if n == 0 || len(b) < n {
		return 0, 0
	}
	r := 0
	for _, x := range b[1:n] {
		if x&0xc0 != 0x80 {
			return 0, 0
		}
		r = r<<6 | int(x&0x3f)
	}
	if n == 2 {
		r |= int(b[0]&1) << 6
	}
	return byte(r), map[bool]int{true: n}[r < utf8.RuneSelf]
}

// unseenTables contain the invisible characters: combining marks and characters without width.
var unseenTables = []*unicode.RangeTable{unicode.Mn, unicode.Me, unicode.Cf, unicode.Zl, unicode.Zp,
	unicode.Variation_Selector}

// unseenPages[n] is true if one of the 256 characters that begin at 0x100*n may be invisible.
var unseenPages = func() (pages [256]bool) {
	for _, t := range unseenTables {
		for _, r := range t.R16 {
			for page := r.Lo >> 8; page <= r.Hi>>8; page++ {
				pages[page] = true
			}
		}
	}
	return pages
}()

// unseen reports whether a character beyond ASCII is invisible: a control character, a combining mark, or a character
// without width. It returns false for U+009B, because this control character begins an escape sequence.
func unseen(r rune) bool {
	switch {
	case r < 0xa0:
		return r != '\u009b'
	case r < 0x300:
		return r == 0xad
	}
	switch {
	case r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0:
		return true
	case r>>8 == 0x20: // dashes, quotes and bullets
		return r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x2064 ||
			r >= 0x2066 && r <= 0x206f || r >= 0x20d0 && r <= 0x20f0
	case r>>8 == 0xff: // full-width forms
		return r >= 0xfff9 && r <= 0xfffb
	case r>>12 == 0x1f: // pictures
		return false
	}
	return (r >= 0x10000 || unseenPages[r>>8]) && unicode.In(r, unseenTables...)
}

// sequence returns the length of the escape sequence at the beginning of a text. The result more is true if the text
// ends within the sequence and final is not set.
func sequence(b []byte, final bool) (n int, more bool) {
	const intro = 2   // bytes of ESC [, and of U+009B in UTF-8
	kind := byte('[') // the character that U+009B replaces
	if b[0] == '\x1b' {
		if len(b) < intro {
			return 1, !final
		}
		kind = b[1]
	}
	head := b[:min(len(b), maxSequence)]
	whole := final
	final = final || len(head) == maxSequence
	switch kind {
	case '[':
		for i := intro; i < len(head); i++ {
			if head[i] >= 0x40 && head[i] <= 0x7e {
				return i + 1, false
			}
			if endsSequence(head[i]) {
				return i, false
			}
		}
		return len(head), !final
	case ']', '_', 'P', '^', 'X':
		return stringSequence(b, whole)
	case '(', ')', '*', '+', '#', '%':
		return min(3, len(b)), !final && len(b) < 3
	case '\x1b':
		return 1, false // the second byte begins a new sequence
	}
	return 2, false
}

// endsSequence reports whether a control character ends an unfinished escape sequence. A terminal executes other
// control characters and continues the sequence.
func endsSequence(c byte) bool { return c == '\n' || c == '\x1b' || c == '\x18' || c == '\x1a' }

// stringSequence returns the length of an escape sequence with a string. BEL or ESC \ ends the string. If this end is
// missing, only the first two bytes are the sequence. The result more is true if the text ends within the string and
// final is not set.
func stringSequence(b []byte, final bool) (n int, more bool) {
	const intro = 2
	head := b[:min(len(b), maxString)]
	final = final || len(b) > maxString && len(head) == maxString
	if line := bytes.IndexByte(head, '\n'); line > maxSequence || line >= 0 && len(head) > maxSequence {
		head, final = head[:max(line, maxSequence)], true
	}
	for i := intro; i < len(head); i++ {
		if head[i] == '\a' {
			return i + 1, false
		}
		if head[i] == '\x1b' && i+1 < len(head) && head[i+1] == '\\' {
			return i + 2, false
		}
	}
	return intro, !final
}

// isStrange reports whether a text begins with bytes that may be displayed or decoded as other characters, or as none.
func isStrange(text []byte) bool {
	switch c := text[0]; {
	case c == '\n' || c == '\t':
		return false
	case c == '\r':
		return len(text) < 2 || text[1] != '\n'
	case c == '%' || c == '&' || c == '\\':
		_, n, more := code(text, false)
		return n > 0 || more
	case c < utf8.RuneSelf:
		return true
	}
	r, _ := utf8.DecodeRune(text)
	return r == utf8.RuneError || r == '\u009b' || unseen(r) || isWide(r) || isBlank(r)
}
