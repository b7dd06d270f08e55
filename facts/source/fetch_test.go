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
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/store"
)

// site is a server with TLS that is reached under any name that resolves to a public address, as the network of a
// hosted service would have it.
type site struct {
	*httptest.Server
	names  map[string][]string // addresses of hosts, one list for each
	turns  map[string][]string // instead, one address for each time that the host is looked up
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

// connect connects to the server, whatever the address.
func (s *site) connect(ctx context.Context, network, address string) (net.Conn, error) {
	s.dialed = append(s.dialed, address)
	return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
}

// serve starts a site and returns it with a fetcher that may do what a service may.
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
			of.TLSClientConfig.ServerName = "example.com" // the name of the certificate
		},
	}
}

// text answers with Markdown.
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

// refused checks that a fetch fails with a code, a next step and a word in its message.
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

// A server that says that nothing has changed although nothing is known is wrong.
func TestNotModifiedWithoutAFirstTimeFails(t *testing.T) {
	_, f := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	refused(t, f, "https://example.com/", store.Failed, "304")
}

func TestAddressesOfAServiceAreChecked(t *testing.T) {
	s, f := serve(t, text("# Secret\n"))
	for address, word := range map[string]string{
		"http://example.com/": "scheme", "file:///etc/passwd": "scheme", "gopher://example.com": "scheme",
		"https://u:p@example.com/": "password", "https://example.com:8443/": "port", "https://": "host", "::": "URL",
		"https://127.0.0.1/": "public", "https://[::1]/": "public", "https://10.1.2.3/": "public",
		"https://[::ffff:10.1.2.3]/": "public", "https://[64:ff9b::a00:1]/": "public", "https://[2002:a00:1::]/": "public",
		"https://[2001:0:1::1]/": "public", "https://100.64.0.1/": "public", "https://[fe80::1%25eth0]/": "public",
		"https://224.0.0.1/": "public", "https://0.0.0.0/": "public", "https://[fc00::1]/": "public",
		"https://[::127.0.0.1]/": "public", "https://exämple.com/": "ASCII", "https://a b/": "URL",
		"https://example.com/" + strings.Repeat("a", 2000): "longer",
	} {
		refused(t, f, address, store.Malformed, word)
	}
	for address, word := range map[string]string{
		"https://inside.example/": "not a public", "https://mixed.example/": "not a public",
		"https://six.example/": "not a public", "https://meta.example/": "not a public", "https://none.example/": "no host",
	} {
		refused(t, f, address, store.Failed, word)
	}
	if s.dialed != nil {
		t.Errorf("connected to %v", s.dialed)
	}
}

func TestOnlyHostsOfTheListAreFetched(t *testing.T) {
	_, f := serve(t, text("# A\n"))
	f.Policy = source.Hosted("example.com", "*.docs.example")
	fetch(t, f, "https://example.com/")
	for _, host := range []string{"other.example", "docs.example", "evildocs.example", "notexample.com"} {
		refused(t, f, "https://"+host+"/", store.Malformed, "does not fetch")
	}
	f.Policy = source.Policy{}
	refused(t, f, "https://example.com/", store.Forbidden, "fetches no documentation")
}

// The second answer of the name server is never asked for, because the first one is what is connected to.
func TestRebindingIsOfNoUse(t *testing.T) {
	s, f := serve(t, text("# A\n"))
	s.turns = map[string][]string{"flip.example": {"93.184.215.14", "127.0.0.1"}}
	fetch(t, f, "https://flip.example/")
	if fmt.Sprint(s.dialed) != "[93.184.215.14:443]" {
		t.Errorf("connected to %v", s.dialed)
	}
	refused(t, f, "https://flip.example/", store.Failed, "not a public")
}

func TestRedirectsAreChecked(t *testing.T) {
	s, f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch to := r.URL.Query().Get("to"); {
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case to != "":
			http.Redirect(w, r, to, http.StatusFound)
		default:
			text("# There\n")(w, r)
		}
	})
	page := fetch(t, f, "https://example.com/?to=https://other.example/there.md")
	if page.URL != "https://other.example/there.md" || string(page.Text) != "# There\n" {
		t.Errorf("%+v", page)
	}
	s.dialed = nil
	for to, word := range map[string]string{
		"http://other.example/": "scheme", "file:///etc/passwd": "scheme", "https://127.0.0.1/": "public",
		"https://inside.example/": "not a public", "https://meta.example/": "not a public",
		"https://a:b@c.example/": "password",
	} {
		refused(t, f, "https://example.com/?to="+url.QueryEscape(to), store.Failed, word)
	}
	refused(t, f, "https://example.com/loop", store.Failed, "redirects more than 5 times")
	for _, address := range s.dialed {
		if address != "93.184.215.14:443" {
			t.Errorf("connected to %s", address)
		}
	}
}

// A page of the internet leads a laptop nowhere into its own network.
func TestLocalPolicy(t *testing.T) {
	plain := httptest.NewServer(text("# Here\n"))
	t.Cleanup(plain.Close)
	local := &source.Fetcher{Policy: source.Local()}
	if page := fetch(t, local, plain.URL+"/llms.txt"); string(page.Text) != "# Here\n" {
		t.Errorf("%+v", page)
	}
	refused(t, local, "file:///etc/passwd", store.Malformed, "scheme")
	refused(t, local, "http://169.254.169.254/latest", store.Malformed, "public")

	s, f := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, plain.URL, http.StatusFound) })
	f.Policy = source.Local()
	refused(t, f, "https://example.com/", store.Failed, "not a public")
	if len(s.dialed) != 1 {
		t.Errorf("connected to %v", s.dialed)
	}
}

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	proxy := httptest.NewServer(text("# Proxy\n"))
	t.Cleanup(proxy.Close)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	t.Setenv("ALL_PROXY", proxy.URL)
	_, f := serve(t, text("# Direct\n"))
	if page := fetch(t, f, "https://example.com/"); string(page.Text) != "# Direct\n" {
		t.Errorf("%q", page.Text)
	}
}

func TestOnlyTextIsTaken(t *testing.T) {
	for name, c := range map[string]struct{ kind, body, word string }{
		"a page":              {"text/html; charset=utf-8", "<p>hi", "web page"},
		"a page in disguise":  {"text/plain", "\n<!DOCTYPE html><html>", "web page"},
		"a picture":           {"image/png", "png", "image/png"},
		"bytes":               {"text/plain", "a\x00b", "not text"},
		"another charset":     {"text/plain; charset=shift_jis", "abc", "shift_jis"},
		"nothing":             {"text/plain", " \n", "empty"},
		"a program":           {"application/octet-stream", "abc", "octet-stream"},
		"an unreadable type":  {"/", "abc", "content type"},
		"JSON, which is data": {"application/json", "{}", "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := f.Fetch(t.Context(), "https://example.com/x", source.Known{})
			if store.CodeOf(err) != store.Failed || !strings.Contains(err.Error(), c.word) {
				t.Errorf("%v", err)
			}
			if c.word == "web page" && !strings.Contains(fmt.Sprint(store.NextOf(err)), "https://example.com/llms-full.txt") {
				t.Errorf("next step: %v", store.NextOf(err))
			}
		})
	}
}

func TestTextBecomesUTF8(t *testing.T) {
	for name, c := range map[string]struct{ kind, body, want string }{
		"a mark":       {"text/plain", "\xef\xbb\xbf# A", "# A"},
		"Latin-1":      {"text/plain; charset=ISO-8859-1", "gr\xfc\xdfe \x80", "grüße €"},
		"UTF-16":       {"text/plain", "\xff\xfea\x00\xfc\x00", "aü"},
		"big UTF-16":   {"text/plain; charset=utf-16", "\x00a\x00b", "ab"},
		"broken UTF-8": {"text/plain", "a\xffb", "a\uFFFDb"},
		"no type":      {"", "a", "a"},
		"a download":   {"application/octet-stream", "# A", "# A"},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{c.kind}
				_, _ = io.WriteString(w, c.body)
			})
			if page := fetch(t, f, "https://example.com/x.md"); string(page.Text) != c.want {
				t.Errorf("%q, want %q", page.Text, c.want)
			}
		})
	}
}

// zeros writes as much as the client takes.
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
	s, f := serve(t, func(w http.ResponseWriter, r *http.Request) {
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
		case "/empty-blocks": // compressed data that stands for nothing
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
	_ = s
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

func TestACertificateOfSomebodyElseIsRefused(t *testing.T) {
	_, f := serve(t, text("# A\n"))
	f.TLS = nil
	refused(t, f, "https://example.com/", store.Failed, "certificate")
}

func TestAliases(t *testing.T) {
	for alias, code := range map[string]store.Code{
		"bun": "", "a": "", "react-native": "", "x2": "", strings.Repeat("a", 64): "",
		"": store.Malformed, "Bun": store.Malformed, "2x": store.Malformed, "-a": store.Malformed, "a_b": store.Malformed,
		"a/b": store.Malformed, "a:b": store.Malformed, "ä": store.Malformed, strings.Repeat("a", 65): store.Malformed,
		"docs": store.Invalid, "code": store.Invalid, "logs": store.Invalid,
	} {
		if err := source.CheckAlias(alias); store.CodeOf(err) != code || err != nil && store.NextOf(err) == nil {
			t.Errorf("%q: %v, want %q", alias, err, code)
		}
	}
}

// What an address has besides its place may be a secret. It is not shown, and not kept.
func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	_, f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/signed":
			http.Redirect(w, r, "/there.md?X-Amz-Signature=s3cret&Expires=1", http.StatusFound)
		case "/elsewhere":
			http.Redirect(w, r, "https://bob:s3cret@other.example/?token=s3cret", http.StatusFound)
		default:
			text("# There\n")(w, r)
		}
	})
	for address, word := range map[string]string{
		"https://bob:s3cret@example.com/a":           `"https://example.com/a" cannot`,
		"https://s3cret@example.com/%zz":             `"https://example.com/%zz" cannot`,
		"https://bob:s3/cret@example.com/a":          `"https://example.com/a" cannot`,
		"ftp://example.com/?q=s3cret#s3cret":         `"ftp://example.com/" cannot`,
		"https://example.com/a?token=s3cret":         "parameter token is a secret",
		"https://example.com/a?x=1&api%5Fkey=s3cret": "parameter api_key is a secret",
		"https://example.com/a?sig=s3cret":           "parameter sig is a secret",
	} {
		refused(t, f, address, store.Malformed, word)
		if _, err := f.Fetch(t.Context(), address, source.Known{}); strings.Contains(fmt.Sprint(err), "cret") &&
			!strings.Contains(fmt.Sprint(err), "is a secret") || strings.Contains(fmt.Sprint(err), "s3") {
			t.Errorf("%s: %v", address, err)
		}
	}
	refused(t, f, "https://example.com/elsewhere", store.Failed, "password")
	if _, err := f.Fetch(t.Context(), "https://example.com/elsewhere", source.Known{}); strings.Contains(
		fmt.Sprint(err), "s3cret") {
		t.Error(err)
	}
	if page := fetch(t, f, "https://example.com/signed"); page.URL != "https://example.com/there.md" {
		t.Errorf("it is kept as %s", page.URL)
	}
	if page := fetch(t, f, "https://example.com/a.md?author=me&keyword=x&version=2"); page.URL !=
		"https://example.com/a.md?author=me&keyword=x&version=2" {
		t.Errorf("it is kept as %s", page.URL)
	}
}
