package redact

import "slices"

// filter is a Bloom filter of grams: it says quickly that no needle begins with a gram, and may
// wrongly say that one does.
type filter struct {
	bits  []uint64 // indexed by the hash of a gram
	parts []uint64 // the same for the two parts of three bytes of each gram
	shift int
	room  int // grams that can be added before too many others pass
}

// newFilter returns a filter for n grams. At most one in 32 of all other grams passes it.
func newFilter(n int) *filter {
	bits := 15
	for 1<<bits < 32*n && bits < 24 {
		bits++
	}
	return &filter{bits: make([]uint64, 1<<(bits-6)), parts: make([]uint64, 1<<(bits-6)), shift: 32 - bits, room: n}
}

func (f *filter) clone() *filter {
	g := *f
	g.bits, g.parts = slices.Clone(f.bits), slices.Clone(f.parts)
	return &g
}

func (f *filter) add(gram uint32) {
	f.room--
	h := (gram * gramMul) >> f.shift
	f.bits[h>>6] |= 1 << (h & 63)
	for _, part := range [2]uint32{gram << 8, gram &^ 0xff} {
		h := (part * gramMul) >> f.shift
		f.parts[h>>6] |= 1 << (h & 63)
	}
}

// passes reports whether a gram may be one that was added.
func (f *filter) passes(gram uint32) bool {
	h := (gram * gramMul) >> f.shift
	return f.bits[h>>6]>>(h&63)&1 != 0
}
