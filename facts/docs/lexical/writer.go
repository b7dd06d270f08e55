package lexical

import (
	"bytes"
	"encoding/binary"
)

// An index is little-endian:
//
//	header      five uint32: terms, blocks, words in all blocks, bytes of the dictionary, bytes of the postings
//	lengths     a uint32 for each block: the words of its body, from bit 24 those of its heading, bit 31 if it is minor
//	groups      for each group of terms three uint32: where it begins in the dictionary, postings and positions
//	dictionary  terms in order: bytes shared with the term before, other bytes, blocks, bytes of postings and positions
//	postings    see writer.posting
//	positions   of terms that are no stems: the rest
const (
	headerSize = 5 * 4
	groupSize  = 3 * 4
	inGroup    = 16 // terms of a group; the first one shares nothing
)

// lengths are the numbers of words of a block.
type lengths struct {
	body, heading int
	minor         bool
}

const (
	maxBody    = 1<<24 - 1
	maxHeading = 1<<7 - 1
	minorBit   = 1 << 31
)

// writer writes an index.
type writer struct {
	terms      int
	groups     []byte
	dictionary []byte
	postings   []byte
	positions  []byte
	last       []byte // name

	count, before               int // blocks of the term at hand, and the last of them
	postingsFrom, positionsFrom int // where it begins
}

// begin begins a term. Its positions are appended, and then their posting is added.
func (w *writer) begin() {
	w.count, w.before = 0, -1
	w.postingsFrom, w.positionsFrom = len(w.postings), len(w.positions)
}

// These are bits of the first number of a posting. Without them the term is in the body once.
const (
	oftenBit    = 1 << iota // how often it is in the body follows
	fieldBit                // how often it is in the other fields follows
	postingBits = 2
)

// posting adds a posting of the term. Its block must come after the block of the posting before.
func (w *writer) posting(p posting) {
	head := uint64(p.block-w.before) << postingBits
	w.before = p.block
	w.count++
	if p.in[Body] != 1 {
		head |= oftenBit
	}
	others := byte(0)
	for f := Heading; f < fields; f++ {
		others = others<<2 | byte(min(p.in[f], maxCount))
	}
	if others != 0 {
		head |= fieldBit
	}
	w.postings = binary.AppendUvarint(w.postings, head)
	if head&oftenBit != 0 {
		w.postings = binary.AppendUvarint(w.postings, uint64(p.in[Body]))
	}
	if head&fieldBit != 0 {
		w.postings = append(w.postings, others)
	}
}

// end ends the term and writes its name, if any block has it.
func (w *writer) end(name []byte) {
	if w.count == 0 {
		return
	}
	shared := 0
	if w.terms%inGroup == 0 {
		for _, at := range []int{len(w.dictionary), w.postingsFrom, w.positionsFrom} {
			w.groups = binary.LittleEndian.AppendUint32(w.groups, uint32(at))
		}
	} else {
		for shared < min(len(name), len(w.last)) && name[shared] == w.last[shared] {
			shared++
		}
	}
	for _, n := range []int{shared, len(name) - shared} {
		w.dictionary = binary.AppendUvarint(w.dictionary, uint64(n))
	}
	w.dictionary = append(w.dictionary, name[shared:]...)
	for _, n := range []int{w.count, len(w.postings) - w.postingsFrom, len(w.positions) - w.positionsFrom} {
		w.dictionary = binary.AppendUvarint(w.dictionary, uint64(n))
	}
	w.last = append(w.last[:0], name...)
	w.terms++
}

// index returns the index of what was written and the lengths of its blocks. of makes its parts from parts of the
// writer.
func (w *writer) index(blocks []lengths, of func(part []byte) []byte) *Index {
	x := &Index{count: w.terms, blocks: len(blocks), lengthBytes: make([]byte, 0, 4*len(blocks)),
		groups: of(w.groups), dictionary: of(w.dictionary), postings: of(w.postings), positions: of(w.positions)}
	for _, n := range blocks {
		x.words += n.body
		packed := uint32(n.body | n.heading<<24)
		if n.minor {
			packed |= minorBit
		}
		x.lengthBytes = binary.LittleEndian.AppendUint32(x.lengthBytes, packed)
	}
	return x
}

// clear empties the writer, and keeps its memory for the next use.
func (w *writer) clear() {
	*w = writer{groups: w.groups[:0], dictionary: w.dictionary[:0], postings: w.postings[:0],
		positions: w.positions[:0], last: w.last[:0]}
}

// exact returns b, or a copy if much of its memory is not used.
func exact(b []byte) []byte {
	if cap(b)-len(b) > len(b)/8 {
		return bytes.Clone(b)
	}
	return b
}
