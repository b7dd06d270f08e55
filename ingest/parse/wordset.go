package parse

import (
	"strings"
	"sync"
)

// WordSet finds any of several words in a text, in one pass. Each word must have at least two bytes.
type WordSet struct {
	words []string
	built func() *wordPairs
}

// wordPairs maps the first two bytes of words to the words.
type wordPairs struct {
	by    [1 << pairBits]uint8 // hash of two bytes → index in lists
	lists [][]string           // lists[0] is empty
}

const pairBits = 12

// NewWordSet returns a set of words. The tables of the set are built at its first use.
func NewWordSet(words ...string) *WordSet {
	w := &WordSet{words: words}
	w.built = sync.OnceValue(w.build)
	return w
}

func (w *WordSet) build() *wordPairs {
	p := &wordPairs{lists: make([][]string, 1, len(w.words)+1)}
	for _, word := range w.words {
		place := &p.by[pairHash(word[0], word[1])]
		if *place == 0 {
			*place = uint8(len(p.lists))
			p.lists = append(p.lists, nil)
		}
		p.lists[*place] = append(p.lists[*place], word)
	}
	return p
}

func pairHash(a, b byte) int { return (int(a)<<5 ^ int(b)) & (1<<pairBits - 1) }

// In reports whether text contains a word of the set.
func (w *WordSet) In(text string) bool {
	p := w.built()
	for i := 0; i+1 < len(text); i++ {
		place := p.by[pairHash(text[i], text[i+1])]
		if place == 0 {
			continue
		}
		for _, word := range p.lists[place] {
			if strings.HasPrefix(text[i:], word) {
				return true
			}
		}
	}
	return false
}
