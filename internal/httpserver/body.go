package httpserver

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/blq-ci/blq/store"
)

// HasBody reports whether a request has a body, which may be empty.
func HasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

// body counts the bytes that are read of a request's body. At the end of the body it clears the read deadline.
// While a handler works, the server keeps reading to notice when the client hangs up, and would take the deadline
// for that and cancel the request.
type body struct {
	io.ReadCloser
	x       *exchange
	control *http.ResponseController
}

func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.x.in += int64(n)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// ReadBody reads the body of a request, up to max bytes. TooLarge: it has more. Timeout: it did not arrive in time
// (see Bounds). Invalid: it did not arrive whole.
func ReadBody(w http.ResponseWriter, r *http.Request, max int64) ([]byte, error) {
	if r.ContentLength > max {
		return nil, tooLarge(max)
	}
	var b bytes.Buffer
	if r.ContentLength > 0 {
		b.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, max))
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return b.Bytes(), nil
	case errors.As(err, &large):
		return nil, tooLarge(max)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, store.Hint(store.Errorf(Timeout, "the body did not arrive within %v", exchangeOf(r.Context()).bounds.Read), "send less at a time")
	}
	return nil, store.Errorf(store.Invalid, "the body did not arrive whole")
}

func tooLarge(max int64) error {
	return store.Hint(store.Errorf(store.TooLarge, "the body is larger than %d bytes", max), "send less at a time")
}
