package parse

import (
	"fmt"
	"sort"
	"strings"
)

func newTriggers(formats []Format) *triggers {
	if len(formats) > maxFormats {
		panic(fmt.Sprintf("parse: %d formats, but a mask holds %d", len(formats), maxFormats))
	}
	texts := 0
	for i := range formats {
		texts += len(formats[i].Triggers)
	}
	t := &triggers{startLists: make([][]literal, 1), common: map[uint32]bool{},
		inserted: make(map[gramKey]int, 2*texts), lists: make([][]literal, 0, 2*texts)} // a text has two grams
	for gram := range strings.SplitSeq(commonGrams, "|") {
		t.common[gramOf(gram)] = true
	}
	for b := range t.weights {
		t.weights[b] = commonness(byte(b))
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
	t.sortKeys()
	return t
}

func (t *triggers) insert(text string, format int) {
	switch {
	case len(text) > 4:
		at := t.rarestGrams(text)
		t.insertGram(text[at:at+4], allBits, t.newLiteral(text, at), format)
		t.insertGram(text[at+1:at+5], allBits, t.newLiteral(text, at+1), format)
	case len(text) == 4:
		t.insertGram(text, allBits, t.newLiteral(text, 0), format)
		t.insertBehindAny(text, format)
	case len(text) == 3 && isASCII(text):
		t.short = addLiteral(t.short, t.newLiteral(text, 0), format)
		t.insertBehindAny(text, format)
		l := t.newLiteral(text, 0)
		for next := range 256 { // any following byte
			t.insertGram(text+string([]byte{byte(next)}), allBits, l, format)
		}
	case text != "":
		t.glyphs = addLiteral(t.glyphs, t.newLiteral(text, 0), format)
		t.leads[text[0]] = true
	}
}

// allBits compares all four bytes of a gram, and lastBits the last three.
const (
	allBits  = 0xffffffff
	lastBits = 0xffffff00
)

func (t *triggers) insertGram(gram string, bits uint32, l literal, format int) {
	v := gramOf(gram)
	word, bit := gramPlace(v)
	if bits != allBits {
		bit = allGrams
	}
	t.grams[word] |= bit
	key := gramKey{v & bits, bits, uint16(word), 0}
	list, ok := t.inserted[key]
	if !ok {
		list = len(t.lists)
		t.inserted[key] = list
		t.lists = append(t.lists, nil)
	}
	t.lists[list] = addLiteral(t.lists[list], l, format)
}

const allGrams = ^uint64(0)

// insertBehindAny inserts the grams that consist of any byte and the first three bytes of a literal.
func (t *triggers) insertBehindAny(text string, format int) {
	t.insertGram("?"+text[:3], lastBits, t.newLiteral(text, -1), format)
}

// sortKeys arranges the inserted grams by their bitmap words.
func (t *triggers) sortKeys() {
	t.keys = make([]gramKey, 0, len(t.inserted))
	for key, list := range t.inserted {
		key.list = uint32(list)
		t.keys = append(t.keys, key)
	}
	sort.Slice(t.keys, func(i, j int) bool { return t.keys[i].word < t.keys[j].word })
	t.inserted, t.common = nil, nil
	for i, word := 0, 0; word < len(t.first); word++ {
		for i < len(t.keys) && int(t.keys[i].word) < word {
			i++
		}
		t.first[word] = uint32(i)
	}
}

func (t *triggers) insertStart(text string, format int) {
	var place *uint16
	switch {
	case text == "":
		t.any.add(format)
		return
	case len(text) < 3:
		place = &t.tiny[text[0]]
	default:
		place = &t.starts[startHash(text)]
	}
	if *place == 0 {
		*place = uint16(len(t.startLists))
		t.startLists = append(t.startLists, nil)
	}
	t.startLists[*place] = addLiteral(t.startLists[*place], t.newLiteral(text, 0), format)
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
