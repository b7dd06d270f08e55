package chunk

import (
	"sync"

	"github.com/blq-ci/blq/store"
)

// Texts is a cache of chunk texts. If an answer has many parts of one log, each chunk is fetched and unpacked only
// once. Chunks never change. Before callers use the cache, they must check that the reader may see the chunk. Several
// goroutines may use a Texts. A nil Texts caches nothing.
//
// A cache has few texts, so a list is fast enough. A library for caches would add 30 KB to the program of jobs.
type Texts struct {
	mu   sync.Mutex
	max  int
	kept []kept // least recently used first
}

type kept struct {
	key  string
	text []byte
}

// NewTexts returns a cache for the given number of chunks. A chunk takes about 1 MiB.
func NewTexts(chunks int) *Texts { return &Texts{max: max(1, chunks)} }

func (t *Texts) get(c store.Chunk) ([]byte, bool) {
	if t == nil {
		return nil, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.use(c.Key + " " + c.Digest)
}

func (t *Texts) put(c store.Chunk, text []byte) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := c.Key + " " + c.Digest
	if _, known := t.use(key); known {
		return
	}
	if len(t.kept) < t.max {
		t.kept = append(t.kept, kept{})
	} else {
		copy(t.kept, t.kept[1:])
	}
	t.kept[len(t.kept)-1] = kept{key, text}
}

// use returns the text with a key, and makes it the most recently used one.
func (t *Texts) use(key string) (text []byte, known bool) {
	for i, k := range t.kept {
		if k.key == key {
			copy(t.kept[i:], t.kept[i+1:])
			t.kept[len(t.kept)-1] = k
			return k.text, true
		}
	}
	return nil, false
}
