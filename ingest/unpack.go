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

// unpack returns a reader of a body that may be compressed, and that has max bytes at most then. The caller calls done
// when it has been read. TooLarge: the body says that it has more. Invalid: it cannot be read.
func unpack(r *http.Request, body []byte, max int64) (in io.Reader, done func(), err error) {
	u := &unpacked{Reader: bytes.NewReader(body), ctx: r.Context(), max: max, left: max}
	if !strings.EqualFold(strings.TrimSpace(r.Header.Get("Content-Encoding")), "zstd") {
		return u, func() {}, nil
	}
	var header zstd.Header
	if header.Decode(body) == nil && header.HasFCS && header.FrameContentSize > uint64(max) {
		return nil, nil, u.tooLarge()
	}
	d, err := zstd.NewReader(u.Reader, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, nil, store.Errorf(store.Invalid, "the body is not zstd: %w", err)
	}
	u.Reader = d
	return u, d.Close, nil
}

// unpacked reads text that comes out of a decompressor, and holds the memory for it. TooLarge: it
// is more than max. Unavailable: there is no memory for it now.
type unpacked struct {
	io.Reader
	ctx  context.Context //nolint:containedctx // the context of the request that is read
	max  int64
	left int64
	held int64 // bytes that are held and not read yet
}

// heldAtOnce is the number of bytes that unpacked holds at a time.
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

// unreadable returns the error of a body that cannot be unpacked, and reports a limit to the observer.
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
