package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// Limits are the limits of a fetch. A zero field means the default in defaultLimits.
type Limits struct {
	Bytes     int64         // max bytes of the text, and of the transfer
	Redirects int           // consecutive redirects
	Connect   time.Duration // timeout for the connection, and the same timeout for TLS
	Header    time.Duration // timeout for the response headers
	Whole     time.Duration // timeout for the whole fetch
	Stall     time.Duration // interval in which at least MinBytes must arrive
	MinBytes  int64
}

// defaultLimits are the default limits of a fetch. Documentation seldom reaches them.
var defaultLimits = Limits{
	Bytes: 20 << 20, Redirects: 5, Connect: 10 * time.Second, Header: 20 * time.Second, Whole: 2 * time.Minute,
	Stall: 15 * time.Second, MinBytes: 4 << 10,
}

// maxHeaders is the max size of the response headers.
const maxHeaders = 64 << 10

func (l Limits) filled() Limits {
	d := defaultLimits
	return Limits{
		Bytes: cmp.Or(l.Bytes, d.Bytes), Redirects: cmp.Or(l.Redirects, d.Redirects), Connect: cmp.Or(l.Connect, d.Connect),
		Header: cmp.Or(l.Header, d.Header), Whole: cmp.Or(l.Whole, d.Whole), Stall: cmp.Or(l.Stall, d.Stall),
		MinBytes: cmp.Or(l.MinBytes, d.MinBytes),
	}
}

// Fetcher fetches texts. Zero fields mean the network of the machine and the default limits. Fetcher never uses
// proxies from the environment.
type Fetcher struct {
	Policy   Policy
	Limits   Limits
	Agent    string // the User-Agent
	Resolver Resolver
	Connect  func(ctx context.Context, network, address string) (net.Conn, error)
	TLS      func(*http.Transport) // changes the transport, for tests with their own certificates
}

// Known is the result of an earlier fetch of a text, or zero.
type Known struct {
	ETag         string
	LastModified string
}

// Page is a fetched text.
type Page struct {
	URL          string // final address, after redirects
	Text         []byte // UTF-8; nil if the text has not changed
	Digest       string // SHA-256 of the text, hexadecimal
	ETag         string
	LastModified string
	NotModified  bool // unchanged since the earlier fetch
}

// Fetch fetches a text. A text that has not changed since the earlier fetch is not transferred again. The error is
// Forbidden if the policy allows no address. It is Malformed if the policy does not allow this address, or if the
// address has a secret. It is TooLarge if the text is too large, and Failed otherwise. If ctx is canceled, the error is
// the error of ctx.
func (f *Fetcher) Fetch(ctx context.Context, address string, known Known) (Page, error) {
	u, err := f.Policy.Check(address)
	if err != nil {
		return Page{}, err
	}
	if name := secretParameter(u); name != "" {
		return Page{}, store.Hint(store.Errorf(store.Malformed, "%q cannot be fetched: its parameter %.40s is a secret, "+
			"and addresses are shown to all readers", shown(address), name), "give an address that needs none")
	}
	limits := f.Limits.filled()
	ctx, cancel := context.WithTimeout(ctx, limits.Whole)
	defer cancel()
	client, transport := f.client(limits)
	defer transport.CloseIdleConnections()
	page, err := f.get(ctx, client, u, known, limits)
	if err != nil {
		return Page{}, failure(ctx, u, err)
	}
	return page, nil
}

// client returns a client for one fetch, without cookies and proxies.
func (f *Fetcher) client(limits Limits) (*http.Client, *http.Transport) {
	d := &dialer{policy: f.Policy, resolver: f.Resolver, connect: f.Connect}
	if d.resolver == nil {
		d.resolver = net.DefaultResolver
	}
	if d.connect == nil {
		d.connect = (&net.Dialer{Timeout: limits.Connect}).DialContext
	}
	transport := &http.Transport{
		DialContext: d.dial, TLSHandshakeTimeout: limits.Connect, ResponseHeaderTimeout: limits.Header,
		MaxResponseHeaderBytes: maxHeaders, DisableKeepAlives: true, DisableCompression: true,
	}
	if f.TLS != nil {
		f.TLS(transport)
	}
	return &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > limits.Redirects {
			return store.Hint(store.Errorf(store.Failed, "it redirects more than %d times", limits.Redirects),
				"give the address at the end of the redirects")
		}
		_, err := f.Policy.Check(r.URL.String())
		return err
	}}, transport
}

func (f *Fetcher) get(ctx context.Context, client *http.Client, u *url.URL, known Known, limits Limits) (Page, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, err
	}
	r.Header.Set("User-Agent", cmp.Or(f.Agent, "blq"))
	r.Header.Set("Accept", "text/markdown, text/plain;q=0.9, */*;q=0.1")
	r.Header.Set("Accept-Encoding", "gzip")
	for name, value := range map[string]string{"If-None-Match": known.ETag, "If-Modified-Since": known.LastModified} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := client.Do(r)
	if err != nil {
		return Page{}, err
	}
	defer answer.Body.Close()
	page := Page{URL: withoutSecrets(answer.Request.URL), ETag: field(answer, "ETag"),
		LastModified: field(answer, "Last-Modified")}
	switch {
	case answer.StatusCode == http.StatusNotModified && known != (Known{}):
		page.NotModified = true
		return page, nil
	case answer.StatusCode != http.StatusOK:
		return Page{}, store.Hint(store.Errorf(store.Failed, "the server answered %d", answer.StatusCode),
			"open the address in a browser, and correct it")
	}
	if page.Text, err = readText(answer, limits, end); err != nil {
		return Page{}, err
	}
	if ctx.Err() != nil { // the text may be cut: the connection was closed while the server sent it
		return Page{}, errSlow
	}
	sum := sha256.Sum256(page.Text)
	page.Digest = hex.EncodeToString(sum[:])
	return page, nil
}

// maxField is the max length of a stored response header.
const maxField = 500

// field returns a response header for use in a later request, or "" if the header is not suitable.
func field(answer *http.Response, name string) string {
	value := answer.Header.Get(name)
	if len(value) > maxField || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ""
	}
	return value
}

// failure returns the error of a fetch for its caller. It leaves out network messages that could reveal private
// hosts.
func failure(ctx context.Context, u *url.URL, err error) error {
	var stated *store.Error
	if errors.As(err, &stated) {
		code := stated.Code
		if code == store.Malformed { // the address itself was valid, so the mistake is in a redirect
			code = store.Failed
		}
		return store.Next(store.Errorf(code, "%s was not fetched: %s", shown(u.String()), stated.Message), store.NextOf(err))
	}
	why := "the connection failed"
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.As(err, &timeout) && timeout.Timeout(), ctx.Err() != nil:
		why = "the server took too long"
	case errors.Is(err, errSlow):
		why = "the server sends too slowly"
	case strings.Contains(err.Error(), "tls:") || strings.Contains(err.Error(), "x509:"):
		why = "its certificate is not trusted, or TLS failed"
	case strings.Contains(err.Error(), "server response headers exceeded"):
		why = "its headers are too large"
	}
	return store.Hint(store.Errorf(store.Failed, "%s was not fetched: %s", shown(u.String()), why),
		"try again later, or check the address")
}
