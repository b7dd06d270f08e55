package lexical

import (
	"encoding/binary"
	"maps"
	"slices"
)

// Builder collects the words of blocks. Blocks are added in the order of their numbers, which begin at 0.
type Builder struct {
	terms   map[string]*list
	lengths map[int]int // of the bodies that were added, in words
	heading map[int]int // of their headings
	minor   map[int]bool
	tokens  tokenizer
	block   int
	field   Field
}

// list has the postings of a term.
type list struct {
	count     int    // of blocks
	blocks    []byte // encoded postings
	positions []byte // of the term in the bodies, as differences
	posting          // of the last block
	last      int    // position in it
	before    int    // the block of the posting before
}

// posting says how often a term is in a block.
type posting struct {
	block int
	in    [fields]int
}

// NewBuilder returns a Builder without blocks.
func NewBuilder() *Builder {
	b := &Builder{terms: map[string]*list{}, lengths: map[int]int{}, heading: map[int]int{}, minor: map[int]bool{}}
	b.tokens.emit = b.add
	return b
}

// Block begins a block: its number is greater than that of the last one. A minor one is found after others that have
// the same words.
func (b *Builder) Block(number int, minor bool) {
	b.block, b.lengths[number] = number, 0
	if minor {
		b.minor[number] = true
	}
}

// Add adds text to a field of the block.
func (b *Builder) Add(f Field, text []byte) {
	b.field, b.tokens.position = f, 0
	if f == Body {
		b.tokens.position = b.lengths[b.block]
	}
	b.tokens.run(text)
	switch f {
	case Body:
		b.lengths[b.block] = b.tokens.position
	case Heading:
		b.heading[b.block] = b.tokens.position
	}
}

func (b *Builder) add(term []byte, position int, _ kind) {
	l := b.terms[string(term)]
	if l == nil {
		l = &list{before: -1}
		l.block = b.block
		b.terms[string(term)] = l
	}
	if l.block != b.block {
		l.flush()
		l.block, l.last = b.block, 0
	}
	l.in[b.field]++
	if b.field == Body {
		l.positions = binary.AppendUvarint(l.positions, uint64(position-l.last))
		l.last = position
	}
}

// flush encodes the posting of the last block.
func (l *list) flush() {
	l.blocks = appendPosting(l.blocks, l.before, l.posting)
	l.count++
	l.before, l.posting = l.block, posting{}
}

// These are bits of the first number of a posting. Without them the term is in the body once.
const (
	oftenBit    = 1 << iota // how often it is in the body follows
	fieldBit                // how often it is in the other fields follows
	postingBits = 2
)

// appendPosting encodes a posting that follows the block before.
func appendPosting(to []byte, before int, p posting) []byte {
	head := uint64(p.block-before) << postingBits
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
	to = binary.AppendUvarint(to, head)
	if head&oftenBit != 0 {
		to = binary.AppendUvarint(to, uint64(p.in[Body]))
	}
	if head&fieldBit != 0 {
		to = append(to, others)
	}
	return to
}

// Reuse says which blocks of an earlier index are blocks of the new one, too.
type Reuse struct {
	Index   *Index // nil for none
	Numbers []int  // by the number of a block in Index: its number in the new index, -1 for none; ascending
}

// Finish returns the index of the added blocks and those of an earlier index.
func (b *Builder) Finish(blocks int, reuse Reuse) []byte {
	w := writer{lengths: make([]lengths, blocks)}
	for number, length := range b.lengths {
		w.lengths[number] = lengths{min(length, maxBody), min(b.heading[number], maxHeading), b.minor[number]}
	}
	for old, number := range reuse.Numbers {
		if number >= 0 {
			w.lengths[number] = reuse.Index.lengths(old)
		}
	}
	for _, l := range b.terms {
		l.flush()
	}
	names := slices.Sorted(maps.Keys(b.terms))
	if reuse.Index == nil {
		for _, name := range names {
			l := b.terms[name]
			w.add([]byte(name), l.count, l.blocks, l.positions)
		}
		return w.bytes()
	}
	b.merge(&w, names, reuse)
	return w.bytes()
}

// merge writes the terms of both in order.
func (b *Builder) merge(w *writer, names []string, reuse Reuse) {
	at := 0
	for old := range reuse.Index.terms() {
		for ; at < len(names) && names[at] < string(old.name); at++ {
			l := b.terms[names[at]]
			w.add([]byte(names[at]), l.count, l.blocks, l.positions)
		}
		m := merged{before: -1}
		var l *list
		if at < len(names) && names[at] == string(old.name) {
			l = b.terms[names[at]]
			at++
		}
		m.both(old, reuse.Numbers, l)
		if m.count > 0 {
			w.add(old.name, m.count, m.blocks, m.positions)
		}
	}
	for ; at < len(names); at++ {
		l := b.terms[names[at]]
		w.add([]byte(names[at]), l.count, l.blocks, l.positions)
	}
}

// merged is a list of postings from two lists.
type merged struct {
	count             int
	blocks, positions []byte
	before            int
}

func (m *merged) add(p posting, positions []byte) {
	m.blocks = appendPosting(m.blocks, m.before, p)
	m.positions = append(m.positions, positions...)
	m.before = p.block
	m.count++
}

// both merges the postings of a term of an earlier index, whose blocks have other numbers now, with those of a list.
func (m *merged) both(old term, numbers []int, l *list) {
	var added postings
	more := false
	if l != nil {
		added = postings{blocks: l.blocks, positions: l.positions, last: -1}
		more = added.next()
	}
	for p := old.postings(); p.next(); {
		at := p.positionBytes()
		if p.block >= len(numbers) || numbers[p.block] < 0 {
			continue
		}
		moved := p.posting
		moved.block = numbers[p.block]
		for more && added.block < moved.block {
			m.add(added.posting, added.positionBytes())
			more = added.next()
		}
		m.add(moved, at)
	}
	for more {
		m.add(added.posting, added.positionBytes())
		more = added.next()
	}
}
