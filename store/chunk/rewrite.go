package chunk

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/store"
)

// Rewrite applies edit to the text of a chunk, and returns the new object. edit must keep the length and the line ends.
// Rewrite returns object itself if nothing changes.
func Rewrite(object []byte, c store.Chunk, edit func(text []byte) []byte) ([]byte, error) {
	d, err := newDecoder()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	text, err := unpack(d, nil, c, object)
	if err != nil {
		return nil, err
	}
	edited := edit(text)
	switch {
	case bytes.Equal(edited, text):
		return object, nil
	case len(edited) != len(text):
		return nil, fmt.Errorf("chunk %d has %d bytes and would have %d", c.Sequence, len(text), len(edited))
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(Size))
	if err != nil {
		return nil, fmt.Errorf("start compressor: %w", err)
	}
	defer e.Close()
	return e.EncodeAll(edited, nil), nil
}

// Renewed returns a chunk of a run with another object in place of its earlier one.
func Renewed(attempt string, c store.Chunk, object []byte) store.Chunk {
	c.Digest, c.Stored = digest(object), int64(len(object))
	c.Key = Key(attempt, c.Sequence, c.Digest)
	return c
}
