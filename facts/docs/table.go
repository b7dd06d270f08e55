package docs

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/blq-ci/blq/facts"
)

// document is an indexed document.
type document struct {
	facts.File
	lines   int
	blocks  int
	first   int    // number of the first block
	encoded []byte // the encoded blocks
	decoded atomic.Pointer[outline]
}

// appendDocument encodes a document.
func appendDocument(to []byte, d *document) []byte {
	to = appendString(appendString(to, d.Path), d.Digest)
	for _, n := range []int{int(d.Size), d.lines, d.blocks} {
		to = binary.AppendUvarint(to, uint64(n))
	}
	return append(binary.AppendUvarint(to, uint64(len(d.encoded))), d.encoded...)
}

func appendString(to []byte, s string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(s))), s...)
}

// encodeBlocks encodes blocks. A block has five values: the distance from the previous block, the number of lines
// minus one, the level, the distance from the enclosing block, and the heading.
func encodeBlocks(all []block) []byte {
	var to []byte
	last := 0
	for i, b := range all {
		above := 0
		if b.above >= 0 {
			above = i - b.above
		}
		for _, n := range []int{b.From - last, b.To - b.From, b.level, above} {
			to = binary.AppendUvarint(to, uint64(n))
		}
		to = appendString(to, b.heading)
		last = b.From
	}
	return to
}

// outline returns the blocks of the document. The blocks are decoded only once.
func (d *document) outline() outline {
	if o := d.decoded.Load(); o != nil {
		return *o
	}
	r := reader{d.encoded}
	o := make(outline, 0, min(d.blocks, len(d.encoded)))
	last := 0
	for i := range d.blocks {
		from, length, level, above := r.number(), r.number(), r.number(), r.number()
		b := block{Range{last + from, last + from + length}, level, r.string(), i - above}
		if r.rest == nil || b.above < 0 || i == 0 && b.continues() {
			break // the encoding is broken
		}
		if above == 0 {
			b.above = -1
		}
		o = append(o, b)
		last = b.From
	}
	d.decoded.Store(&o)
	return o
}

// reader reads numbers and strings. After broken input, reader returns zeros and sets rest to nil.
type reader struct{ rest []byte }

func (r *reader) number() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > 1<<40 {
		r.rest = nil
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *reader) string() string { return string(r.bytes()) }

func (r *reader) bytes() []byte {
	n := r.number()
	if n > len(r.rest) {
		r.rest = nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}
