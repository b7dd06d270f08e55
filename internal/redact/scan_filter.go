package redact

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// filter quickly finds the positions at which a needle or a shape may begin. It consists of Bloom filters, so some of
// the positions that it finds are wrong.
type filter struct {
	heads  []uint64  // one bit for the first gram of each needle
	texts  []uint64  // two bits for each text of textSize bytes that begins in the first eight bytes of a long needle
	shapes *shapeSet // one bit for each first gram of a shape
	parts  *partSet  // values: 1 for the last three bytes of a first gram, 2 for its first three bytes

	headShift, textShift int

	some, long bool // whether there are needles, and whether there are long needles
	own        bool // no other filter uses parts, so needles may be added to it

	room int // number of needles that can be added before the filter lets too many other positions pass
}

// The highest bits of a hash are an index in these tables. The tables have a fixed size, so the loop over the text
// needs no check whether an index is valid.
type (
	partSet  [1 << partBits]uint8
	shapeSet [1 << (shapeBits - 6)]uint64
)

const (
	partBits   = 17
	shapeBits  = 18
	stride     = 8
	textSize   = 5
	longNeedle = stride + textSize - 1 // min bytes of a needle that is found by the texts in it

	gramMul    = 0x9e3779b1
	partShift  = 32 - partBits
	shapeShift = 32 - shapeBits
	partMul    = gramMul << 8 & 0xffffffff                  // hashes the first three of four bytes
	textMul    = 0x9e3779b97f4a7c15 << 24 & (1<<64 - 1<<24) // hashes the first five of eight bytes
)

// newFilter returns a filter for shapes and for n needles. The argument short is the number of those that are
// shorter than longNeedle.
func newFilter(n, short int, shapes *shapeTable) *filter {
	heads, texts := powerOfTwo(16*n, 12, 24), powerOfTwo(stride*8*(n-short), 12, 24)
	return &filter{
		heads: make([]uint64, 1<<(heads-6)), headShift: 32 - heads,
		texts: make([]uint64, 1<<(texts-6)), textShift: 64 - (texts - 6),
		shapes: &shapes.heads, parts: &shapes.parts, room: n,
	}
}

// powerOfTwo returns the smallest exponent from least to limit whose power of two is at least n. If there is none,
// it returns limit.
func powerOfTwo(n, least, limit int) int {
	for least < limit && 1<<least < n {
		least++
	}
	return least
}

func (f *filter) clone() *filter {
	g := *f
	g.own = false
	g.heads, g.texts = slices.Clone(f.heads), slices.Clone(f.texts)
	return &g
}

// add adds a needle. A short needle is found by its first gram. So is the value itself, because its shortened beginning
// may have none of the texts by which a long needle is found.
func (f *filter) add(n needle) {
	text := n.text
	f.room--
	f.some = true
	h := gramOf(text) * gramMul >> f.headShift
	f.heads[h>>6] |= 1 << (h & 63)
	if len(text) < longNeedle || n.plain {
		if !f.own {
			parts := *f.parts
			f.parts, f.own = &parts, true
		}
		f.parts.add(gramOf(text))
	}
	if len(text) < longNeedle {
		return
	}
	f.long = true
	for i := range stride {
		h := (uint64(gramOf(text[i:])) | uint64(text[i+gramSize])<<32) * textMul
		f.texts[h>>f.textShift] |= textBits(h)
	}
}

func (p *partSet) add(gram uint32) {
	p[gram*partMul>>partShift] |= 2
	p[gram>>8*partMul>>partShift] |= 1
}

func (s *shapeSet) add(gram uint32) {
	h := gram * gramMul >> shapeShift
	s[h>>6] |= 1 << (h & 63)
}

// needle reports whether a gram may begin a needle.
func (f *filter) needle(gram uint32) bool {
	h := gram * gramMul >> (f.headShift & 31)
	return f.heads[h>>6]>>(h&63)&1 != 0
}

// shape reports whether a gram may begin a shape.
func (f *filter) shape(gram uint32) bool {
	h := gram * gramMul >> shapeShift
	return f.shapes[h>>6]>>(h&63)&1 != 0
}

// isCut reports whether a long needle may begin near the end of the text and be cut off there. The method skip does
// not find such a needle.
func (f *filter) isCut(text []byte) bool {
	n := len(text)
	if n < gramSize {
		return false
	}
	if f.needle(binary.LittleEndian.Uint32(text[n-gramSize:])) {
		return true
	}
	if n < 8 {
		return true
	}
	h := binary.LittleEndian.Uint64(text[n-8:]) >> (8 * (8 - textSize)) * textMul
	return textBits(h)&^f.texts[h>>f.textShift] == 0
}

// textBits returns a word of the table in which one or two bits are set. A hash selects these bits. The index of the
// word comes from other bits of the hash.
func textBits(h uint64) uint64 { return 1<<(h>>40&63) | 1<<(h>>34&63) }

// skip examines blocks of eight bytes in text[at:to]. It returns the index of the first block in which a needle or a
// shape may begin. Bit i of the result positions is set if one may begin at byte i of this block. If there is no such
// block, the result next is the index of the first byte that was not examined, and all bits are set.
func (f *filter) skip(text []byte, at, to int) (next int, positions uint8) {
	if !f.long {
		return f.skipShort(text, at, to)
	}
	parts, texts, textShift := f.parts, f.texts, f.textShift&63
	for ; at < to && at+16 <= len(text); at += stride {
		w := text[at : at+16]
		v := binary.LittleEndian.Uint64(w[7:])
		a := parts[binary.LittleEndian.Uint32(w[1:])*partMul>>partShift]
		b := parts[binary.LittleEndian.Uint32(w[3:])*partMul>>partShift]
		c := parts[binary.LittleEndian.Uint32(w[5:])*partMul>>partShift]
		d := parts[uint32(v)*partMul>>partShift]
		h := v * textMul
		if textBits(h)&^texts[h>>textShift] == 0 {
			return at, 0xff
		}
		if a|b|c|d != 0 {
			if positions = f.begun(w, a|b<<2|c<<4|d<<6); positions != 0 {
				return at, positions
			}
		}
	}
	return at, 0xff
}

// skipShort is like skip, for a filter without long needles.
func (f *filter) skipShort(text []byte, at, to int) (next int, positions uint8) {
	parts := f.parts
	for ; at < to && at+16 <= len(text); at += stride {
		w := text[at : at+16]
		a := parts[binary.LittleEndian.Uint32(w[1:])*partMul>>partShift]
		b := parts[binary.LittleEndian.Uint32(w[3:])*partMul>>partShift]
		c := parts[binary.LittleEndian.Uint32(w[5:])*partMul>>partShift]
		d := parts[binary.LittleEndian.Uint32(w[7:])*partMul>>partShift]
		if a|b|c|d != 0 {
			if positions = f.begun(w, a|b<<2|c<<4|d<<6); positions != 0 {
				return at, positions
			}
		}
	}
	return at, 0xff
}

// begun returns the given positions at which a needle or a shape may begin. In both sets, bit i stands for text[i].
func (f *filter) begun(text []byte, positions uint8) (begun uint8) {
	for ; positions != 0; positions &= positions - 1 {
		i := bits.TrailingZeros8(positions)
		if gram := binary.LittleEndian.Uint32(text[i : i+gramSize]); f.shape(gram) || f.some && f.needle(gram) {
			begun |= 1 << i
		}
	}
	return begun
}
