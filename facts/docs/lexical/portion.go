package lexical

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// portion holds the words of some blocks until sort makes an index of the words. The next portion uses the same memory.
// The zero value is empty.
type portion struct {
	seed  maphash.Seed
	slots []uint32 // numbers of terms, from 1 on, by the hash of the name; 0 is a free slot
	names []byte   // names of terms, one after the other
	ends  []uint32 // end of each name
	hits  []hit

	order  []uint32 // indexes of hits, ordered by term
	starts []uint32 // where the hits of each term begin
	sorted []key
	writer writer
}

// hit is an occurrence of a term.
type hit struct {
	term     uint32
	place    uint32 // the block, with the field in the lowest bits
	position uint32
}

// A portion has room for roomHits hits, from about 2 MB of text. A portion with maxHits hits counts as full, because
// the next block may have many hits.
const (
	roomHits = 1 << 19
	maxHits  = roomHits - 1<<14
)

const (
	fieldBits = 2
	minSlots  = 1 << 10
)

// full reports whether the next block needs a new portion.
func (p *portion) full() bool { return len(p.hits) >= maxHits }

func (p *portion) add(name []byte, block int, f Field, position int) {
	if len(p.hits) == cap(p.hits) { // append would copy the hits more often
		p.hits = slices.Grow(p.hits, max(len(p.hits), 1<<10))
	}
	p.hits = append(p.hits, hit{p.term(name), uint32(block)<<fieldBits | uint32(f), uint32(position)})
}

// term returns the number of a term. A new term gets the next number.
func (p *portion) term(name []byte) uint32 {
	if 4*len(p.ends) >= 3*len(p.slots) {
		p.grow()
	}
	at := p.slot(name)
	if p.slots[at] == 0 {
		p.names = append(p.names, name...)
		p.ends = append(p.ends, uint32(len(p.names)))
		p.slots[at] = uint32(len(p.ends))
	}
	return p.slots[at] - 1
}

// slot returns the slot with the given name, or a free slot for the name.
func (p *portion) slot(name []byte) int {
	mask := len(p.slots) - 1
	at := int(maphash.Bytes(p.seed, name)) & mask
	for p.slots[at] != 0 && !bytes.Equal(p.name(p.slots[at]-1), name) {
		at = (at + 1) & mask
	}
	return at
}

func (p *portion) name(term uint32) []byte {
	start := uint32(0)
	if term > 0 {
		start = p.ends[term-1]
	}
	return p.names[start:p.ends[term]]
}

// grow doubles the number of slots.
func (p *portion) grow() {
	if p.slots == nil {
		p.seed = maphash.MakeSeed()
	}
	p.slots = make([]uint32, max(minSlots, 2*len(p.slots)))
	for i := range p.ends {
		p.slots[p.slot(p.name(uint32(i)))] = uint32(i) + 1
	}
}

// sort returns the words as an index without block lengths, and empties the portion.
func (p *portion) sort() *Index {
	p.orderHits()
	p.orderTerms()
	for _, k := range p.sorted {
		p.encode(p.order[p.starts[k.term]:p.starts[k.term+1]], p.name(k.term))
	}
	x := p.writer.index(nil, bytes.Clone)
	p.writer.clear()
	clear(p.slots)
	p.names, p.ends, p.hits = p.names[:0], p.ends[:0], p.hits[:0]
	return x
}

// orderHits sorts the indexes of the hits by their terms.
func (p *portion) orderHits() {
	n := len(p.ends) + 2
	p.starts = slices.Grow(p.starts[:0], n)[:n]
	clear(p.starts)
	for _, h := range p.hits {
		p.starts[h.term+2]++
	}
	for i := 2; i < n; i++ {
		p.starts[i] += p.starts[i-1]
	}
	p.order = slices.Grow(p.order[:0], len(p.hits))[:len(p.hits)]
	for i, h := range p.hits {
		p.order[p.starts[h.term+1]] = uint32(i)
		p.starts[h.term+1]++
	}
}

// key is a term with the first bytes of its name. Most comparisons need only these bytes.
type key struct {
	first uint64
	term  uint32
}

// orderTerms sorts the terms by their names.
func (p *portion) orderTerms() {
	p.sorted = p.sorted[:0]
	for i := range p.ends {
		var first [8]byte
		copy(first[:], p.name(uint32(i)))
		p.sorted = append(p.sorted, key{binary.BigEndian.Uint64(first[:]), uint32(i)})
	}
	sortKeys(p.sorted, func(a, b key) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return bytes.Compare(p.name(a.term), p.name(b.term))
	})
}

// encode writes a term with its hits.
func (p *portion) encode(hits []uint32, name []byte) {
	w := &p.writer
	w.begin()
	for at := 0; at < len(hits); {
		block := p.hits[hits[at]].place >> fieldBits
		found, last := posting{block: int(block)}, uint32(0)
		for ; at < len(hits) && p.hits[hits[at]].place>>fieldBits == block; at++ {
			h := p.hits[hits[at]]
			f := Field(h.place & (1<<fieldBits - 1))
			found.in[f]++
			if f == Body && hasPositions(name) {
				w.positions = binary.AppendUvarint(w.positions, uint64(h.position-last))
				last = h.position
			}
		}
		w.posting(found)
	}
	w.end(name)
}

// hasPositions reports whether the positions of a term are kept. Stems have no positions because phrases do not use
// stems.
func hasPositions(name []byte) bool { return name[0] != stemMark }
