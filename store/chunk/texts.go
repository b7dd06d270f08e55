package chunk

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/blq-ci/blq/store"
)

// Texts is a cache of chunk texts. With the cache, an answer with many parts of one log fetches and unpacks each chunk
// only once. Chunks never change. Callers must check the permission to read a chunk first. Texts may be used from
// several goroutines. A nil Texts caches nothing.
type Texts struct {
	kept *lru.Cache[string, []byte]
}

// NewTexts returns a cache for a number of chunks, of about 1 MiB each.
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
