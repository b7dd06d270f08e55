package redact

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// filter quickly rules out places at which no needle and no shape begins. It may let other places pass, too. It
// consists of Bloom filters.
//
// For long needles, only places that are a multiple of eight are examined. One of the first eight texts of five bytes
// in a long needle always starts at such a place. For shapes and short needles, every second place is examined. The
// first three or the last three bytes of their first gram always start at such a place.
type filter struct {
	heads  []uint64  // one bit for the first gram of each needle
	texts  []uint64  // two bits for each of the first eight texts of long needles
	shapes *shapeSet // one bit for each first gram of a shape
	parts  *partSet  // values for other places: 1 for the first three bytes of a first gram, 2 for its last three bytes

	headShift, textShift int

	some, long bool // whether there are needles, and whether there are long needles
	own        bool // no other filter uses parts, so needles may be added to it

	room int // number of needles that can be added before the filter lets too many other places pass
}

// The highest bits of a hash are the index into the tables for shapes. The size of these tables is fixed, so the loop
// over the text needs fewer checks.
type (
	partSet  [1 << partBits]uint8
	shapeSet [1 << (shapeBits - 6)]uint64
)

const (
	partBits   = 17
	shapeBits  = 18
	stride     = 8
	textSize   = 5
	longNeedle = stride + textSize - 1 // min bytes of a needle that is found by its first eight texts

	gramMul    = 0x9e3779b1
	partShift  = 32 - partBits
	shapeShift = 32 - shapeBits
	partMul    = gramMul << 8 & 0xffffffff                  // hashes the first three of four bytes
	textMul    = 0x9e3779b97f4a7c15 << 24 & (1<<64 - 1<<24) // hashes the first five of eight bytes
)

// newFilter returns a filter for shapes and for n needles. Among these needles, short is the number of short needles.
func newFilter(n, short int, shapes *shapeTable) *filter {
	heads, texts := powerOfTwo(16*n, 12, 24), powerOfTwo(stride*8*(n-short), 12, 24)
	return &filter{
		heads: make([]uint64, 1<<(heads-6)), headShift: 32 - heads,
		texts: make([]uint64, 1<<(texts-6)), textShift: 64 - (texts - 6),
		shapes: &shapes.heads, parts: &shapes.parts, room: n,
	}
}

// powerOfTwo returns the smallest exponent whose power of two is at least n. The exponent is between least and limit.
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

func (f *filter) add(text string) {
	f.room--
	f.some = true
	h := gramOf(text) * gramMul >> f.headShift
	f.heads[h>>6] |= 1 << (h & 63)
	if len(text) < longNeedle {
		if !f.own {
			parts := *f.parts
			f.parts, f.own = &parts, true
		}
		f.parts.add(gramOf(text))
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

// isCut reports whether the end of the text may cut off a long needle. The function skip misses such a needle.
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

// textBits returns the two bits of a hash in a word of the table. The highest bits of the hash select the word.
func textBits(h uint64) uint64 { return 1<<(h>>40&63) | 1<<(h>>34&63) }

// skip examines blocks of eight places in a part of the text. It returns the beginning of the first block in which a
// needle or a shape may begin. places has a bit for each such place of the block. skip stops at the end of the part,
// and before the last sixteen bytes of the text.
func (f *filter) skip(text []byte, at, to int) (next int, places uint8) {
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
			if places = f.begun(w, a|b<<2|c<<4|d<<6); places != 0 {
				return at, places
			}
		}
	}
	return at, 0xff
}

// skipShort is like skip, for a filter without long needles.
func (f *filter) skipShort(text []byte, at, to int) (next int, places uint8) {
	parts := f.parts
	for ; at < to && at+16 <= len(text); at += stride {
		w := text[at : at+16]
		a := parts[binary.LittleEndian.Uint32(w[1:])*partMul>>partShift]
		b := parts[binary.LittleEndian.Uint32(w[3:])*partMul>>partShift]
		c := parts[binary.LittleEndian.Uint32(w[5:])*partMul>>partShift]
		d := parts[binary.LittleEndian.Uint32(w[7:])*partMul>>partShift]
		if a|b|c|d != 0 {
			if places = f.begun(w, a|b<<2|c<<4|d<<6); places != 0 {
				return at, places
			}
		}
	}
	return at, 0xff
}

// begun returns the places at which a needle or a shape may begin, as a subset of the given places.
func (f *filter) begun(text []byte, places uint8) (begun uint8) {
	for ; places != 0; places &= places - 1 {
		i := bits.TrailingZeros8(places)
		if gram := binary.LittleEndian.Uint32(text[i : i+gramSize]); f.shape(gram) || f.some && f.needle(gram) {
			begun |= 1 << i
		}
	}
	return begun
}
