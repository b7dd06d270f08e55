package redact

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// hints are the places of a text that need a closer look. One pass finds all these places. Each place is a multiple of
// eight, and stands for the eight bytes that begin there. At the end of the text it may stand for fewer bytes.
type hints struct {
	strange []int32 // places with bytes that may be displayed as other text
	passed  int     // number of strange places before the last requested place
	dumps   []int32 // places with numbers, or with single characters between marks
}

// Each kind of byte has a field of four bits. The sum of the kinds of eight bytes contains the number of bytes of each
// kind.
const (
	kindStrange = 1 << (4 * iota) // controls, bytes beyond ASCII, and bytes that begin an escape
	kindOther                     // never part of a dump
	kindDigit
	kindMark // ASCII, but neither a letter nor a digit

	allOfKind = 0xf // a kind times this value is a mask for all bits of the kind's field
	several   = 0x4 // a kind times this value is the bit that is set if the field counts four to seven bytes
)

// kinds holds the sum of the kinds of a byte, for each byte value.
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

// These say why a place may belong to a dump.
const (
	hintNumbers = 1 << iota // all bytes may belong to a dump of numbers
	// hintMarks means that at least half of the bytes are marks, but not all of them. So the text may be spelled.
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

// nextStrange returns the first place at or after i with bytes that may be displayed as other text. It returns the
// length of the text if there is no such place. Callers must pass places in ascending order.
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

// isInside reports whether a byte is a continuation byte of a visible character.
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

// Eight bytes are processed as one number. After an addition, the high bit of each byte holds the result of a
// comparison.
const (
	ones = 0x0101010101010101
	high = 0x80 * ones
)

// masks returns the high bits of the marks, digits and letters among eight bytes. A byte beyond ASCII is never a
// mark, but counts as a digit or letter if the byte without its high bit is a digit or letter.
func masks(v uint64) (mark, digit, letter uint64) {
	low := v &^ high
	digit = (low + (0x80-'0')*ones) &^ (low + (0x80-'9'-1)*ones) & high
	fold := low | 0x20*ones
	letter = (fold + (0x80-'a')*ones) &^ (fold + (0x80-'z'-1)*ones) & high
	return high &^ (digit | letter | v), digit, letter
}

// singles returns the high bits of those letters and digits among eight bytes that have marks on both sides. It returns
// 0 if there are fewer marks than in a spelled text.
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
