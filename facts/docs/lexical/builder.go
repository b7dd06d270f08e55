package lexical

// Builder collects the words of blocks. Callers add blocks in the order of their numbers, from 0 on. The Builder
// sorts words in portions, so it needs little more memory than the finished index.
type Builder struct {
	portion  portion
	portions []*Index
	lengths  []lengths // lengths by block number
	tokens   tokenizer
	block    int
	field    Field
}

// NewBuilder returns a Builder without blocks.
func NewBuilder() *Builder {
	b := &Builder{}
	b.tokens.emit = func(term []byte, position int, _ kind) { b.portion.add(term, b.block, b.field, position) }
	return b
}

// Block begins a block. Its number must be greater than the number of the previous block. A minor block ranks below
// other blocks with the same words.
func (b *Builder) Block(number int, minor bool) {
	if b.portion.full() {
		b.portions = append(b.portions, b.portion.sort())
	}
	for len(b.lengths) <= number {
		b.lengths = append(b.lengths, lengths{})
	}
	b.block, b.lengths[number].minor = number, minor
}

// Add adds text to a field of the current block.
func (b *Builder) Add(f Field, text []byte) {
	of := &b.lengths[b.block]
	b.field, b.tokens.position = f, 0
	if f == Body {
		b.tokens.position = of.body
	}
	b.tokens.run(text)
	switch f {
	case Body:
		of.body = min(b.tokens.position, maxBody)
	case Heading:
		of.heading = min(b.tokens.position, maxHeading)
	}
}

// Reuse names blocks of an earlier index that the new index contains, too.
type Reuse struct {
	Index   *Index // nil for none
	Numbers []int  // new numbers of the blocks of Index, ascending; -1 for a block that is not reused
}

// Finish returns the index of the added blocks and the reused blocks. The Builder cannot be used afterwards.
func (b *Builder) Finish(blocks int, reuse Reuse) *Index {
	if len(b.portion.hits) > 0 {
		b.portions = append(b.portions, b.portion.sort())
	}
	b.portion = portion{}
	for len(b.lengths) < blocks {
		b.lengths = append(b.lengths, lengths{})
	}
	for old, number := range reuse.Numbers {
		if number >= 0 {
			b.lengths[number] = reuse.Index.lengths(old)
		}
	}
	var w writer
	w.merge(b.portions, reuse)
	return w.index(b.lengths[:blocks], exact)
}
