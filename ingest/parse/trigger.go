package parse

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
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
// the literals of that hash.
type triggers struct {
	grams  [1 << (gramBits - 6)]uint64 // bitmap of hashes
	bucket [1 << gramBits]uint16       // hash → place in lists
	lists  [][]literal                 // literals of one hash
	short  []literal                   // literals of three bytes, for the end of a line
	glyphs []literal                   // triggers of three bytes with a character beyond ASCII (✖), and shorter ones
	leads  [256]bool                   // first bytes of glyphs
	any    mask                        // formats that are offered every line
	roots  []string                    // how XML documents start

	starts [1 << startBits]uint16 // hash of a line's first three bytes → place in lists
	tiny   [256]uint16            // first byte → place in lists, of starts of less than three bytes
}

// literal is a trigger and the formats that asked for it.
type literal struct {
	text    string
	gram    int    // offset of the gram
	head    uint64 // the first eight bytes of text, or all of a shorter one
	bits    uint64 // which bits of head count
	formats mask
}

func newLiteral(text string, gram int) literal {
	var head, bits [8]byte
	for i := range min(len(text), 8) {
		head[i], bits[i] = text[i], 0xff
	}
	return literal{text: text, gram: gram, head: binary.LittleEndian.Uint64(head[:]),
		bits: binary.LittleEndian.Uint64(bits[:])}
}

// at reports whether the literal stands at text[from:].
func (l *literal) at(text []byte, from int) bool {
	if uint(from) > uint(len(text)) {
		return false
	}
	text = text[from:]
	if len(text) < 8 {
		return len(text) >= len(l.text) && string(text[:len(l.text)]) == l.text
	}
	if (binary.LittleEndian.Uint64(text)^l.head)&l.bits != 0 {
		return false
	}
	return len(l.text) <= 8 || len(text) >= len(l.text) && string(text[8:len(l.text)]) == l.text[8:]
}

const (
	gramBits = 16
	gramMul  = 0x9e3779b1

	startBits = 12
)

func gramHash(v uint32) uint32 { return (v * gramMul) >> (32 - gramBits) }

// startHash is the hash of the first three bytes of text, which has as many.
func startHash[T string | []byte](text T) uint32 {
	return ((uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16) * gramMul) >> (32 - startBits)
}

func newTriggers(formats []Format) *triggers {
	if len(formats) > maxFormats {
		panic(fmt.Sprintf("parse: %d formats, but a mask holds %d", len(formats), maxFormats))
	}
	t := &triggers{lists: make([][]literal, 1)}
	for i, f := range formats {
		for _, text := range f.Triggers {
			t.insert(text, i)
		}
		for _, text := range f.Starts {
			t.insertStart(text, i)
		}
		if f.Document != nil {
			t.roots = append(t.roots, f.Document.Roots...)
		}
		if f.every {
			t.any.add(i)
		}
	}
	return t
}

func (t *triggers) insert(text string, format int) {
	switch {
	case len(text) >= 4:
		l := newLiteral(text, rarestGram(text))
		t.insertGram(text[l.gram:l.gram+4], l, format)
	case len(text) == 3 && isASCII(text):
		l := newLiteral(text, 0)
		t.short = addLiteral(t.short, l, format)
		for next := range 256 { // whatever follows
			t.insertGram(text+string([]byte{byte(next)}), l, format)
		}
	case text != "":
		t.glyphs = addLiteral(t.glyphs, newLiteral(text, 0), format)
		t.leads[text[0]] = true
	}
}

func (t *triggers) insertGram(gram string, l literal, format int) {
	h := gramHash(binary.LittleEndian.Uint32([]byte(gram)))
	t.grams[h>>6] |= 1 << (h & 63)
	t.addTo(&t.bucket[h], l, format)
}

func (t *triggers) insertStart(text string, format int) {
	if text == "" {
		t.any.add(format)
		return
	}
	if len(text) < 3 {
		t.addTo(&t.tiny[text[0]], newLiteral(text, 0), format)
		return
	}
	t.addTo(&t.starts[startHash(text)], newLiteral(text, 0), format)
}

// addTo adds a literal to the list at *place, which is made when it is 0.
func (t *triggers) addTo(place *uint16, l literal, format int) {
	if *place == 0 {
		*place = uint16(len(t.lists))
		t.lists = append(t.lists, nil)
	}
	list := &t.lists[*place]
	*list = addLiteral(*list, l, format)
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
		for j := i; j < i+4; j++ {
			sum += commonness(text[j])
		}
		if strings.Contains(commonGrams, text[i:i+4]) {
			sum += 100
		}
		if sum < lowest {
			best, lowest = i, sum
		}
	}
	return best
}

// commonGrams are four bytes in a row that many lines hold.
const commonGrams = "ing |tion|test|Test|ting|atio|sion|ding|ving| in | com| " +
	"tes|from|comp|form|load|rror|able|ator|vers|comm|ated|ning|ring|ling|exec|xecu|date|time|Time|" +
	"ion |ted |ed: |s:  |te: |ng d|ng a|ng " +
	"o|port|ject|bjec|unit|work|file|urce|ence|lass|ount|lect|main|back|buil|uild| for| from| Tes|thub|gith|   -|    " +
	"|.jav|java|ava:|" +
	".py:|ote:|rame|Name|name|INFO|inst|stal|pack|ckag|modu|conf|nfig|func|unct|line|ment|est |ests|ies |ess " +
	"|ther|this|that|with|have| the|the | not|----|====|http|.com|crip|kipp|ailu"

// commonness says roughly how often a byte comes in logs.
func commonness(b byte) int {
	switch {
	case b == ' ' || strings.IndexByte("etaoinsr", b) >= 0:
		return 10
	case IsLower(b):
		return 7
	case IsDigit(b) || strings.IndexByte("./-:_=", b) >= 0:
		return 5
	case 'A' <= b && b <= 'Z':
		return 3
	}
	return 2
}

// scan adds the formats that have a literal in text to m.
func (t *triggers) scan(text []byte, m *mask) {
	*m = t.any
	if len(text) < 8 {
		t.scanShort(text, m)
		return
	}
	seen := uint64(0)
	last := len(text) - 8
	for i := 0; ; i += 5 { // five grams begin in eight bytes
		if i > last {
			if i > last+4 {
				break
			}
			i = last // some grams are looked up twice
		}
		v := binary.LittleEndian.Uint64(text[i:])
		seen |= v
		h0, h1, h2 := gramHash(uint32(v)), gramHash(uint32(v>>8)), gramHash(uint32(v>>16))
		h3, h4 := gramHash(uint32(v>>24)), gramHash(uint32(v>>32))
		if t.maybe(h0) {
			t.hit(text, i, h0, m)
		}
		if t.maybe(h1) {
			t.hit(text, i+1, h1, m)
		}
		if t.maybe(h2) {
			t.hit(text, i+2, h2, m)
		}
		if t.maybe(h3) {
			t.hit(text, i+3, h3, m)
		}
		if t.maybe(h4) {
			t.hit(text, i+4, h4, m)
		}
	}
	// A literal of three bytes at the end has nothing after it.
	if h := gramHash(binary.LittleEndian.Uint32(text[len(text)-4:]) >> 8); t.maybe(h) {
		t.hit(text, len(text)-3, h, m)
	}
	if seen&0x8080808080808080 != 0 {
		t.scanGlyphs(text, m)
	}
	t.scanStart(text, m)
}

// scanShort is scan for texts of less than eight bytes.
func (t *triggers) scanShort(text []byte, m *mask) {
	for i := 0; i+4 <= len(text); i++ {
		if h := gramHash(binary.LittleEndian.Uint32(text[i:])); t.maybe(h) {
			t.hit(text, i, h, m)
		}
	}
	for i := range t.short {
		if l := &t.short[i]; bytes.HasSuffix(text, []byte(l.text)) {
			m.or(&l.formats)
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
				m.or(&l.formats)
			}
		}
	}
}

func (t *triggers) maybe(h uint32) bool { return t.grams[h>>6]&(1<<(h&63)) != 0 }

// hit compares the text around position i with the literals of hash h.
func (t *triggers) hit(text []byte, i int, h uint32, m *mask) {
	list := t.lists[t.bucket[h]]
	for j := range list {
		if l := &list[j]; l.at(text, i-l.gram) {
			m.or(&l.formats)
		}
	}
}

func (t *triggers) scanStart(text []byte, m *mask) {
	if len(text) == 0 {
		return
	}
	if place := t.tiny[text[0]]; place != 0 {
		startsOf(t.lists[place], text, m)
	}
	if len(text) < 3 {
		return
	}
	if place := t.starts[startHash(text)]; place != 0 {
		startsOf(t.lists[place], text, m)
	}
}

func startsOf(list []literal, text []byte, m *mask) {
	for i := range list {
		if l := &list[i]; l.at(text, 0) {
			m.or(&l.formats)
		}
	}
}
