package source_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/store"
)

// site is a TLS server with many names. It also resolves these names, to public or private addresses.
type site struct {
	*httptest.Server
	names  map[string][]string // all addresses of a host
	turns  map[string][]string // one address for each lookup of a host, in place of names
	asked  map[string]int
	dialed []string
}

// LookupNetIP implements source.Resolver.
func (s *site) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	s.asked[host]++
	if turns := s.turns[host]; turns != nil {
		return []netip.Addr{netip.MustParseAddr(turns[min(s.asked[host], len(turns))-1])}, nil
	}
	var ips []netip.Addr
	for _, a := range s.names[host] {
		ips = append(ips, netip.MustParseAddr(a))
	}
	if ips == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return ips, nil
}

// connect connects to the test server, whatever the address is.
func (s *site) connect(ctx context.Context, network, address string) (net.Conn, error) {
	s.dialed = append(s.dialed, address)
	return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
}

// serve starts a site, and returns it with a fetcher that has the policy of a service.
func serve(t *testing.T, h http.HandlerFunc) (*site, *source.Fetcher) {
	t.Helper()
	s := &site{Server: httptest.NewUnstartedServer(h), asked: map[string]int{}, names: map[string][]string{
		"example.com": {"93.184.215.14"}, "inside.example": {"10.0.0.7"}, "mixed.example": {"93.184.215.14", "127.0.0.1"},
		"six.example": {"fd00::1"}, "meta.example": {"169.254.169.254"}, "other.example": {"2606:2800:21f:cb07::1"},
	}}
	s.Config.ErrorLog = nil
	s.StartTLS()
	t.Cleanup(s.Close)
	transport := s.Client().Transport.(*http.Transport)
	return s, &source.Fetcher{
		Policy: source.Hosted(), Resolver: s, Connect: s.connect,
		TLS: func(of *http.Transport) {
			of.TLSClientConfig = transport.TLSClientConfig.Clone()
			of.TLSClientConfig.ServerName = "example.com" // the certificate has this name
		},
	}
}

// text returns a handler that answers with Markdown.
func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/markdown")
		_, _ = io.WriteString(w, body)
	}
}

func fetch(t *testing.T, f *source.Fetcher, address string) source.Page {
	t.Helper()
	page, err := f.Fetch(t.Context(), address, source.Known{})
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// refused checks that a fetch returns no text, and an error with a code, a next step and a word in its message.
func refused(t *testing.T, f *source.Fetcher, address string, code store.Code, word string) {
	t.Helper()
	page, err := f.Fetch(t.Context(), address, source.Known{})
	if store.CodeOf(err) != code || store.NextOf(err) == nil || !strings.Contains(fmt.Sprint(err), word) {
		t.Errorf("%s: %v (code %q, next %v), want %q with %q", address, err, store.CodeOf(err), store.NextOf(err), code, word)
	}
	if page.Text != nil {
		t.Errorf("%s: returned %d bytes", address, len(page.Text))
	}
}

func TestATextIsFetched(t *testing.T) {
	body := "# Ü\n\ntext\n"
	s, f := serve(t, text(body))
	page := fetch(t, f, "HTTPS://Example.com/llms.txt#part")
	if string(page.Text) != body || page.Digest != fmt.Sprintf("%x", sha256.Sum256([]byte(body))) ||
		page.URL != "https://example.com/llms.txt" {
		t.Errorf("%+v", page)
	}
	if fmt.Sprint(s.dialed) != "[93.184.215.14:443]" || s.asked["example.com"] != 1 {
		t.Errorf("dialed %v after %d lookups", s.dialed, s.asked["example.com"])
	}
}

func TestAnUnchangedTextIsNotTransferred(t *testing.T) {
	_, f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		w.Header().Set("Last-Modified", "Mon, 02 Mar 2026 10:00:00 GMT")
		if r.Header.Get("If-None-Match") == `"one"` && r.Header.Get("If-Modified-Since") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		text("# One\n")(w, r)
	})
	first := fetch(t, f, "https://example.com/a.md")
	again, err := f.Fetch(t.Context(), "https://example.com/a.md",
		source.Known{ETag: first.ETag, LastModified: first.LastModified})
	if err != nil || !again.NotModified || again.Text != nil || again.ETag != `"one"` {
		t.Errorf("%+v, %v", again, err)
	}
}

// A server is wrong if it answers "not modified" to a first request.
func TestNotModifiedWithoutAFirstTimeFails(t *testing.T) {
	_, f := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	refused(t, f, "https://example.com/", store.Failed, "304")
}

// zeros writes short lines until the client no longer reads.
func zeros(w io.Writer, sent *atomic.Int64) {
	block := bytes.Repeat([]byte("a\n"), 32<<10)
	for {
		n, err := w.Write(block)
		sent.Add(int64(n))
		if err != nil {
			return
		}
	}
}

func TestSizeIsBounded(t *testing.T) {
	var sent atomic.Int64
	done := make(chan struct{}, 4)
	_, f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		defer func() { done <- struct{}{} }()
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/stated":
			w.Header().Set("Content-Length", fmt.Sprint(10<<30))
			zeros(w, &sent)
		case "/endless":
			zeros(w, &sent)
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
			zeros(z, new(atomic.Int64))
		case "/empty-blocks": // compressed data without content
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255})
			block := bytes.Repeat([]byte{0, 0, 0, 0xff, 0xff}, 10_000)
			for {
				n, err := w.Write(block)
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		}
	})
	f.Limits = source.Limits{Bytes: 1 << 20}
	for _, path := range []string{"/stated", "/endless", "/bomb", "/empty-blocks"} {
		sent.Store(0)
		refused(t, f, "https://example.com"+path, store.TooLarge, "more than 1 MB")
		<-done
		if n := sent.Load(); n > 32<<20 {
			t.Errorf("%s: the server could send %d bytes", path, n)
		}
	}
}

func TestATextOfExactlyTheLimitIsTaken(t *testing.T) {
	_, f := serve(t, text(strings.Repeat("a", 1000)))
	f.Limits = source.Limits{Bytes: 1000}
	fetch(t, f, "https://example.com/")
	f.Limits.Bytes = 999
	refused(t, f, "https://example.com/", store.TooLarge, "more than")
}

func TestTimeIsBounded(t *testing.T) {
	gone := make(chan struct{})
	_, f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("a", 1<<20))
			return
		case "/drip":
			for i := 0; ; i++ {
				if _, err := io.WriteString(w, "a"); err != nil || r.Context().Err() != nil {
					break
				}
				_ = http.NewResponseController(w).Flush()
			}
			return
		case "/silent":
		case "/begun":
			_, _ = io.WriteString(w, "# A\n")
			_ = http.NewResponseController(w).Flush()
		}
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	})
	defer close(gone)
	f.Limits = source.Limits{Header: 50 * time.Millisecond, Stall: 50 * time.Millisecond, Whole: time.Minute}
	refused(t, f, "https://example.com/silent", store.Failed, "too long")
	refused(t, f, "https://example.com/begun", store.Failed, "too slowly")
	refused(t, f, "https://example.com/headers", store.Failed, "headers")
	f.Limits.Stall, f.Limits.Whole = time.Minute, 50*time.Millisecond
	refused(t, f, "https://example.com/begun", store.Failed, "too long")
	f.Limits.Whole, f.Limits.Stall, f.Limits.MinBytes = time.Minute, 50*time.Millisecond, 1<<40
	refused(t, f, "https://example.com/drip", store.Failed, "too slowly")
}

func TestACancelledFetchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, f := serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	if _, err := f.Fetch(ctx, "https://example.com/", source.Known{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestOddAnswersFail(t *testing.T) {
	_, f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/404":
			w.WriteHeader(http.StatusNotFound)
		case "/br":
			w.Header().Set("Content-Encoding", "br")
		case "/not-gzip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "plain")
		case "/hang-up":
			panic(http.ErrAbortHandler)
		}
	})
	refused(t, f, "https://example.com/404", store.Failed, "404")
	refused(t, f, "https://example.com/not-gzip", store.Failed, "connection failed")
	refused(t, f, "https://example.com/hang-up", store.Failed, "connection failed")
	if _, err := f.Fetch(t.Context(), "https://example.com/br", source.Known{}); store.CodeOf(err) != store.Failed {
		t.Error(err)
	}
}
