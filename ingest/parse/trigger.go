package parse

import (
	"bytes"
	"encoding/binary"
)

// mask is a set of formats, by their index in the list.
type mask [maskWords]uint64

const (
	maskWords  = 5
	maxFormats = maskWords * 64
)

func (m *mask) add(i int)      { m[i>>6] |= 1 << (i & 63) }
func (m *mask) has(i int) bool { return m[i>>6]&(1<<(i&63)) != 0 }
func (m *mask) empty() bool    { return m[0]|m[1]|m[2]|m[3]|m[4] == 0 }

func (m *mask) or(o *mask) {
	for i := range m {
		m[i] |= o[i]
	}
}

// triggers finds all literals of all formats in one pass over a line.
//
// A gram is four bytes of a text. The pass looks up every second gram in a bitmap, which fits into the first-level
// cache. Unlike in an automaton, no lookup depends on the one before. A text is compared with literals only if the
// bitmap contains its gram.
//
// A literal may begin at an odd or an even byte. Therefore the bitmap has two grams for each literal: the first four
// and the last four of five consecutive bytes. These five bytes are the rarest ones in logs. A literal of four bytes
// has two kinds of grams: its own four bytes, and any byte followed by its first three.
//
// The word of a gram in the bitmap is a hash of the gram's last three bytes. The bit in the word depends on the first
// byte, too. So the grams of any byte and three fixed bytes are all in one word. Most hits are other grams with the
// same hash. Therefore a hit is first compared with the grams of its word.
type triggers struct {
	grams    [1 << gramBits]uint64   // bitmap
	first    [1<<gramBits + 1]uint16 // index of a bitmap word → index in entries of its first entry
	entries  []gramEntry             // the grams of all literals, in the order of their bitmap words
	literals []literal
	short    []literal // literals of three bytes, looked up at the end of a line
	glyphs   []literal // triggers of three bytes with a non-ASCII character (✖), and shorter triggers
	leads    [256]bool // first bytes of glyphs
	any      mask      // formats that are offered every line
	roots    []string  // beginnings of XML documents

	starts starts
}

// starts finds the literals at the start of a line.
type starts struct {
	first [1<<startBits + 1]uint16 // hash of a line's first three bytes → index in list of the first literal
	tiny  [256 + 1]uint16          // first byte → index in list, for literals of less than three bytes
	list  []literal                // literals of three bytes or more by hash, then shorter ones by first byte
}

// gramEntry is a gram of a literal.
type gramEntry struct {
	gram    uint32
	bits    uint32 // the bits of gram that are compared
	literal uint32 // index in literals
}

// literal is a text, with the formats that search for it. Its rarely used fields are in rest, so that more literals fit
// into the processor's cache.
type literal struct {
	head uint64 // the first eight bytes of the text, or a shorter text
	bits uint64 // the bits of head that are compared
	gram int    // offset of the gram in the text, -1 for the gram of any byte and the first three
	rest *rest
}

// rest is the part of a literal that is needed only if head matches.
type rest struct {
	text    string
	formats mask
}

// at reports whether text[from:] begins with the literal.
func (l *literal) at(text []byte, from int) bool {
	if from >= 0 && from+8 <= len(text) {
		if (binary.LittleEndian.Uint64(text[from:])^l.head)&l.bits != 0 {
			return false
		}
		if l.bits != ^uint64(0) {
			return true
		}
	}
	return from >= 0 && from+len(l.rest.text) <= len(text) && string(text[from:from+len(l.rest.text)]) == l.rest.text
}

const (
	gramBits = 12
	// gramMul is a multiplier for hashes. With it, few common grams of logs have the same hash as a gram of a literal.
	gramMul = 71072467

	startBits = 12
	startMul  = 0x9e3779b1
)

// gramOf returns the first four bytes of a text.
func gramOf(text string) uint32 {
	return uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16 | uint32(text[3])<<24
}

// gramPlace returns the index of the bitmap word for a gram, and the gram's bit in this word.
func gramPlace(gram uint32) (word uint32, bit uint64) {
	hash := (gram >> 8) * gramMul
	return hash >> (32 - gramBits), 1 << ((gram ^ hash>>8) & 63)
}

// startHash returns the hash of the first three bytes of text. text must have at least three.
func startHash[T string | []byte](text T) uint32 {
	return ((uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16) * startMul) >> (32 - startBits)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// scan sets m to the formats that have a literal in text, and the formats that read every line.
func (t *triggers) scan(text []byte, m *mask) {
	*m = t.any
	if len(text) < 8 {
		t.scanShort(text, m)
		return
	}
	seen := uint64(0)
	last := (len(text) - 8) &^ 1
	for i := 0; ; i += 6 { // eight bytes hold three grams that begin at an even offset
		if i > last {
			if i > last+4 {
				break
			}
			i = last // some grams are looked up twice
		}
		v := binary.LittleEndian.Uint64(text[i:])
		seen |= v
		if g := uint32(v); t.maybe(g) {
			t.hit(text, i, g, m)
		}
		if g := uint32(v >> 16); t.maybe(g) {
			t.hit(text, i+2, g, m)
		}
		if g := uint32(v >> 32); t.maybe(g) {
			t.hit(text, i+4, g, m)
		}
	}
	tail := binary.LittleEndian.Uint64(text[len(text)-8:])
	// A literal of three bytes at the end of the text has no byte after it.
	if g := uint32(tail >> 40); t.maybe(g) {
		t.hit(text, len(text)-3, g, m)
	}
	if (seen|tail)&0x8080808080808080 != 0 {
		t.scanGlyphs(text, m)
	}
	t.scanStart(text, m)
}

// scanShort is scan for texts of less than eight bytes: it adds to m the formats that have a literal in text.
func (t *triggers) scanShort(text []byte, m *mask) {
	for i := 0; i+4 <= len(text); i++ {
		if g := binary.LittleEndian.Uint32(text[i:]); t.maybe(g) {
			t.hit(text, i, g, m)
		}
	}
	for i := range t.short {
		if l := &t.short[i]; bytes.HasSuffix(text, []byte(l.rest.text)) {
			m.or(&l.rest.formats)
		}
	}
	t.scanGlyphs(text, m)
	t.scanStart(text, m)
}

func (t *triggers) scanGlyphs(text []byte, m *mask) {
	for i, c := range text {
		if !t.leads[c] {
			continue
		}
		for j := range t.glyphs {
			if l := &t.glyphs[j]; l.at(text, i) {
				m.or(&l.rest.formats)
			}
		}
	}
}

// maybe reports whether a literal may contain the gram.
func (t *triggers) maybe(gram uint32) bool {
	word, bit := gramPlace(gram)
	return t.grams[word]&bit != 0
}

// hit adds the formats to m that have a literal in the text around position i. The parameter gram is
// the gram at i.
func (t *triggers) hit(text []byte, i int, gram uint32, m *mask) {
	word, _ := gramPlace(gram)
	entries := t.entries[t.first[word]:t.first[word+1]]
	for k := range entries {
		e := &entries[k]
		if (gram^e.gram)&e.bits != 0 {
			continue
		}
		if l := &t.literals[e.literal]; l.at(text, i-l.gram) {
			m.or(&l.rest.formats)
		}
	}
}

func (t *triggers) scanStart(text []byte, m *mask) {
	if len(text) == 0 {
		return
	}
	s, c := &t.starts, text[0]
	if from, to := s.tiny[c], s.tiny[int(c)+1]; from < to {
		startsOf(s.list[from:to], text, m)
	}
	if len(text) < 3 {
		return
	}
	hash := startHash(text)
	if from, to := s.first[hash], s.first[hash+1]; from < to {
		startsOf(s.list[from:to], text, m)
	}
}

func startsOf(list []literal, text []byte, m *mask) {
	for i := range list {
		if l := &list[i]; l.at(text, 0) {
			m.or(&l.rest.formats)
		}
	}
}
