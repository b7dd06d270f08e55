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
	dumps   []int32 // numbers, or single characters with marks between
}

// A kind of byte is a field of four bits, so that kinds of eight bytes can be counted by adding them.
const (
	kindStrange = 1 << (4 * iota) // controls, bytes beyond ASCII, and what encoded characters begin with
	kindOther                     // what is in no dump
	kindDigit
	kindMark // neither a letter nor a digit, nor beyond ASCII

	allOfKind = 0xf // times a kind: all bits of its field
	fewer     = 0x3 // times a kind: the bits of its field for less than four
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

// What a hint on a dump is about.
const (
	hintNumbers = 1 << iota // all bytes may be those of a dump of numbers
	hintMarks               // half of the bytes or more are marks, so a text may be spelled
)

// read finds the hints in a text.
func (h *hints) read(text []byte) {
	h.strange, h.dumps = h.strange[:0], h.dumps[:0]
	i := 0
	for ; i+8 <= len(text); i += 8 {
		w := text[i : i+8]
		n := kinds[w[0]] + kinds[w[1]] + kinds[w[2]] + kinds[w[3]] + kinds[w[4]] + kinds[w[5]] + kinds[w[6]] + kinds[w[7]]
		if n&(allOfKind*kindStrange|(allOfKind-fewer)*kindMark) == 0 && n&(allOfKind*kindOther) != 0 {
			continue
		}
		if n&(allOfKind*kindStrange) != 0 {
			h.strange = append(h.strange, int32(i))
		}
		hint := int32(i)
		if n&(allOfKind*kindOther) == 0 && n/kindDigit&allOfKind >= 2 && n/kindMark > 0 {
			hint |= hintNumbers
		}
		if n&((allOfKind-fewer)*kindMark) != 0 {
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

// nextStrange returns the first place from i on where the text shows as something else, len(text) for none. It drops
// the hints before.
func (h *hints) nextStrange(text []byte, i int) int {
	for ; len(h.strange) > 0; h.strange = h.strange[1:] {
		from := int(h.strange[0])
		for at := max(i, from); at < min(from+8, len(text)); at++ {
			if kinds[text[at]]&kindStrange != 0 && isStrange(text[at:]) && !isInside(text, at) {
				return at
			}
		}
	}
	return len(text)
}

// isInside reports whether a byte is one within a character that shows.
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

// singles returns the high bits of the letters and digits among eight bytes that have marks on both sides. It returns 0
// if there are fewer marks than a spelled text has.
func singles(text []byte) uint64 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	v := binary.LittleEndian.Uint64(text)
	if bits.OnesCount64((v|v<<1)&high) > 4 { // most are letters
		return 0
	}
	low := v &^ high
	digit := (low + (0x80-'0')*ones) &^ (low + (0x80-'9'-1)*ones) & high
	fold := low | 0x20*ones
	letter := (fold + (0x80-'a')*ones) &^ (fold + (0x80-'z'-1)*ones) & high
	mark := high &^ (digit | letter | v)
	single := (digit | letter) & (mark << 8) & (mark >> 8)
	if marks := bits.OnesCount64(mark); marks < 4 || marks < 6 && single&(single-1) == 0 {
		return 0
	}
	return single
}
