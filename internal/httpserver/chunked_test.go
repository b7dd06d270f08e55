package httpserver_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// The rest of a refused body in chunks is read, so that the client gets the answer. If the chunks are tiny, the rest is
// not read, and the connection is closed.
func TestTheRestOfABodyInChunks(t *testing.T) {
	for name, tt := range map[string]struct {
		path, chunk string
		chunks      int
		whole       bool
	}{
		"read":            {"/read", "1\r\nx\r\n", 9000, true},
		"refused":         {"/refused", "64\r\n" + strings.Repeat("x", 100) + "\r\n", 1000, true},
		"refused, tiny":   {"/refused", "1\r\nx\r\n", 100_000, false},
		"long, and large": {"/refused", "64\r\n" + strings.Repeat("x", 100) + "\r\n", 10_000, false},
	} {
		server := httptest.NewUnstartedServer(nil)
		var arrived atomic.Int64
		server.Listener = counting{server.Listener, &arrived}
		server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
			return httpserver.Arriving(ctx, arrived.Load)
		}
		read := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/read" {
				if _, err := httpserver.ReadBody(w, r, 10_000); err != nil {
					t.Error(err)
				}
			}
			w.WriteHeader(http.StatusNoContent)
		})
		server.Config.Handler = httpserver.Watch{}.Handler(read)
		server.Start()
		defer server.Close()
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		go func() {
			_, _ = io.WriteString(conn, "POST "+tt.path+" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"+
				strings.Repeat(tt.chunk, tt.chunks)+"0\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n")
		}()
		answers := bufio.NewReader(conn)
		err = readAnswer(answers)
		if err != nil && name != "refused, tiny" { // such a client may get no answer
			t.Errorf("%s: %v", name, err)
		}
		if err := readAnswer(answers); (err == nil) != tt.whole && name != "refused" { // the server may do either
			t.Errorf("%s: the next request: %v", name, err)
		}
		if n := arrived.Load(); name == "refused, tiny" && n > 200_000 {
			t.Errorf("%d bytes of tiny chunks were read", n)
		}
	}
}

// readAnswer reads the next response of a connection.
func readAnswer(answers *bufio.Reader) error {
	resp, err := http.ReadResponse(answers, nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// counting is a listener that counts the bytes that arrive.
type counting struct {
	net.Listener
	arrived *atomic.Int64
}

func (l counting) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return counted{conn, l.arrived}, err
}

type counted struct {
	net.Conn
	arrived *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.arrived.Add(int64(n))
	return n, err
}

// A body in tiny chunks needs much processor time for its size.
func TestABodyInTinyChunksIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		framing int
		want    store.Code
	}{"ordinary": {5000 + 64<<10, ""}, "wasteful": {5001 + 64<<10, store.Invalid}} {
		arrived := int64(300) // the header
		r := httptest.NewRequest("PUT", "/", io.MultiReader(
			reading(func() { arrived += 10_000 + int64(tt.framing) }), strings.NewReader(strings.Repeat("x", 10_000))))
		r.ContentLength = -1
		r = r.WithContext(httpserver.Arriving(t.Context(), func() int64 { return arrived }))
		httpserver.Watch{}.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := httpserver.ReadBody(w, r, 1<<20); store.CodeOf(err) != tt.want {
				t.Errorf("%s: %v", name, err)
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
	}
}

// reading is an empty reader that calls a function.
type reading func()

func (f reading) Read([]byte) (int, error) { f(); return 0, io.EOF }

// busy is a body that needs a millisecond of processor time for each byte.
type busy struct{ left int }

func (b *busy) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	for began := time.Now(); time.Since(began) < time.Millisecond; {
	}
	b.left--
	p[0] = 'x'
	return 1, nil
}

// While a body needs much processor time, other goroutines need not wait for the scheduler, which would interrupt the
// reading goroutine after ten milliseconds.
func TestReadingABodyLetsOthersWork(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const size = 100
	done := make(chan bool)
	turns := 0
	watch := httpserver.Watch{}
	watch.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		go func() {
			for {
				select {
				case <-done:
					done <- true
					return
				default:
					turns++
					runtime.Gosched()
				}
			}
		}()
		if text, err := httpserver.ReadBody(w, r, size); len(text) != size || err != nil {
			t.Error(len(text), err)
		}
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("PUT", "/", &busy{size}))
	done <- true
	<-done
	if turns < size/2 {
		t.Errorf("another goroutine had only %d turns", turns)
	}
}
