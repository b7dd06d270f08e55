package chunk

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/blq-ci/blq/store"
)

// Texts keeps the text of chunks that were read lately, so that an answer that
// shows many places of a log fetches and unpacks each chunk once. Chunks never
// change. Permission to read a chunk has to be checked before. Texts may be used
// from several goroutines. A nil Texts keeps nothing.
type Texts struct {
	kept *lru.Cache[string, []byte]
}

// NewTexts returns a Texts that keeps a number of chunks, of about 1 MiB each.
func NewTexts(chunks int) *Texts {
	kept, err := lru.New[string, []byte](max(1, chunks))
	if err != nil {
		panic(err) // only for a size below 1
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
