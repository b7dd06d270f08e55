package redact

import (
	"math/bits"
	"slices"
	"sync"
)

// shapeTable finds shapes by the first four bytes of the text that they match.
type shapeTable struct {
	heads shapeSet // first grams of matches
	parts partSet
	pairs pairSet    // first two bytes of matches
	grams []uint32   // the first grams of matches
	list  []uint16   // for each gram, the index of its list in lists
	lists [][]*shape // lists of the shapes with the same first gram
	slots []uint16   // hash table of the grams: one more than an index in grams, 0 for a free slot
	shift int        // the slot of a gram is in the highest bits of its hash
	all   bool       // the table has more than the shapes of mask commands
}

// pairSet has a bit for each pair of bytes. The bit is set if a match may begin with this pair.
type pairSet [256][256 / 64]uint64

// maxGrams is the capacity of the list of first grams. It is enough for the first grams of all shapes.
const maxGrams = 12 << 10

func newShapeTable(shapes []*shape) *shapeTable {
	lister := gramLister{bytes: map[*class][]byte{}}
	all, ends := make([]uint32, 0, maxGrams), make([]int, len(shapes))
	for i, s := range shapes {
		all = append(all, lister.of(s)...)
		ends[i] = len(all)
	}
	t := &shapeTable{lists: make([][]*shape, 1, 2*len(shapes)), shift: 32 - max(1, bits.Len(uint(2*len(all)))),
		grams: make([]uint32, 0, len(all)), list: make([]uint16, 0, len(all))}
	t.slots = make([]uint16, 1<<(32-t.shift))
	t.touch()
	var longer []longerList
	from := 0
	for i, s := range shapes {
		longer = longer[:0]
		for _, gram := range all[from:ends[i]] {
			longer = t.add(gram, s, longer)
		}
		from = ends[i]
	}
	return t
}

// touch writes to all pages of a new table. A page of new memory causes two page faults if it is read before it is
// written, and one otherwise.
func (t *shapeTable) touch() {
	clear(t.slots)
	clear(t.heads[:])
	clear(t.parts[:])
	clear(t.pairs[:])
}

// longerList is a pair of lists of shapes, given by their indexes in shapeTable.lists. The second list has the shapes
// of the first list, and one more shape at the end.
type longerList struct{ list, longer uint16 }

// add adds a shape to the list of a gram. Grams with the same shapes share a list. So if a pair in lists begins with
// the present list of the gram, add uses the second list of this pair. Otherwise it creates a list. add returns the
// pairs, with a pair for the list that it created.
func (t *shapeTable) add(gram uint32, s *shape, lists []longerList) []longerList {
	i := t.index(gram)
	before := t.lists[t.list[i]]
	if len(before) > 0 && before[len(before)-1] == s {
		return lists
	}
	for _, k := range lists {
		if k.list == t.list[i] {
			t.list[i] = k.longer
			return lists
		}
	}
	k := longerList{t.list[i], uint16(len(t.lists))}
	t.lists = append(t.lists, append(before[:len(before):len(before)], s))
	t.list[i] = k.longer
	return append(lists, k)
}

// index returns the index of a gram. If the gram is new, index adds it with an empty list.
func (t *shapeTable) index(gram uint32) uint16 {
	slot := t.slot(gram)
	if *slot == 0 {
		t.heads.add(gram)
		t.parts.add(gram)
		second := byte(gram >> 8)
		t.pairs[byte(gram)][second/64] |= 1 << (second % 64)
		t.grams, t.list = append(t.grams, gram), append(t.list, 0)
		*slot = uint16(len(t.grams))
	}
	return *slot - 1
}

// slot returns the slot of a gram in the hash table. If the table does not have the gram, slot returns a free slot.
func (t *shapeTable) slot(gram uint32) *uint16 {
	at := gram * gramMul >> (t.shift & 31)
	for t.slots[at] != 0 && t.grams[t.slots[at]-1] != gram {
		at = (at + 1) & uint32(len(t.slots)-1)
	}
	return &t.slots[at]
}

// of returns the shapes whose matches may begin with a gram.
func (t *shapeTable) of(gram uint32) []*shape {
	slot := *t.slot(gram)
	if slot == 0 {
		return nil
	}
	return t.lists[t.list[slot-1]]
}

// begins reports whether a match of a shape may begin with the text. The text is shorter than a gram.
func (t *shapeTable) begins(text []byte) bool {
	switch len(text) {
	case 0:
		return len(t.grams) > 0
	case 1:
		return t.pairs[text[0]] != [256 / 64]uint64{}
	case 2:
		return t.hasPair(text)
	}
	first := uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16
	return t.hasPair(text) && slices.ContainsFunc(t.grams, func(gram uint32) bool { return gram<<8 == first<<8 })
}

func (t *shapeTable) hasPair(text []byte) bool {
	return t.pairs[text[0]][text[1]/64]>>(text[1]%64)&1 != 0
}

// commandShapes are the shapes of mask commands. A Redactor from New searches for these shapes even if Options.Shapes
// is not set.
var commandShapes = sync.OnceValue(func() *shapeTable { return newShapeTable(maskCommands()) })

// allShapes are the shapes of mask commands, tokens and all other secrets. They are compiled once.
var allShapes = sync.OnceValue(newAllShapes)

func newAllShapes() *shapeTable {
	list := append(maskCommands(), privateKey(), keyTail(), puttyKey(), accessKey(), userToken(), urlPassword(),
		bearerToken(), dataSource(), oracleSource())
	list = append(append(append(list, spoken()...), writtenShapes()...), joinedShape(), pairShape(), loginShape(),
		flagShape(), webToken(), argumentsShape(), insertShape(), redisShape(), formShape(), protocolShape(), promptShape(),
		bulkShape(), proctitleShape(), execveShape(), generatedShape(), encodedShape(), azureKeyShape(),
		mailchimpShape(), webKeyShape(), rsaKeyShape(), phraseShape(), codeShape(), bundleShape(), identifiedShape(),
		printedShape(), dockerAuthShape())
	list = append(append(append(list, framedShapes()...), rareShapes()...), serviceShapes()...)
	list = append(append(list, keyLinesShapes()...), bitwardenShape())
	t := newShapeTable(append(list, compileShapes(false)...))
	t.all = true
	return t
}

// tokenShapes are the shapes of tokens that need no surrounding text. They are compiled once.
var tokenShapes = sync.OnceValue(func() *shapeTable {
	list := append([]*shape{privateKey(), puttyKey(), bitwardenShape()}, keyLinesShapes()...)
	t := newShapeTable(append(list, compileShapes(true)...))
	t.all = true
	return t
})
