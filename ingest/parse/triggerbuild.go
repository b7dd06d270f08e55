package parse

import (
	"encoding/binary"
	"fmt"
	"math"
)

// newTriggers returns the triggers of formats. It runs at the start of each command that parses. To be fast, it sorts
// by counting and allocates little memory.
func newTriggers(formats []Format) *triggers {
	if len(formats) > maxFormats {
		panic(fmt.Sprintf("parse: %d formats, but a mask holds %d", len(formats), maxFormats))
	}
	t := &triggers{}
	in, starts := newTexts(formats, func(f *Format) []string { return f.Triggers }),
		newTexts(formats, func(f *Format) []string { return f.Starts })
	for i := range formats {
		if d := formats[i].Document; d != nil {
			t.roots = append(t.roots, d.Roots...)
		}
		if formats[i].every {
			t.any.add(i)
		}
	}
	t.build(in)
	t.buildStarts(starts)
	return t
}

// newTexts returns the different texts of all formats, and the formats of each.
func newTexts(formats []Format, of func(*Format) []string) []rest {
	n := 0
	for i := range formats {
		n += len(of(&formats[i]))
	}
	list, known := make([]rest, 0, n), make(map[string]int, n)
	for i := range formats {
		for _, text := range of(&formats[i]) {
			at, ok := known[text]
			if !ok {
				at = len(list)
				known[text] = at
				list = append(list, rest{text: text})
			}
			list[at].formats.add(i)
		}
	}
	return list
}

func newLiteral(r *rest, gram int) literal {
	var head, bits [8]byte
	for i := range min(len(r.text), 8) {
		head[i], bits[i] = r.text[i], 0xff
	}
	return literal{binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(bits[:]), gram, r}
}

// build inserts the texts of triggers.
func (t *triggers) build(texts []rest) {
	t.literals = make([]literal, 0, 2*len(texts))
	found := make([]gramEntry, 0, 4*len(texts))
	add := func(gram, bits uint32) {
		found = append(found, gramEntry{gram & bits, bits, uint32(len(t.literals) - 1)})
		word, bit := gramPlace(gram)
		if bits != allBits {
			bit = allGrams
		}
		t.grams[word] |= bit
		t.first[word]++
	}
	behindAny := func(r *rest) {
		t.literals = append(t.literals, newLiteral(r, -1))
		add(gramOf(r.text[:3]+"?")<<8, lastBits)
	}
	weights := newWeights()
	for i := range texts {
		r := &texts[i]
		switch text := r.text; {
		case len(text) > 4:
			at := weights.rarestGrams(text)
			for _, gram := range []int{at, at + 1} {
				t.literals = append(t.literals, newLiteral(r, gram))
				add(gramOf(text[gram:]), allBits)
			}
		case len(text) == 4:
			t.literals = append(t.literals, newLiteral(r, 0))
			add(gramOf(text), allBits)
			behindAny(r)
		case len(text) == 3 && isASCII(text):
			t.short = append(t.short, newLiteral(r, 0))
			behindAny(r)
			t.literals = append(t.literals, newLiteral(r, 0))
			for next := range uint32(256) { // any following byte
				add(gramOf(text+"\x00")|next<<24, allBits)
			}
		case text != "":
			t.glyphs = append(t.glyphs, newLiteral(r, 0))
			t.leads[text[0]] = true
		}
	}
	ends(t.first[:], len(found))
	t.entries = make([]gramEntry, len(found))
	for i := len(found) - 1; i >= 0; i-- {
		word, _ := gramPlace(found[i].gram)
		t.first[word]--
		t.entries[t.first[word]] = found[i]
	}
}

// allBits compares all four bytes of a gram, and lastBits the last three.
const (
	allBits  = 0xffffffff
	lastBits = 0xffffff00

	allGrams = ^uint64(0)
)

// ends turns the sizes of groups into indexes. The groups follow each other in one list, which has total elements. The
// index of a group is the index after its last element.
func ends(counts []uint16, total int) {
	if total > math.MaxUint16 {
		panic(fmt.Sprintf("parse: %d literals of formats, but an index has 16 bits", total))
	}
	sum := uint16(0)
	for i := range counts {
		sum += counts[i]
		counts[i] = sum
	}
}

// buildStarts fills t.starts with the elements of the parameter texts. They are searched for only at the start of a
// line. An empty text matches each line, so its formats go to t.any.
func (t *triggers) buildStarts(texts []rest) {
	s := &t.starts
	for i := range texts {
		switch text := texts[i].text; {
		case text == "":
			t.any.or(&texts[i].formats)
		case len(text) < 3:
			s.tiny[text[0]]++
		default:
			s.first[startHash(text)]++
		}
	}
	ends(s.first[:], len(texts))
	s.tiny[0] += s.first[len(s.first)-1]
	ends(s.tiny[:], len(texts))
	s.list = make([]literal, s.tiny[len(s.tiny)-1])
	for i := len(texts) - 1; i >= 0; i-- {
		r := &texts[i]
		if r.text == "" {
			continue
		}
		place := &s.tiny[r.text[0]]
		if len(r.text) >= 3 {
			place = &s.first[startHash(r.text)]
		}
		*place--
		s.list[*place] = newLiteral(r, 0)
	}
}
