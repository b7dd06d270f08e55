package redact

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// hints are the positions in a text that the scan examines further. One pass finds them all. Each position is a
// multiple of eight, and represents the eight bytes that begin there, or fewer at the end of the text.
type hints struct {
	strange []int32 // positions with bytes that may be displayed as other text
	passed  int     // number of strange positions before the last requested position
	dumps   []int32 // positions of bytes that may belong to a dump of numbers, or to a spelled text, with hint bits
}

// A kind of byte has a field of four bits in a number. The numbers of eight bytes are added, and then each field has
// the count of the bytes of its kind.
const (
	kindStrange = 1 << (4 * iota) // controls, bytes beyond ASCII, and bytes that begin an escape
	kindOther                     // never part of a dump
	kindDigit
	kindMark // ASCII, but neither a letter nor a digit

	allOfKind = 0xf // a kind times this value is a mask for the field of the kind
	several   = 0x4 // a kind times this value is the bit of its field that is set for a count of four to seven bytes
)

// kinds has the number of each byte value. In it, the fields for the kinds of the byte are 1, and the others are 0.
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

// The hints of a position are bits: what its eight bytes may be.
const (
	hintNumbers = 1 << iota // all bytes may belong to a dump of numbers
	// hintMarks means that four to seven of the bytes are neither letters nor digits. So a separator may be between
	// the characters of a secret: h u n t e r.
	hintMarks
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

// nextStrange returns the first index at or after i of bytes that may be displayed as other text. It returns the
// length of the text if there is none. In successive calls, i must not decrease.
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

// isInside reports whether text[at] is a later byte of a visible character beyond ASCII, and not its first byte.
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

// Eight bytes are processed as one number. The high bit of each byte is the result of a comparison.
const (
	ones = 0x0101010101010101
	high = 0x80 * ones
)

// masks compares eight bytes. The high bit of byte k in a result is set if byte k of v is a mark (ASCII, but neither
// a letter nor a digit), a digit or a letter. A byte beyond ASCII is never a mark. It is a digit or a letter if it
// is one without its high bit.
func masks(v uint64) (mark, digit, letter uint64) {
	low := v &^ high
	digit = (low + (0x80-'0')*ones) &^ (low + (0x80-'9'-1)*ones) & high
	fold := low | 0x20*ones
	letter = (fold + (0x80-'a')*ones) &^ (fold + (0x80-'z'-1)*ones) & high
	return high &^ (digit | letter | v), digit, letter
}

// singles examines the first eight bytes of a text. The high bit of byte k in the result is set if text[k] is a letter
// or digit between two marks. singles returns 0 if the bytes have too few marks for a text with a separator between its
// characters.
func singles(text []byte) uint64 {
	v := binary.LittleEndian.Uint64(text)
	if bits.OnesCount64((v|v<<1)&high) > 4 { // most bytes are letters
		return 0
	}
	mark, digit, letter := masks(v)
	single := (digit | letter) & (mark << 8) & (mark >> 8)
	if marks := bits.OnesCount64(mark); marks < 4 || marks < 6 && single&(single-1) == 0 {
		return 0
	}
	return single
}
