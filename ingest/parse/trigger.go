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
	grams  [1 << (gramBits - 3)]uint8 // bitmap of hashes
	bucket [1 << gramBits]uint16      // hash → place in lists
	lists  [][]literal                // literals of one hash
	short  []literal                  // literals of three bytes, for the end of a line
	glyphs []literal                  // triggers of three bytes with a character beyond ASCII (✖), and shorter ones
	any    mask                       // formats that are offered every line
	roots  []string                   // how XML documents start

	starts [1 << startBits]uint16 // hash of a line's first three bytes → place in lists
	tiny   [256]uint16            // first byte → place in lists, of starts of less than three bytes
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
		l := literal{text: text, gram: rarestGram(text)}
		t.insertGram(text[l.gram:l.gram+4], l, format)
	case len(text) == 3 && isASCII(text):
		t.short = addLiteral(t.short, literal{text: text}, format)
		for next := range 256 { // whatever follows
			t.insertGram(text+string([]byte{byte(next)}), literal{text: text}, format)
		}
	default:
		t.glyphs = addLiteral(t.glyphs, literal{text: text}, format)
	}
}

func (t *triggers) insertGram(gram string, l literal, format int) {
	h := gramHash(binary.LittleEndian.Uint32([]byte(gram)))
	t.grams[h>>3] |= 1 << (h & 7)
	t.addTo(&t.bucket[h], l, format)
}

func (t *triggers) insertStart(text string, format int) {
	if text == "" {
		t.any.add(format)
		return
	}
	if len(text) < 3 {
		t.addTo(&t.tiny[text[0]], literal{text: text}, format)
		return
	}
	t.addTo(&t.starts[startHash(text)], literal{text: text}, format)
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
	var seen uint64
	i := 0
	for ; i+8 <= len(text); i += 5 { // five grams begin in eight bytes
		v := binary.LittleEndian.Uint64(text[i : i+8])
		seen |= v
		if h := gramHash(uint32(v)); t.maybe(h) {
			t.hit(text, i, h, m)
		}
		if h := gramHash(uint32(v >> 8)); t.maybe(h) {
			t.hit(text, i+1, h, m)
		}
		if h := gramHash(uint32(v >> 16)); t.maybe(h) {
			t.hit(text, i+2, h, m)
		}
		if h := gramHash(uint32(v >> 24)); t.maybe(h) {
			t.hit(text, i+3, h, m)
		}
		if h := gramHash(uint32(v >> 32)); t.maybe(h) {
			t.hit(text, i+4, h, m)
		}
	}
	for ; i+4 <= len(text); i++ {
		v := binary.LittleEndian.Uint32(text[i : i+4])
		seen |= uint64(v)
		if h := gramHash(v); t.maybe(h) {
			t.hit(text, i, h, m)
		}
	}
	for i := range t.short {
		if l := &t.short[i]; bytes.HasSuffix(text, []byte(l.text)) {
			m.or(&l.formats)
		}
	}
	if seen&0x8080808080808080 != 0 || len(text) < 4 {
		for i := range t.glyphs {
			if l := &t.glyphs[i]; bytes.Contains(text, []byte(l.text)) {
				m.or(&l.formats)
			}
		}
	}
	t.scanStart(text, m)
}

func (t *triggers) maybe(h uint32) bool { return t.grams[h>>3]&(1<<(h&7)) != 0 }

// hit compares the text around position i with the literals of hash h.
func (t *triggers) hit(text []byte, i int, h uint32, m *mask) {
	list := t.lists[t.bucket[h]]
	for j := range list {
		l := &list[j]
		if from := i - l.gram; from >= 0 && len(text)-from >= len(l.text) && string(text[from:from+len(l.text)]) == l.text {
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
		if l := &list[i]; len(text) >= len(l.text) && string(text[:len(l.text)]) == l.text {
			m.or(&l.formats)
		}
	}
}
