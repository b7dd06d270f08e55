package gcs_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

// fault breaks a request in transit. next is the server.
type fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

// proxy passes requests from a client to the server. It applies its fault to the first requests after a call of befall.
type proxy struct {
	fault fault
	left  atomic.Int64
	asked atomic.Int64
	next  http.Handler
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.asked.Add(1)
	if p.left.Add(-1) >= 0 {
		p.fault(w, r, p.next)
		return
	}
	p.next.ServeHTTP(w, r)
}

// befall applies the fault to the given number of next requests.
func (p *proxy) befall(times int64, f fault) {
	p.fault = f
	p.asked.Store(0)
	p.left.Store(times)
}

const always = 1 << 40

// serveBehind starts a server, and points the client at a proxy in front of it.
func serveBehind(t *testing.T) (*fakestorage.Server, *proxy) {
	t.Helper()
	server := serve(t)
	to, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{next: httputil.NewSingleHostReverseProxy(to)}
	front := httptest.NewServer(p)
	t.Cleanup(front.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", front.URL)
	return server, p
}

func answer(code int) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		http.Error(w, "<html>the answer of something in between</html>", code)
	}
}

func cut(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// forget passes on the request, and then cuts the connection.
func forget(_ http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// change returns a fault that passes on responses as changed by edit.
func change(edit func(header http.Header, body []byte) []byte) fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		rec.Header().Del("Content-Length")
		body := edit(rec.Header(), rec.Body.Bytes())
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		w.Write(body)
	}
}

// stop passes on half of the response's body, and then keeps the connection open.
func stop(w http.ResponseWriter, r *http.Request, next http.Handler) {
	rec := httptest.NewRecorder()
	next.ServeHTTP(rec, r)
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.Code)
	w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
	http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// damage changes a byte of the uploaded data.
func damage(w http.ResponseWriter, r *http.Request, next http.Handler) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(bytes.Replace(body, []byte("log text"), []byte("log tixt"), 1)))
	next.ServeHTTP(w, r)
}

func truncated(_ http.Header, body []byte) []byte { return body[:len(body)/2] }

func nothing(http.Header, []byte) []byte { return nil }

func flipped(_ http.Header, body []byte) []byte {
	if i := len(body) / 2; i > 0 {
		body[i] ^= 1
	}
	return body
}

func unsigned(h http.Header, body []byte) []byte {
	h.Del("X-Goog-Hash")
	return flipped(h, body)
}

func unsignedNothing(h http.Header, _ []byte) []byte {
	h.Del("X-Goog-Hash")
	return nil
}

var content = []byte(strings.Repeat("a line of log text\n", 10_000))
