package lexical

import (
	"bytes"
	"encoding/binary"
)

// An index is little-endian:
//
//	header      five uint32: terms, blocks, words in all bodies, bytes of the dictionary, bytes of the postings
//	lengths     a uint32 for each block: body words from bit 0, heading words from bit 24, and bit 31 for minor blocks
//	groups      for each group of terms three uint32: its offsets in the dictionary, the postings and the positions
//	dictionary  terms in order: bytes shared with the one before, other bytes, blocks, bytes of postings and positions
//	postings    see writer.posting
//	positions   the rest: positions of all terms except stems
const (
	headerSize = 5 * 4
	groupSize  = 3 * 4
	inGroup    = 16 // terms in a group; the first term of a group shares no bytes
)

// lengths holds the numbers of words of a block.
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
	last       []byte // name of the last term

	count, before               int // the current term: number of its blocks, and its last block
	postingsFrom, positionsFrom int // offsets at which the current term begins
}

// begin begins a term. For each posting, the caller first appends its positions and then calls posting.
func (w *writer) begin() {
	w.count, w.before = 0, -1
	w.postingsFrom, w.positionsFrom = len(w.postings), len(w.positions)
}

// oftenBit and fieldBit are the lowest bits of the first number of a posting. If neither bit is set, the term occurs
// once, in the body.
const (
	oftenBit    = 1 << iota // the count in the body follows
	fieldBit                // the counts in the other fields follow
	postingBits = 2
)

// posting adds a posting of the current term. Its block must come after the block of the previous posting.
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

// end ends the term. It adds the term to the dictionary if at least one block contains the term.
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

// index returns the index of the written terms, with the lengths of the blocks. It calls of with each part of the
// writer, and the index keeps the result. The function of returns the part itself or a copy.
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

// clear empties the writer, and keeps its memory for reuse.
func (w *writer) clear() {
	*w = writer{groups: w.groups[:0], dictionary: w.dictionary[:0], postings: w.postings[:0],
		positions: w.positions[:0], last: w.last[:0]}
}

// exact returns a part, or a copy of the part if much of its memory is unused.
func exact(b []byte) []byte {
	if cap(b)-len(b) > len(b)/8 {
		return bytes.Clone(b)
	}
	return b
}
