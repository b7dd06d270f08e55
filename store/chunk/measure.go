package chunk

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/store"
)

// Measure unpacks an untrusted object, and returns the size of its text. An unfinished last line does not count as a
// line. Invalid: the object is not in zstd format, or is incomplete. TooLarge: the object has more than limit bytes of
// text.
func Measure(object []byte, limit int64) (Extent, error) {
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
	defer m.decoder.Reset(nil) // nolint:errcheck // frees the object
	var e Extent
	for {
		n, err := m.decoder.Read(m.text[:])
		e.Bytes += int64(n)
		e.Lines += bytes.Count(m.text[:n], []byte{'\n'})
		switch {
		case e.Bytes > limit:
			return Extent{}, store.Errorf(store.TooLarge, "the object decompresses to more than %d bytes", limit)
		case errors.Is(err, io.EOF):
			return e, nil
		case err != nil:
			return Extent{}, store.Errorf(store.Invalid, "the object is not whole or not zstd: %w", err)
		}
	}
}

// measure holds a decoder and a buffer, so that several objects can use both.
type measure struct {
	decoder *zstd.Decoder
	text    [64 << 10]byte
}

var measures = sync.Pool{New: func() any { return new(measure) }}
