package redact

import (
	"slices"
	"sort"
	"strings"
)

// needle is a text to search for: a secret value in one of its forms, such as base64.
type needle struct {
	text string
	// head is the beginning of a value, and text is the rest, if a line break in the output divides the value. The line
	// before the needle must end with head. If head is "", any text may come before the needle.
	head string
	// base64 is set for a text in base64. Its last bits may be in one more character, which also has bits of the
	// following text.
	base64 bool
	plain  bool // the text is the beginning of a value, not an encoded form
}

// gramSize is the length in bytes of a gram. A gram is the beginning of a needle, and the key under which the needle
// is found. Shorter texts are not indexed.
const gramSize = 4

func gramOf[T string | []byte](text T) uint32 {
	return uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16 | uint32(text[3])<<24
}

// index has sorted needles (forms of secret values). One search finds all needles that begin at a position.
type index struct {
	needles []needle
	parent  []int32 // index of the longest other needle that is a prefix of this needle, or -1
	groups  grams[group]
}

// group is the range of the needles that begin with the same gram.
type group struct{ from, to int32 }

func newIndex(needles []needle) *index {
	sort.Slice(needles, func(i, j int) bool { return needles[i].text < needles[j].text })
	x := &index{needles: needles, parent: make([]int32, len(needles)), groups: newGrams[group](len(needles))}
	var above []int32
	from := 0
	for i, n := range needles {
		for len(above) > 0 && !strings.HasPrefix(n.text, needles[above[len(above)-1]].text) {
			above = above[:len(above)-1]
		}
		x.parent[i] = -1
		if len(above) > 0 {
			x.parent[i] = above[len(above)-1]
		}
		above = append(above, int32(i))
		if i+1 == len(needles) || needles[i+1].text[:gramSize] != n.text[:gramSize] {
			x.groups.put(gramOf(n.text), group{int32(from), int32(i + 1)})
			from = i + 1
		}
	}
	return x
}

// at returns the index of the longest needle in a group that is a prefix of the text, or -1. The result more reports
// whether the text itself is a prefix of a longer needle.
func (x *index) at(text []byte, g group) (found int32, more bool) {
	from, to := int(g.from), int(g.to)
	for from < to { // find the first needle that sorts after the text
		mid := int(uint(from+to) >> 1)
		if x.needles[mid].text > string(text) {
			to = mid
		} else {
			from = mid + 1
		}
	}
	if from < int(g.to) {
		more = len(x.needles[from].text) > len(text) && x.needles[from].text[:len(text)] == string(text)
	}
	for i := int32(from - 1); i >= g.from; i = x.parent[i] {
		if n := &x.needles[i]; len(n.text) <= len(text) && string(text[:len(n.text)]) == n.text {
			return i, more
		}
	}
	return -1, more
}

// whole returns i if the needle i has no head, or if its head comes before the position of the search. Otherwise it
// returns the index of the longest prefix of the needle i that passes this test, or -1 for none. The function behind
// reports whether the head of a needle comes before the position.
func (x *index) whole(i int32, behind func(*needle) bool) int32 {
	for i >= 0 && x.needles[i].head != "" && !behind(&x.needles[i]) {
		i = x.parent[i]
	}
	return i
}

// continues reports whether a needle of a group begins with the text and is longer than the text. Needles with a head
// do not count.
func (x *index) continues(g group, text []byte) bool {
	list := x.needles[g.from:g.to]
	i := 0
	if len(list) > 8 {
		i, _ = slices.BinarySearchFunc(
			list, text, func(n needle, text []byte) int { return strings.Compare(n.text, string(text)) })
	}
	for i < len(list) && list[i].text < string(text) {
		i++
	}
	for ; i < len(list) && strings.HasPrefix(list[i].text, string(text)); i++ {
		if len(list[i].text) > len(text) && list[i].head == "" {
			return true
		}
	}
	return false
}

// begins reports whether a needle begins with a text of less than gramSize bytes.
func (x *index) begins(text []byte) bool {
	i, _ := slices.BinarySearchFunc(
		x.needles, text, func(n needle, text []byte) int { return strings.Compare(n.text, string(text)) })
	return i < len(x.needles) && x.needles[i].text[:len(text)] == string(text)
}

// grams is a hash table. A key is a gram, which is a number made of four bytes.
type grams[T any] struct {
	slots []slot[T]
	shift int
}

type slot[T any] struct {
	gram  uint32
	taken bool
	value T
}

func newGrams[T any](n int) grams[T] {
	bits := 4
	for 1<<bits < 2*n {
		bits++
	}
	return grams[T]{slots: make([]slot[T], 1<<bits), shift: 32 - bits}
}

func (g *grams[T]) slot(gram uint32) *slot[T] {
	i := (gram * gramMul) >> g.shift
	for g.slots[i].taken && g.slots[i].gram != gram {
		i = (i + 1) & uint32(len(g.slots)-1)
	}
	return &g.slots[i]
}

func (g *grams[T]) get(gram uint32) (value T, ok bool) {
	s := g.slot(gram)
	return s.value, s.taken
}

func (g *grams[T]) put(gram uint32, value T) { *g.slot(gram) = slot[T]{gram, true, value} }
