package lexical

import "encoding/binary"

// An index is little-endian:
//
//	header      five uint32: terms, blocks, words in all blocks, bytes of the dictionary, bytes of the postings
//	lengths     a uint32 for each block: the words of its body, from bit 24 those of its heading, bit 31 if it is minor
//	groups      for each group of terms three uint32: where it begins in the dictionary, postings and positions
//	dictionary  terms in order: bytes shared with the term before, other bytes, blocks, bytes of postings and positions
//	postings    see appendPosting
//	positions   the rest
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
	lengths    []lengths
	terms      int
	groups     []byte
	dictionary []byte
	postings   []byte
	positions  []byte
	last       []byte
}

// add adds the next term.
func (w *writer) add(name []byte, blocks int, postings, positions []byte) {
	shared := 0
	if w.terms%inGroup == 0 {
		for _, at := range []int{len(w.dictionary), len(w.postings), len(w.positions)} {
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
	for _, n := range []int{blocks, len(postings), len(positions)} {
		w.dictionary = binary.AppendUvarint(w.dictionary, uint64(n))
	}
	w.postings = append(w.postings, postings...)
	w.positions = append(w.positions, positions...)
	w.last = append(w.last[:0], name...)
	w.terms++
}

// bytes returns the index.
func (w *writer) bytes() []byte {
	words := 0
	for _, n := range w.lengths {
		words += n.body
	}
	out := make([]byte, 0, headerSize+4*len(w.lengths)+len(w.groups)+len(w.dictionary)+len(w.postings)+len(w.positions))
	for _, n := range []int{w.terms, len(w.lengths), words, len(w.dictionary), len(w.postings)} {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	for _, n := range w.lengths {
		packed := uint32(n.body | n.heading<<24)
		if n.minor {
			packed |= minorBit
		}
		out = binary.LittleEndian.AppendUint32(out, packed)
	}
	out = append(append(out, w.groups...), w.dictionary...)
	return append(append(out, w.postings...), w.positions...)
}
