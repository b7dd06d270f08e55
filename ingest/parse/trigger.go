package parse

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// mask is a set of formats, by their place in the list.
type mask [maskWords]uint64

const (
	maskWords  = 4
	maxFormats = maskWords * 64
)

func (m *mask) add(i int)      { m[i>>6] |= 1 << (i & 63) }
func (m *mask) has(i int) bool { return m[i>>6]&(1<<(i&63)) != 0 }
func (m *mask) empty() bool    { return m[0]|m[1]|m[2]|m[3] == 0 }

func (m *mask) or(o *mask) {
	for i := range m {
		m[i] |= o[i]
	}
}

// triggers finds all literals of all formats in one pass over a line.
//
// Each literal is known by four of its bytes, its gram: the four that are
// rarest in logs. The pass looks up each four bytes of the line in a bitmap of
// the grams' hashes, which fits the first-level cache and, unlike an
// automaton, needs nothing of the step before; only a hit is compared with
// the literals of that hash. Shorter literals are looked for one by one.
type triggers struct {
	grams  [1 << (gramBits - 3)]uint8 // bitmap of hashes
	byGram map[uint32][]literal       // hash → literals
	short  []literal                  // ASCII literals of less than four bytes
	glyphs []literal                  // the same with a byte beyond ASCII: ✖ and the like
	any    mask                       // formats that are offered every line

	starts  [256][]literal // literals at the start of a line, by first byte
	seconds [256][256]bool // first byte, second byte → some start begins so
}

// literal is a trigger and the formats that asked for it.
type literal struct {
	text    string
	gram    int // offset of the gram
	formats mask
}

const (
	gramBits = 16
	gramMul  = 0x9e3779b1
)

func gramHash(v uint32) uint32 { return (v * gramMul) >> (32 - gramBits) }

func newTriggers(formats []Format) *triggers {
	if len(formats) > maxFormats {
		panic(fmt.Sprintf("parse: %d formats, but a mask holds %d", len(formats), maxFormats))
	}
	t := &triggers{byGram: map[uint32][]literal{}}
	for i, f := range formats {
		for _, text := range f.Triggers {
			t.insert(text, i)
		}
		for _, text := range f.Starts {
			t.insertStart(text, i)
		}
		if f.every {
			t.any.add(i)
		}
	}
	return t
}

func (t *triggers) insert(text string, format int) {
	if len(text) < 4 {
		list := &t.short
		if !isASCII(text) {
			list = &t.glyphs
		}
		*list = addLiteral(*list, literal{text: text}, format)
		return
	}
	l := literal{text: text, gram: rarestGram(text)}
	h := gramHash(binary.LittleEndian.Uint32([]byte(text[l.gram : l.gram+4])))
	t.grams[h>>3] |= 1 << (h & 7)
	t.byGram[h] = addLiteral(t.byGram[h], l, format)
}

func (t *triggers) insertStart(text string, format int) {
	if text == "" {
		t.any.add(format)
		return
	}
	first := text[0]
	t.starts[first] = addLiteral(t.starts[first], literal{text: text}, format)
	for second := range 256 {
		if len(text) == 1 || text[1] == byte(second) {
			t.seconds[first][second] = true
		}
	}
}

func addLiteral(list []literal, l literal, format int) []literal {
	for i := range list {
		if list[i].text == l.text {
			list[i].formats.add(format)
			return list
		}
	}
	l.formats.add(format)
	return append(list, l)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// rarestGram returns the offset of the four bytes of text that are least
// common in logs.
func rarestGram(text string) int {
	best, lowest := 0, 1<<30
	for i := 0; i+4 <= len(text); i++ {
		sum := 0
		for _, b := range []byte(text[i : i+4]) {
			sum += commonness(b)
		}
		if sum < lowest {
			best, lowest = i, sum
		}
	}
	return best
}

// commonness says roughly how often a byte comes in logs.
func commonness(b byte) int {
	switch {
	case b == ' ' || bytes.IndexByte([]byte("etaoinsr"), b) >= 0:
		return 10
	case 'a' <= b && b <= 'z':
		return 6
	case isDigit(b) || bytes.IndexByte([]byte("./-:_="), b) >= 0:
		return 5
	case 'A' <= b && b <= 'Z':
		return 3
	}
	return 2
}

// scan adds the formats that have a literal in text to m.
func (t *triggers) scan(text []byte, m *mask) {
	*m = t.any
	var seen uint32
	end := len(text) - 3
	for i := 0; i < end; i++ {
		v := binary.LittleEndian.Uint32(text[i:])
		seen |= v
		if h := gramHash(v); t.grams[h>>3]&(1<<(h&7)) != 0 {
			t.hit(text, i, h, m)
		}
	}
	for i := range t.short {
		if l := &t.short[i]; bytes.Contains(text, []byte(l.text)) {
			m.or(&l.formats)
		}
	}
	if seen&0x80808080 != 0 || len(text) < 4 {
		for i := range t.glyphs {
			if l := &t.glyphs[i]; bytes.Contains(text, []byte(l.text)) {
				m.or(&l.formats)
			}
		}
	}
	t.scanStart(text, m)
}

// hit compares the text around position i with the literals of hash h.
func (t *triggers) hit(text []byte, i int, h uint32, m *mask) {
	list := t.byGram[h]
	for j := range list {
		l := &list[j]
		if from := i - l.gram; from >= 0 && len(text)-from >= len(l.text) && string(text[from:from+len(l.text)]) == l.text {
			m.or(&l.formats)
		}
	}
}

func (t *triggers) scanStart(text []byte, m *mask) {
	if len(text) == 0 || len(text) > 1 && !t.seconds[text[0]][text[1]] {
		return
	}
	list := t.starts[text[0]]
	for i := range list {
		if l := &list[i]; len(text) >= len(l.text) && string(text[:len(l.text)]) == l.text {
			m.or(&l.formats)
		}
	}
}
