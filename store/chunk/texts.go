package chunk

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/blq-ci/blq/store"
)

// Texts is a cache of chunk texts. If an answer has many parts of one log, each chunk is fetched and unpacked only
// once. Chunks never change. Before callers use the cache, they must check that the reader may see the chunk. Several
// goroutines may use a Texts. A nil Texts caches nothing.
type Texts struct {
	kept *lru.Cache[string, []byte]
}

// NewTexts returns a cache for the given number of chunks. A chunk takes about 1 MiB.
func NewTexts(chunks int) *Texts {
	kept, err := lru.New[string, []byte](max(1, chunks))
	if err != nil {
		panic(err) // the error is possible only for a size below 1
	}
	return &Texts{kept}
}

func (t *Texts) get(c store.Chunk) ([]byte, bool) {
	if t == nil {
		return nil, false
	}
	return t.kept.Get(c.Key + " " + c.Digest)
}

func (t *Texts) put(c store.Chunk, text []byte) {
	if t != nil {
		t.kept.Add(c.Key+" "+c.Digest, text)
	}
}
