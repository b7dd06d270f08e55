//go:build !race

package docs_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/blq-ci/blq/facts"
)

// known is a set in memory with known digests.
type known struct {
	memory
	files  []facts.File
	digest string
}

func (k known) Files() []facts.File { return k.files }
func (k known) Digest() string      { return k.digest }

// TestBuildTakesLittleMemory compares two numbers with the size of the text: the bytes that are allocated while an
// index is built, and the bytes of the index.
func TestBuildTakesLittleMemory(t *testing.T) {
	set := memory{}
	size := 0
	for i := range 100 {
		text := corpus(2000)
		set[fmt.Sprintf("%03d.md", i)] = text
		size += len(text)
	}
	at := known{set, set.Files(), set.Digest()}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x := index(t, at, nil)
	runtime.ReadMemStats(&after)
	const times = 6
	if n := int(after.TotalAlloc-before.TotalAlloc) / size; n > times {
		t.Errorf("%d times the size of the text was allocated, want at most %d", n, times)
	}
	if x.Memory() > int64(2*size) {
		t.Errorf("the index takes %d bytes, the text %d", x.Memory(), size)
	}
}
