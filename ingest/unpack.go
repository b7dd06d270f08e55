package ingest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// unpack returns a reader of a body that may be compressed. The reader returns at most max bytes. The caller calls done
// after reading. The error is TooLarge if the body declares more than max bytes. Other faults of the body, such as
// damaged zstd data, are errors of the reader.
func unpack(r *http.Request, body []byte, max int64) (in *unpacked, done func(), err error) {
	u := &unpacked{Reader: bytes.NewReader(body), ctx: r.Context(), max: max, left: max}
	if !strings.EqualFold(strings.TrimSpace(r.Header.Get("Content-Encoding")), "zstd") {
		u.size = min(int64(len(body)), max)
		return u, func() {}, nil
	}
	var header zstd.Header
	if header.Decode(body) == nil && header.HasFCS {
		if header.FrameContentSize > uint64(max) {
			return nil, nil, u.tooLarge()
		}
		u.size = int64(header.FrameContentSize)
	}
	d, err := zstd.NewReader(u.Reader, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, nil, store.Errorf(store.Invalid, "the body is not zstd: %w", err)
	}
	u.Reader = d
	return u, d.Close, nil
}

// unpacked is a reader of decompressed text that reserves memory for the text. The error is TooLarge if the text is
// longer than max, and Unavailable if there is no memory for the text now.
type unpacked struct {
	io.Reader
	ctx  context.Context //nolint:containedctx // the context of the request that is read
	max  int64
	left int64
	held int64 // reserved bytes that are not read yet
	size int64 // size of the text as the sender announces it, at most max; 0 if unknown
}

// all reads the whole text. It reserves memory for the announced size first. A buffer that grows would take up to three
// times the memory of a large text.
func (u *unpacked) all() ([]byte, error) {
	if err := httpserver.Hold(u.ctx, u.size); err != nil {
		return nil, err
	}
	u.held = u.size
	var text bytes.Buffer
	text.Grow(int(u.size) + bytes.MinRead)
	_, err := text.ReadFrom(u)
	return text.Bytes(), err
}

// heldAtOnce is the number of bytes that unpacked reserves at a time.
const heldAtOnce = 256 << 10

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, u.tooLarge()
	}
	if u.held -= int64(n); u.held < 0 {
		if err := httpserver.Hold(u.ctx, heldAtOnce); err != nil {
			return 0, err
		}
		u.held += heldAtOnce
	}
	return n, err
}

func (u *unpacked) tooLarge() error {
	return store.Hint(store.Errorf(store.TooLarge, "the body decompresses to more than %d bytes", u.max),
		"send less at a time")
}

// unreadable returns the error for a body that cannot be unpacked. If a limit was reached, it tells the observer.
func (s *Service) unreadable(err error) error {
	switch store.CodeOf(err) {
	case store.TooLarge:
		return s.limited(limitBody, err)
	case store.Unavailable:
		return s.limited(limitUploads, err)
	case "":
		return store.Errorf(store.Invalid, "the body is not whole or not zstd: %w", err)
	}
	return err
}
