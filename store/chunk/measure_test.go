package chunk_test

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

func object(t *testing.T, text []byte) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return e.EncodeAll(text, nil)
}

func TestAnObjectIsMeasured(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("line\n"), 50_000)
	text = append(text, "half"...)
	got, err := chunk.Measure(object(t, text), 1<<20)
	if want := (chunk.Extent{Bytes: int64(len(text)), Lines: 50_000}); got != want || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := chunk.Measure(object(t, nil), 0); got != (chunk.Extent{}) || err != nil {
		t.Errorf("empty: %v, %v", got, err)
	}
}

func TestWhatIsNoObjectIsNotMeasured(t *testing.T) {
	t.Parallel()
	whole := object(t, bytes.Repeat([]byte("line\n"), 5000))
	bomb := object(t, make([]byte, 64<<20))
	for name, test := range map[string]struct {
		object []byte
		code   store.Code
	}{
		"no zstd":   {[]byte("plain text, and enough of it"), store.Invalid},
		"cut":       {whole[:len(whole)-5], store.Invalid},
		"damaged":   {append(bytes.Clone(whole[:20]), whole[25:]...), store.Invalid},
		"a bomb":    {bomb, store.TooLarge},
		"more":      {append(bytes.Clone(whole), "more"...), store.Invalid},
		"too large": {object(t, make([]byte, 1<<20+1)), store.TooLarge},
	} {
		if _, err := chunk.Measure(test.object, 1<<20); store.CodeOf(err) != test.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := chunk.Measure(whole, 1<<20); err != nil {
		t.Errorf("after those: %v", err)
	}
}
