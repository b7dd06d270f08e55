package redact

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// hints are the places of a text that must be looked at more closely, found in one pass. Each is a multiple of eight
// and stands for eight bytes, fewer at the end of the text.
type hints struct {
	strange []int32 // bytes that may show as something else
	passed  int     // how many of these are before the place that was asked for last
	dumps   []int32 // numbers, or single characters with marks between
}

// A kind of byte is a field of four bits, so that kinds of eight bytes can be counted by adding them.
const (
	kindStrange = 1 << (4 * iota) // controls, bytes beyond ASCII, and what encoded characters begin with
	kindOther                     // what is in no dump
	kindDigit
	kindMark // neither a letter nor a digit, nor beyond ASCII

	allOfKind = 0xf // times a kind: all bits of its field
	several   = 0x4 // times a kind: the bit of its field for four to seven
)

// kinds has the kinds of all bytes.
var kinds = func() (list [256]uint32) {
	for i := range list {
		c := byte(i)
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f || c == '%' || c == '&' || c == '\\' {
			list[i] |= kindStrange
		}
		if !dumpByte[c] {
			list[i] |= kindOther
		}
		if c >= '0' && c <= '9' {
			list[i] |= kindDigit
		}
		if !alnum[c] && c < utf8.RuneSelf {
			list[i] |= kindMark
		}
	}
	return list
}()

// These say what a hint on a dump is about.
const (
	hintNumbers = 1 << iota // all bytes may be those of a dump of numbers
	hintMarks               // half of the bytes or more are marks, but not all, so a text may be spelled
)

// read finds the hints in a text.
func (h *hints) read(text []byte) {
	h.strange, h.passed, h.dumps = h.strange[:0], 0, h.dumps[:0]
	i := 0
	for ; i+8 <= len(text); i += 8 {
		w := text[i : i+8]
		n := kinds[w[0]] + kinds[w[1]] + kinds[w[2]] + kinds[w[3]] + kinds[w[4]] + kinds[w[5]] + kinds[w[6]] + kinds[w[7]]
		if n&(allOfKind*kindStrange|several*kindMark) == 0 && n&(allOfKind*kindOther) != 0 {
			continue
		}
		if n&(allOfKind*kindStrange) != 0 {
			h.strange = append(h.strange, int32(i))
		}
		hint := int32(i)
		if n&(allOfKind*kindOther) == 0 && n/kindDigit&allOfKind >= 2 && n/kindMark > 0 {
			hint |= hintNumbers
		}
		if n&(several*kindMark) != 0 {
			hint |= hintMarks
		}
		if hint&(hintNumbers|hintMarks) != 0 {
			h.dumps = append(h.dumps, hint)
		}
	}
	for at := i; at < len(text); at++ {
		if kinds[text[at]]&kindStrange != 0 {
			h.strange = append(h.strange, int32(i))
			break
		}
	}
}

// nextStrange returns the first place from i on where the text shows as something else, len(text) for none. Places are
// asked for in their order.
func (h *hints) nextStrange(text []byte, i int) int {
	for ; h.passed < len(h.strange); h.passed++ {
		from := int(h.strange[h.passed])
		for at := max(i, from); at < min(from+8, len(text)); at++ {
			if kinds[text[at]]&kindStrange != 0 && isStrange(text[at:]) && !isInside(text, at) {
				return at
			}
		}
	}
	return len(text)
}

// isInside reports whether a byte lies within a character that shows.
func isInside(text []byte, at int) bool {
	if text[at]&0xc0 != 0x80 {
		return false
	}
	from := at
	for from > 0 && at-from < utf8.UTFMax-1 && text[from]&0xc0 == 0x80 {
		from--
	}
	r, n := utf8.DecodeRune(text[from:])
	return n > at-from && r != '\u009b' && !unseen(r)
}

// Eight bytes are looked at as one number. A sum tells in the high bit of each byte how it compares.
const (
	ones = 0x0101010101010101
	high = 0x80 * ones
)

// masks returns the high bits of the marks, the digits and the letters among eight bytes. A byte beyond ASCII is no
// mark; it counts as what it is without its high bit.
func masks(v uint64) (mark, digit, letter uint64) {
	low := v &^ high
	digit = (low + (0x80-'0')*ones) &^ (low + (0x80-'9'-1)*ones) & high
	fold := low | 0x20*ones
	letter = (fold + (0x80-'a')*ones) &^ (fold + (0x80-'z'-1)*ones) & high
	return high &^ (digit | letter | v), digit, letter
}

// singles returns the high bits of the letters and digits among eight bytes that have marks on both sides. It returns 0
// if there are fewer marks than a spelled text has.
func singles(text []byte) uint64 {
	v := binary.LittleEndian.Uint64(text)
	if bits.OnesCount64((v|v<<1)&high) > 4 { // most are letters
		return 0
	}
	mark, digit, letter := masks(v)
	single := (digit | letter) & (mark << 8) & (mark >> 8)
	if marks := bits.OnesCount64(mark); marks < 4 || marks < 6 && single&(single-1) == 0 {
		return 0
	}
	return single
}
