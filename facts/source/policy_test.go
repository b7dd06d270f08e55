package source_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/store"
)

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

// A fetch looks up a host once, and connects to the address that it has checked. The next fetch looks up the host
// again, and refuses the new address.
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

// A public page cannot redirect a laptop into its own network.
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

func TestACertificateOfSomebodyElseIsRefused(t *testing.T) {
	_, f := serve(t, text("# A\n"))
	f.TLS = nil
	refused(t, f, "https://example.com/", store.Failed, "certificate")
}

// Errors do not show the secrets of an address: the user, the password, the fragment and parameters such as token. The
// stored address of a page has no such parameters either.
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
