package chunk

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/store"
)

// Rewrite calls the function edit with the text of a chunk, and returns a new object with the result. edit must not
// change the length or the line ends. If edit changes nothing, Rewrite returns the old object.
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

// Hide returns an object with the text of a chunk, in which asterisks replace the bytes that are asterisks in another
// object. That object must have the same text except for the asterisks. If it has no further asterisks, Hide returns
// the old object. Conflict: the texts differ in other bytes.
func Hide(object []byte, c store.Chunk, hidden []byte, by store.Chunk) ([]byte, error) {
	d, err := newDecoder()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	mask, err := unpack(d, nil, by, hidden)
	if err != nil {
		return nil, err
	}
	var differs error
	fresh, err := Rewrite(object, c, func(text []byte) []byte {
		if len(text) != len(mask) {
			differs = notHidden(c)
			return text
		}
		text = bytes.Clone(text)
		for i, b := range mask {
			switch {
			case b == text[i] || text[i] == '*':
			case b == '*' && text[i] != '\n':
				text[i] = '*'
			default:
				differs = notHidden(c)
			}
		}
		return text
	})
	if differs != nil {
		return nil, differs
	}
	return fresh, err
}

func notHidden(c store.Chunk) error {
	return store.Errorf(store.Conflict, "chunk %d exists with another text: only asterisks can replace it", c.Sequence)
}

// Renewed returns a chunk of a run with a new object in place of the old object.
func Renewed(attempt string, c store.Chunk, object []byte) store.Chunk {
	c.Digest, c.Stored = digest(object), int64(len(object))
	c.Key = Key(attempt, c.Sequence, c.Digest)
	return c
}
