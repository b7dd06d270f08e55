package redact

import (
	"math/bits"
)

// dumpStyle is a way to interpret a word of a dump, for example as hex, decimal or octal digits.
type dumpStyle uint8

const (
	dumpHex     dumpStyle = iota // 68 or 6875, first byte first
	dumpSwapped                  // 7568, last byte first
	dumpDecimal                  // 104; two-byte words have the last byte first
	dumpOctal                    // 150; two-byte words have the last byte first
	dumpBinary
	dumpStyles
)

// number is a word of a dump, and the bytes that it represents in each style.
type number struct {
	from, to int
	word     int   // index among the words of its line
	skip     bool  // the number is a field name, or a zero between bytes
	styles   uint8 // bit set of the styles in which the word is a number
	size     [dumpStyles]uint8
	value    [dumpStyles]uint64 // the bytes of the number, the first byte lowest
}

// set records the bytes that the number represents in the given style. It records nothing if one of the bytes is a
// control character other than NUL, tab, newline and carriage return.
func (n *number) set(style dumpStyle, value uint64, size int) {
	for v, i := value, 0; i < size; v, i = v>>8, i+1 {
		if b := byte(v); b < ' ' && b != 0 && b != '\t' && b != '\n' && b != '\r' {
			return
		}
	}
	n.styles |= 1 << style
	n.size[style], n.value[style] = uint8(size), value
}

// read interprets a word in each style. escaped is true for a word after a backslash.
func (n *number) read(word []byte, escaped bool) {
	n.styles = 0
	digits := word
	switch {
	case len(word) > 2 && word[0] == '0' && word[1]|0x20 == 'x':
		digits = word[2:]
	case escaped && len(word) > 1 && (word[0]|0x20 == 'x' || word[0]|0x20 == 'u'):
		digits = word[1:]
	case len(word) > 2 && word[0] == '0' && word[1]|0x20 == 'o':
		n.readBase(word[2:], dumpOctal, 3)
		return
	case len(word) > 6 && len(word) <= 10 && word[0] == '0' && word[1]|0x20 == 'b':
		n.readBase(word[2:], dumpBinary, 1)
		return
	}
	if len(digits) < 2 || len(digits) > 16 || len(digits)%2 != 0 && len(digits) > 5 && len(digits) != 7 {
		return
	}
	var hex, decimal, octal, binary uint64
	highest := byte(0)
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return
		}
		highest = max(highest, c)
		hex, decimal, octal, binary = hex<<4|uint64(c), decimal*10+uint64(c), octal<<3|uint64(c), binary<<1|uint64(c)
	}
	if size := len(digits) / 2; len(digits)%2 == 0 {
		n.set(dumpHex, bits.ReverseBytes64(hex)>>(64-8*size), size)
		if size > 1 {
			n.set(dumpSwapped, hex, size)
		}
	}
	switch {
	case highest >= 10:
	case len(word) <= 3 && decimal <= 0xff:
		n.set(dumpDecimal, decimal, 1)
	case len(word) == 5 && decimal <= 0xffff:
		n.set(dumpDecimal, decimal, 2)
	}
	switch {
	case highest >= 8:
	case octal <= 0xff && (len(digits) == 3 || len(digits) == 4 && digits[0] == '0'):
		n.set(dumpOctal, octal, 1)
	case octal <= 0xffff && len(digits) == 6:
		n.set(dumpOctal, octal, 2)
	}
	if highest < 2 && len(digits) >= 6 && len(digits) <= 8 && (len(digits) > 6 || digits[0] == '1') {
		n.set(dumpBinary, binary, 1)
	}
}

// readBase interprets digits in a style. Each digit represents the given number of bits.
func (n *number) readBase(digits []byte, style dumpStyle, bits int) {
	var v uint64
	for _, c := range digits {
		if c < '0' || c >= '0'+1<<bits {
			return
		}
		v = v<<bits | uint64(c-'0')
	}
	if v <= 0xff {
		n.set(style, v, 1)
	}
}

// next reads the next word of text[at:]. The result gap reports whether only a few separators are before the word.
// ok is false if there is no further word.
func (n *number) next(text []byte, at int) (gap, ok bool) {
	from := at
	between := uint8(wordGap)
	for from < len(text) && wordKinds[text[from]]&wordPart == 0 {
		between &= wordKinds[text[from]]
		from++
	}
	if from == len(text) {
		return between != 0, false
	}
	to := from
	digits := uint8(wordNumber)
	for to < len(text) && wordKinds[text[to]]&wordPart != 0 {
		digits &= wordKinds[text[to]]
		to++
	}
	n.styles = 0
	if to-from > 1 && to-from <= maxNumber && (digits != 0 || text[from]|0x20 == 'u') {
		n.read(text[from:to], from > 0 && text[from-1] == '\\')
	}
	n.from, n.to = from, to
	n.skip = to == from+1 && text[from] == '0' || isKeyEnd(text, to)
	return between != 0 && from-at <= maxGap, true
}

// isKeyEnd reports whether text[at:] begins with the end of a key. In an object, a key ends with a quote and a colon.
// In a PHP array, a key ends with "] =>".
func isKeyEnd(text []byte, at int) bool {
	if at+1 >= len(text) {
		return false
	}
	switch text[at] {
	case '"', '\'':
		return text[at+1] == ':'
	case ']':
		return hasHead(text[at:], "] =>")
	}
	return false
}
