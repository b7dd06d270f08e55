package chunk

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/store"
)

// Measure unpacks an object that somebody sent, at most so many bytes of it,
// and returns how much text it holds; an unfinished last line counts as none.
// Invalid: it is no zstd object. TooLarge: it holds more.
func Measure(object []byte, most int64) (Extent, error) {
	m := measures.Get().(*measure)
	defer measures.Put(m)
	if m.decoder == nil {
		var err error
		if m.decoder, err = newDecoder(); err != nil {
			return Extent{}, err
		}
	}
	if err := m.decoder.Reset(bytes.NewReader(object)); err != nil {
		return Extent{}, store.Errorf(store.Invalid, "the object is not zstd: %w", err)
	}
	defer m.decoder.Reset(nil) // nolint:errcheck // lets go of the object
	var e Extent
	for {
		n, err := m.decoder.Read(m.text[:])
		e.Bytes += int64(n)
		e.Lines += bytes.Count(m.text[:n], []byte{'\n'})
		switch {
		case e.Bytes > most:
			return Extent{}, store.Errorf(store.TooLarge, "the object unpacks to more than %d bytes", most)
		case errors.Is(err, io.EOF):
			return e, nil
		case err != nil:
			return Extent{}, store.Errorf(store.Invalid, "the object is not whole or not zstd: %w", err)
		}
	}
}

// measure is what measuring needs, kept for the next object.
type measure struct {
	decoder *zstd.Decoder
	text    [64 << 10]byte
}

var measures = sync.Pool{New: func() any { return new(measure) }}
