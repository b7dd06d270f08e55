package chunk

import (
	"fmt"
	"sync"
	"testing"

	"github.com/blq-ci/blq/store"
)

func TestTextsKeepWhatWasUsedLast(t *testing.T) {
	t.Parallel()
	c := func(n int) store.Chunk { return store.Chunk{Key: fmt.Sprint("key", n), Digest: "d"} }
	texts := NewTexts(2)
	for n := range 2 {
		texts.put(c(n), []byte{byte(n)})
	}
	texts.get(c(0))
	texts.put(c(2), []byte{2})
	texts.put(c(2), []byte{9}) // chunks never change
	for n, want := range []bool{true, false, true} {
		if text, ok := texts.get(c(n)); ok != want || ok && text[0] != byte(n) {
			t.Errorf("chunk %d: %v %v", n, text, ok)
		}
	}
	var none *Texts
	none.put(c(1), nil)
	if _, ok := none.get(c(1)); ok {
		t.Error("a nil cache has a text")
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			texts.put(c(i), []byte{byte(i)})
			if text, ok := texts.get(c(i)); ok && text[0] != byte(i) {
				t.Errorf("chunk %d has the text %d", i, text[0])
			}
		})
	}
	all.Wait()
}
