// Package chunk stores logs as chunks. A chunk is an immutable zstd object of at most 1 MiB of text. The store records
// the numbers of lines and bytes of each chunk. So readers can read a log while the log is being written, and can read
// a part of a large log without reading all of it. An interrupted upload can continue.
package chunk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/store"
)

// Size is the max size of a new chunk's text, in bytes.
const Size = 1 << 20

// maxBytes is the max size of a stored chunk's text, in bytes. It protects readers against wrong sizes in the store.
const maxBytes = 16 << 20

// Key returns the key of a chunk's object. The first directory below logs/ is named after the last characters of the
// attempt. The first characters of a UUIDv7 are the time, so with them all new objects would be in one directory. The
// key contains the digest. So an object that a crashed writer left does not conflict with a new object.
func Key(attempt string, sequence int, digest string) string {
	return fmt.Sprintf("logs/%s/%s/%06d-%.12s.zst", attempt[max(0, len(attempt)-2):], attempt, sequence, digest)
}

// digest returns the digest of an object.
func digest(object []byte) string {
	sum := sha256.Sum256(object)
	return hex.EncodeToString(sum[:])
}

// unpack checks an object, and appends its text to buf[:0].
func unpack(d *zstd.Decoder, buf []byte, c store.Chunk, object []byte) ([]byte, error) {
	if got := digest(object); got != c.Digest {
		return nil, fmt.Errorf("chunk %d is damaged: its digest is %.12s, not %.12s", c.Sequence, got, c.Digest)
	}
	if c.Bytes < 0 || c.Bytes > maxBytes {
		return nil, store.Errorf(store.TooLarge, "chunk %d holds %d bytes, more than %d", c.Sequence, c.Bytes, maxBytes)
	}
	if err := d.Reset(bytes.NewReader(object)); err != nil {
		return nil, fmt.Errorf("unpack chunk %d: %w", c.Sequence, err)
	}
	if int64(cap(buf)) <= c.Bytes {
		buf = make([]byte, 0, c.Bytes+1)
	}
	n, err := io.ReadFull(d, buf[:c.Bytes+1]) // one byte more than expected, to detect an object that is too large
	switch {
	case err == nil:
		return nil, fmt.Errorf("chunk %d is damaged: it holds more than %d bytes", c.Sequence, c.Bytes)
	case int64(n) != c.Bytes || !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("chunk %d is damaged: %d of %d bytes: %w", c.Sequence, n, c.Bytes, err)
	}
	return buf[:n], nil
}

func newDecoder() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(8<<20))
}
