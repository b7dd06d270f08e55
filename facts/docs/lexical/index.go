package lexical

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sort"
)

// Index is an index in memory. It is safe for concurrent use.
type Index struct {
	count       int // number of terms
	blocks      int
	words       int
	lengthBytes []byte
	groups      []byte
	dictionary  []byte
	postings    []byte
	positions   []byte
	scratch     scratchPool
}

// errBroken is the error that Open returns.
var errBroken = errors.New("the search index is broken")

// Parts returns the parts of the index. Open reads them joined together.
func (x *Index) Parts() [][]byte {
	var header []byte
	for _, n := range []int{x.count, x.blocks, x.words, len(x.dictionary), len(x.postings)} {
		header = binary.LittleEndian.AppendUint32(header, uint32(n))
	}
	return [][]byte{header, x.lengthBytes, x.groups, x.dictionary, x.postings, x.positions}
}

// Open returns the index that the given bytes encode. The index keeps these bytes. Open itself reads only the sizes
// of the parts.
func Open(b []byte) (*Index, error) {
	if len(b) < headerSize {
		return nil, errBroken
	}
	var header [5]int
	for i := range header {
		header[i] = int(binary.LittleEndian.Uint32(b[4*i:]))
	}
	x := &Index{count: header[0], blocks: header[1], words: header[2]}
	rest := b[headerSize:]
	for _, part := range []struct {
		to   *[]byte
		size int
	}{
		{&x.lengthBytes, 4 * x.blocks}, {&x.groups, (x.count + inGroup - 1) / inGroup * groupSize},
		{&x.dictionary, header[3]}, {&x.postings, header[4]},
	} {
		if part.size > len(rest) {
			return nil, errBroken
		}
		*part.to, rest = rest[:part.size], rest[part.size:]
	}
	x.positions = rest
	return x, nil
}

// Blocks returns the number of blocks.
func (x *Index) Blocks() int { return x.blocks }

// lengths returns the lengths of a block. They are zero if the index has no such block.
func (x *Index) lengths(block int) lengths {
	if block < 0 || block >= x.blocks {
		return lengths{}
	}
	n := binary.LittleEndian.Uint32(x.lengthBytes[4*block:])
	return lengths{int(n & maxBody), int(n >> 24 & maxHeading), n&minorBit != 0}
}

// term is an entry of the dictionary.
type term struct {
	name      []byte
	blocks    int
	encoded   []byte
	positions []byte
}

func (t term) postings() postings {
	return postings{blocks: t.encoded, positions: t.positions, last: -1}
}

// dictionaryReader reads the entries of the dictionary in order.
type dictionaryReader struct {
	index *Index
	term
	at, posting, position int
}

// group returns a reader at the beginning of a group.
func (x *Index) group(n int) dictionaryReader {
	at := func(i int) int { return int(binary.LittleEndian.Uint32(x.groups[n*groupSize+4*i:])) }
	return dictionaryReader{index: x, at: at(0), posting: at(1), position: at(2)}
}

// next reads an entry. It reports false at the end of the dictionary, and for a broken entry.
func (d *dictionaryReader) next() bool {
	shared, ok1 := d.number()
	length, ok2 := d.number()
	if !ok1 || !ok2 || shared > len(d.name) || length > len(d.index.dictionary)-d.at {
		return false
	}
	d.name = append(d.name[:shared], d.index.dictionary[d.at:d.at+length]...)
	d.at += length
	blocks, ok1 := d.number()
	postings, ok2 := d.number()
	positions, ok3 := d.number()
	if !ok1 || !ok2 || !ok3 || d.posting+postings > len(d.index.postings) ||
		d.position+positions > len(d.index.positions) {
		return false
	}
	d.blocks = blocks
	d.encoded = d.index.postings[d.posting : d.posting+postings]
	d.positions = d.index.positions[d.position : d.position+positions]
	d.posting, d.position = d.posting+postings, d.position+positions
	return true
}

func (d *dictionaryReader) number() (int, bool) {
	if d.at < 0 || d.at > len(d.index.dictionary) {
		return 0, false
	}
	n, size := binary.Uvarint(d.index.dictionary[d.at:])
	if size <= 0 || n > 1<<31 {
		return 0, false
	}
	d.at += size
	return int(n), true
}

// find looks a term up, and reports whether the index has it.
func (x *Index) find(name []byte) (term, bool) {
	groups := len(x.groups) / groupSize
	n := sort.Search(groups, func(i int) bool {
		d := x.group(i)
		return d.next() && bytes.Compare(d.name, name) > 0
	})
	if n == 0 {
		return term{}, false
	}
	d := x.group(n - 1)
	for range inGroup {
		if !d.next() {
			break
		}
		if c := bytes.Compare(d.name, name); c == 0 {
			return d.term, true
		} else if c > 0 {
			break
		}
	}
	return term{}, false
}
