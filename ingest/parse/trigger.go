package parse

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// mask is a set of formats, by their index in the list.
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
// A gram is four bytes of a text. The pass looks up every second gram in a bitmap. The bitmap fits into the first-level
// cache. Unlike in an automaton, no step depends on the step before. Only a hit in the bitmap is compared with
// literals.
//
// A literal may begin at an odd or an even byte. Therefore the bitmap has two grams for each literal: the first four
// and the last four of five consecutive bytes. These five bytes are the rarest ones in logs. A literal of four bytes
// has two kinds of grams: its own four bytes, and any byte followed by its first three.
//
// The word of a gram in the bitmap is a hash of the gram's last three bytes. The bit in the word depends on the first
// byte. So the grams of any byte and three fixed bytes are all in one word.
type triggers struct {
	grams  [1 << gramBits]uint64 // bitmap
	bucket [1 << gramBits]uint16 // index of a bitmap word → index in lists
	lists  [][]literal           // literals of one bitmap word
	short  []literal             // literals of three bytes, looked up at the end of a line
	glyphs []literal             // triggers of three bytes with a non-ASCII character (✖), and shorter triggers
	leads  [256]bool             // first bytes of glyphs
	any    mask                  // formats that are offered every line
	roots  []string              // beginnings of XML documents
	common map[string]bool       // the set of commonGrams

	starts [1 << startBits]uint16 // hash of a line's first three bytes → index in lists
	tiny   [256]uint16            // first byte → index in lists, for starts of less than three bytes
}

// literal is a trigger and the formats that have it. Most comparisons need only the small fields above the field
// rest.
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

func newLiteral(text string, gram int) literal {
	var head, bits [8]byte
	for i := range min(len(text), 8) {
		head[i], bits[i] = text[i], 0xff
	}
	return literal{binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(bits[:]), gram, &rest{text: text}}
}

// at reports whether the literal stands at text[from:].
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
	gramMul  = 0x9e3779b1

	startBits = 12
)

// gramWord returns the index of the bitmap word for a gram.
func gramWord(gram uint32) uint32 { return ((gram >> 8) * gramMul) >> (32 - gramBits) }

// gramBit returns the bit of a gram in its bitmap word. The bit depends on the first byte, and four bytes share it.
func gramBit(gram uint32) uint64 { return 1 << (gram & 63) }

// startHash returns the hash of the first three bytes of text. text must have at least three.
func startHash[T string | []byte](text T) uint32 {
	return ((uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16) * gramMul) >> (32 - startBits)
}

func newTriggers(formats []Format) *triggers {
	if len(formats) > maxFormats {
		panic(fmt.Sprintf("parse: %d formats, but a mask holds %d", len(formats), maxFormats))
	}
	t := &triggers{lists: make([][]literal, 1), common: map[string]bool{}}
	for _, gram := range strings.Split(commonGrams, "|") {
		t.common[gram] = true
	}
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
	case len(text) > 4:
		at := t.rarestGrams(text)
		t.insertGram(text[at:at+4], newLiteral(text, at), format)
		t.insertGram(text[at+1:at+5], newLiteral(text, at+1), format)
	case len(text) == 4:
		t.insertGram(text, newLiteral(text, 0), format)
		t.insertBehindAny(text, format)
	case len(text) == 3 && isASCII(text):
		t.short = addLiteral(t.short, newLiteral(text, 0), format)
		t.insertBehindAny(text, format)
		l := newLiteral(text, 0)
		for next := range 256 { // any following byte
			t.insertGram(text+string([]byte{byte(next)}), l, format)
		}
	case text != "":
		t.glyphs = addLiteral(t.glyphs, newLiteral(text, 0), format)
		t.leads[text[0]] = true
	}
}

func (t *triggers) insertGram(gram string, l literal, format int) {
	v := binary.LittleEndian.Uint32([]byte(gram))
	t.grams[gramWord(v)] |= gramBit(v)
	t.addTo(&t.bucket[gramWord(v)], l, format)
}

// insertBehindAny inserts the grams that consist of any byte and the first three bytes of a literal.
func (t *triggers) insertBehindAny(text string, format int) {
	word := gramWord(binary.LittleEndian.Uint32([]byte("?" + text[:3])))
	t.grams[word] = ^uint64(0)
	t.addTo(&t.bucket[word], newLiteral(text, -1), format)
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

// addTo adds a literal to the list with index *place. If *place is 0, it makes a new list.
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
		if list[i].rest.text == l.rest.text && list[i].gram == l.gram {
			list[i].rest.formats.add(format)
			return list
		}
	}
	l.rest.formats.add(format)
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

// rarestGrams returns the offset of five bytes of text. Of all five consecutive bytes of text, these have the two
// grams that are the rarest in logs.
func (t *triggers) rarestGrams(text string) int {
	best, lowest := 0, 1<<30
	for i := 0; i+5 <= len(text); i++ {
		sum := 0
		for j := i; j < i+5; j++ {
			sum += commonness(text[j])
		}
		for j := i; j < i+2; j++ {
			if t.common[text[j:j+4]] {
				sum += 100
			}
		}
		if sum < lowest {
			best, lowest = i, sum
		}
	}
	return best
}

// commonGrams are sequences of four bytes that many lines contain.
const commonGrams = "ing |tion|test|Test|ting|atio|sion|ding|ving| in | com| tes|from|comp|form|load|rror|able|" +
	"ator|vers|comm|ated|ning|ring|ling|exec|xecu|date|time|Time|ion |ted |ed: |s:  |te: |ng d|ng a|ng o|port|ject|" +
	"bjec|unit|work|file|urce|ence|lass|ount|lect|main|back|buil|uild| for| fro| Tes|thub|gith|   -|    |.jav|" +
	"java|ava:|.py:|ote:|rame|Name|name|INFO|inst|stal|pack|ckag|modu|conf|nfig|func|unct|line|ment|est |ests|ies |" +
	"ess |ther|this|that|with|have| the|the | not|----|====|http|.com|crip|kipp|ailu|ecut|│ |sing|s://|PASS|cond|" +
	" ...|upli|─\xe2|solv|--- |ndle|... |mpil| pro|undl|bund|Runn|vice|ippe|pped|lvin|clud|uted|Task|ng f| run|" +
	" lea|SKIP|atch|fail|roce|code|ervi|Fail| fai| Fai|and |─ |ded |Read|dule|pile|cted|ile |ance|aram|ound|pera|" +
	"al: |omma|mand| INF|NFO |ing:|ng: |hrow|ings|===>|igur|ed, |loca|appl|labl|hub/|requ|sted|alle|call|evic|andl|" +
	"ermi|prot|lock|mple|ssin|unti|alid| htt| bui| is |nner|ersi|ples|:tes|ub.c|adle|ppor| KB | Gra| PAS|vali|chec|" +
	"rom |tjso|WARN|Erro|ase | /ho|/run|RNIN|ript|amew|You |caba|lure|read|roto|lica|on: |-com|led | SKI|.fas"

// commonness says roughly how often a byte occurs in logs.
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

// scan adds to m the formats that have a literal in text.
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
func (t *triggers) maybe(gram uint32) bool { return t.grams[gramWord(gram)]&gramBit(gram) != 0 }

// hit compares the text around position i with the literals that share the gram's word.
func (t *triggers) hit(text []byte, i int, gram uint32, m *mask) {
	list := t.lists[t.bucket[gramWord(gram)]]
	for j := range list {
		if l := &list[j]; l.at(text, i-l.gram) {
			m.or(&l.rest.formats)
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
			m.or(&l.rest.formats)
		}
	}
}
