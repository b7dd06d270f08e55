package httpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/blq-ci/blq/store"
)

// HasBody reports whether a request has a body. The body may be empty.
func HasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

// body counts the bytes that are read from a request's body. At the end of the body it clears the read deadline. This
// is necessary because the server keeps reading while a handler works, to notice a closed connection. If the deadline
// expired then, the server would treat the connection as closed, and cancel the request.
//
// A chunk may have a single byte, so a body in chunks may need far more processor time than its size shows. If such a
// body is not read to its end, the connection is closed.
type body struct {
	io.ReadCloser
	x       *exchange
	control *http.ResponseController
	header  http.Header // of the response
	chunked bool
	ended   bool
	waits   bool         // the client sends the body only after the first Read
	arrived func() int64 // bytes that have arrived over the connection
	before  int64        // bytes that had arrived before the body
	size    int64        // bytes of the body so far
	turn    time.Time    // when other goroutines could last run
}

// newBody returns the body of a request.
func newBody(w http.ResponseWriter, r *http.Request, x *exchange) *body {
	b := &body{ReadCloser: r.Body, x: x, control: http.NewResponseController(w), header: w.Header(),
		chunked: r.ContentLength < 0, waits: r.Header.Get("Expect") != "", turn: time.Now(),
		arrived: arrivedOf(r.Context())}
	if b.chunked {
		b.header.Set(headerConnection, "close")
		b.before = b.arrived()
	}
	return b
}

type arrivedKey struct{}

// Arriving returns a context for the requests of a connection. The function arrived returns the number of bytes that
// have arrived over the connection.
func Arriving(ctx context.Context, arrived func() int64) context.Context {
	return context.WithValue(ctx, arrivedKey{}, arrived)
}

func arrivedOf(ctx context.Context) func() int64 {
	if arrived, ok := ctx.Value(arrivedKey{}).(func() int64); ok {
		return arrived
	}
	return func() int64 { return 0 }
}

// freeFraming is the number of bytes around the chunks of a body that are always allowed. More such bytes are allowed
// only up to half the size of the body, so the chunks of a long body have at least ten bytes on average.
const freeFraming = 64 << 10

// errFraming is the error of Read for a body with too many tiny chunks.
var errFraming = store.Hint(store.Errorf(store.Invalid, "the chunks of the body are too small"),
	"send it with Content-Length, or in larger chunks")

// isWasteful reports whether a body has too many tiny chunks.
func (b *body) isWasteful() bool {
	return b.chunked && b.arrived()-b.before-b.size > freeFraming+b.size/2
}

const headerConnection = "Connection"

// longRead is the time after which a goroutine that reads a body lets other goroutines run. If the bytes of many bodies
// are always there, each of their goroutines would otherwise run for as long as the scheduler allows.
const longRead = 100 * time.Microsecond

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.x.in += int64(n)
	b.size += int64(n)
	if err == io.EOF {
		b.ended = true
		_ = b.control.SetReadDeadline(time.Time{})
		if b.chunked {
			b.header.Del(headerConnection)
		}
	}
	if err == nil && b.isWasteful() {
		return n, errFraming
	}
	if time.Since(b.turn) > longRead {
		runtime.Gosched()
		b.turn = time.Now()
	}
	return n, err
}

// maxRest is the number of bytes of a body that are read after its request. Otherwise a client that is still sending
// may not get the answer. If there are more, the server reads about as many again before it closes the connection.
const maxRest = 256 << 10

// leave reads the rest of the body after the request. If the rest has too many tiny chunks, nothing more is read.
func (b *body) leave() {
	if !b.chunked || b.ended || b.waits {
		return
	}
	if _, err := io.CopyN(io.Discard, b, maxRest); errors.Is(err, errFraming) {
		_ = b.control.SetReadDeadline(time.Unix(1, 0)) // if the connection has no deadlines, the server reads on
	}
}

// firstRead is the max memory for a body before its first byte has arrived.
const firstRead = 16 << 10

// ReadBody reads the body of a request, at most max bytes. It allocates memory as bytes arrive, not as Content-Length
// promises (see Hold). The error is TooLarge for a longer body, and Invalid for an incomplete body. It is Timeout
// if the body is not complete in time (see Bounds), and Unavailable if there is no memory at the moment.
func ReadBody(w http.ResponseWriter, r *http.Request, max int64) ([]byte, error) {
	if r.ContentLength > max {
		return nil, tooLarge(max)
	}
	want := max // max bytes that may arrive
	if r.ContentLength >= 0 {
		want = r.ContentLength
	}
	in := http.MaxBytesReader(w, r.Body, max)
	var text []byte
	for {
		if len(text) == cap(text) {
			var err error
			if text, err = grow(r.Context(), text, want); err != nil {
				return nil, err
			}
		}
		n, err := in.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			exchangeOf(r.Context()).beginWork(r)
			return text, nil
		}
		if err != nil {
			return nil, brokenOff(r, err, max)
		}
	}
}

// grow returns the text in a larger buffer. It doubles the size, but not to much more than want, the expected number of
// bytes.
func grow(ctx context.Context, text []byte, want int64) ([]byte, error) {
	size := min(max(2*int64(cap(text)), firstRead), max(want, int64(cap(text)))+bytes.MinRead)
	if err := Hold(ctx, size-int64(cap(text))); err != nil {
		return nil, err
	}
	return append(make([]byte, 0, size), text...), nil
}

// brokenOff returns the error for a body that did not arrive completely.
func brokenOff(r *http.Request, err error, max int64) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(max)
	case errors.Is(err, errFraming):
		return errFraming
	case errors.Is(err, os.ErrDeadlineExceeded):
		return store.Hint(store.Errorf(Timeout, "the body did not arrive within %v", exchangeOf(r.Context()).bounds.Read),
			"send less at a time")
	}
	return store.Errorf(store.Invalid, "the body did not arrive whole")
}

func tooLarge(max int64) error {
	return store.Hint(store.Errorf(store.TooLarge, "the body is larger than %d bytes", max), "send less at a time")
}
