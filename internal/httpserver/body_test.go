package httpserver_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Memory is allocated as the bytes of a body arrive, and not according to the length in the request's header.
func TestBodiesTakeMemoryAsTheyArrive(t *testing.T) {
	t.Parallel()
	const max = 25 << 20
	memory := fair.NewShare(3 * max)
	used := func() int64 { return memory.Used() }
	read := func(body io.Reader, size int64) (n int, err error) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", body)
		r.ContentLength = size
		r.RemoteAddr = "1.2.3.4:5"
		watch := httpserver.Watch{Memory: memory, Address: httpserver.ClientAddress(nil)}
		watch.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var text []byte
			text, err = httpserver.ReadBody(w, r, max)
			n = len(text)
			if held := used(); err == nil && (held < int64(n) || held > 2*int64(n)+32<<10) {
				t.Errorf("%d bytes take %d bytes of memory", n, held)
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
		return n, err
	}
	first, ended := make(chan int64), make(chan struct{})
	slow := readerFunc(func([]byte) (int, error) { first <- used(); return 0, io.EOF })
	go func() {
		defer close(ended)
		_, _ = read(slow, max)
	}()
	if held := <-first; held > 64<<10 {
		t.Errorf("a header takes %d bytes of memory", held)
	}
	<-ended // the request releases its memory
	for _, n := range []int{0, 1, 511, 16 << 10, 16<<10 + 1, 100_000, 3 << 20, max} {
		for _, size := range []int64{int64(n), -1} {
			if got, err := read(strings.NewReader(strings.Repeat("x", n)), size); err != nil || got != n {
				t.Errorf("%d bytes with length %d: %d bytes, %v", n, size, got, err)
			}
		}
	}
	if _, err := read(strings.NewReader(strings.Repeat("x", max+1)), -1); store.CodeOf(err) != store.TooLarge {
		t.Errorf("too large: %v", err)
	}
	for i := range 8 { // each takes half of what is left
		memory.Take(fmt.Sprint("another ", i), (memory.Limit()-memory.Used())/2)
	}
	others := memory.Used()
	if _, err := read(strings.NewReader(strings.Repeat("x", 1<<20)), -1); store.CodeOf(err) != store.Unavailable {
		t.Errorf("without memory: %v", err)
	}
	if memory.Used() != others {
		t.Errorf("%d bytes are still held", memory.Used())
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
