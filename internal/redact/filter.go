package redact

import "slices"

// filter says quickly that nothing begins with a gram. It may say wrongly that
// something does.
type filter struct {
	bits  []uint64 // by the hash of a gram
	shift int
	room  int // grams that it takes before too many pass
}

// newFilter returns a filter for n grams. Of the grams that it was not told of
// one in 32 passes then, or fewer.
func newFilter(n int) *filter {
	bits := 15
	for 1<<bits < 32*n && bits < 24 {
		bits++
	}
	return &filter{bits: make([]uint64, 1<<(bits-6)), shift: 32 - bits, room: n}
}

func (f *filter) clone() *filter {
	g := *f
	g.bits = slices.Clone(f.bits)
	return &g
}

func (f *filter) add(gram uint32) {
	f.room--
	h := (gram * gramMul) >> f.shift
	f.bits[h>>6] |= 1 << (h & 63)
}
