package lexical

import "encoding/binary"

// posting has the numbers of occurrences of a term in a block, by field.
type posting struct {
	block int
	in    [fields]int
}

// postings decodes the postings of a term in order.
type postings struct {
	posting
	blocks    []byte
	positions []byte
	last      int // block of the last posting
}

// next reads the next posting. It reports false at the end of the list, and for a broken posting.
func (p *postings) next() bool {
	head, n := binary.Uvarint(p.blocks)
	if n <= 0 || head>>postingBits == 0 || head>>postingBits > 1<<31 {
		return false
	}
	p.blocks = p.blocks[n:]
	p.last += int(head >> postingBits)
	p.posting = posting{block: p.last}
	p.in[Body] = 1
	if head&oftenBit != 0 {
		often, n := binary.Uvarint(p.blocks)
		if n <= 0 || often > 1<<31 {
			return false
		}
		p.blocks, p.in[Body] = p.blocks[n:], int(often)
	}
	if head&fieldBit != 0 {
		if len(p.blocks) == 0 {
			return false
		}
		others := p.blocks[0]
		p.blocks = p.blocks[1:]
		for f := fields - 1; f >= Heading; f-- {
			p.in[f], others = int(others&3), others>>2
		}
	}
	return true
}

// positionBytes returns the encoded positions of the current posting. Call it once for each posting.
func (p *postings) positionBytes() []byte {
	all, n := p.positions, 0
	for range p.in[Body] {
		for n < len(all) && all[n] >= 0x80 {
			n++
		}
		n++
	}
	n = min(n, len(all))
	p.positions = all[n:]
	return all[:n]
}

// decodePositions appends the positions to a list.
func decodePositions(to []int, encoded []byte) []int {
	at := 0
	for len(encoded) > 0 {
		d, n := binary.Uvarint(encoded)
		if n <= 0 {
			break
		}
		encoded = encoded[n:]
		at += int(d)
		to = append(to, at)
	}
	return to
}
