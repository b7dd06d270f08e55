package auth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/auth/authtest"
	"github.com/blq-ci/blq/store"
)

func TestKeysAreFetchedRarely(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 7)
	for range 5 {
		s.exchange(s.job("acme/web", 7))
	}
	private, _ := s.issuer.Key()
	for i := range 20 { // requests of strangers that cause fetches
		unknown := authtest.Sign(t, jose.RS256, private, fmt.Sprint("unknown-", i),
			s.issuer.Full(authtest.Job("acme/web", 7)))
		s.refused(s.send("POST /v1/token", unknown), http.StatusUnauthorized, "not one of the issuer's")
	}
	if n := s.issuer.Fetches(); n != 1 {
		t.Errorf("fetched %d times", n)
	}
	s.wait(time.Minute)
	for i := range 20 {
		unknown := authtest.Sign(t, jose.RS256, private, fmt.Sprint("other-", i), s.issuer.Full(authtest.Job("acme/web", 7)))
		s.refused(s.send("POST /v1/token", unknown), http.StatusUnauthorized)
	}
	if n := s.issuer.Fetches(); n != 2 {
		t.Errorf("fetched %d times", n)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 7)
	s.exchange(s.job("acme/web", 7))
	old := s.job("acme/web", 7)
	s.wait(2 * time.Minute)
	s.issuer.Rotate(true)
	s.exchange(s.job("acme/web", 7)) // fetched at once because the key is unknown
	s.exchange(old)
}

func TestWithdrawnKeyIsGoneWithinTheHour(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 7)
	s.exchange(s.job("acme/web", 7))
	stolen, id := s.issuer.Key()
	s.issuer.Rotate(false)
	s.wait(time.Hour)
	forged := authtest.Sign(t, jose.RS256, stolen, id, s.issuer.Full(authtest.Job("acme/web", 7)))
	s.refused(s.send("POST /v1/token", forged), http.StatusUnauthorized)
}

func TestIssuerDown(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 7)
	s.issuer.Down(true)
	w := s.send("POST /v1/token", s.job("acme/web", 7))
	s.refused(w, http.StatusServiceUnavailable, `"unavailable"`)
	if w.Header().Get("Retry-After") != "10" || w.Header().Get("WWW-Authenticate") != "" {
		t.Errorf("%v", w.Header())
	}
	s.issuer.Down(false)
	s.refused(s.send("POST /v1/token", s.job("acme/web", 7)), http.StatusServiceUnavailable) // no fetch at the moment
	s.wait(10 * time.Second)
	s.exchange(s.job("acme/web", 7))
	s.issuer.Down(true)
	s.wait(12 * time.Hour)
	s.exchange(s.job("acme/web", 7)) // checked with the cached keys
	s.wait(12 * time.Hour)
	s.refused(s.send("POST /v1/token", s.job("acme/web", 7)), http.StatusServiceUnavailable)
}

func TestIssuerMustCallItselfSo(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.enrol("acme/web", 7)
	s.issuer.CallItself("https://token.actions.githubusercontent.com")
	s.refused(s.send("POST /v1/token", s.job("acme/web", 7)), http.StatusServiceUnavailable)
}

// If an issuer returns no key for RS256, the answer is that the service is unavailable, and not that the token is
// invalid.
func TestUnfitKeys(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]string{
		"none":      `{"keys":[]}`,
		"symmetric": `{"keys":[{"kty":"oct","kid":"key-1","k":"c2VjcmV0"}]}`,
		"no JSON":   `<html>`,
		"other":     `[]`,
		"very long": `{"keys":[{"kty":"RSA","kid":"key-1","e":"AQAB","n":"` + strings.Repeat("_", 16384/6) + `"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			far := httptest.NewServer(mux)
			t.Cleanup(far.Close)
			mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, far.URL, far.URL+"/keys")
			})
			mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, keys) })
			s := newService(t, func(c *auth.Config) { c.Issuers = []auth.Issuer{{URL: far.URL, Host: store.DefaultHost}} })
			private, id := s.issuer.Key()
			token := authtest.Sign(t, jose.RS256, private, id,
				s.issuer.Full(authtest.Job("acme/web", 7, authtest.Claims{"iss": far.URL})))
			s.refused(s.send("POST /v1/token", token), http.StatusServiceUnavailable)
		})
	}
}

// While the keys are fetched from an issuer that is slow, known keys are used.
func TestASlowIssuerKeepsOneRequestWaiting(t *testing.T) {
	t.Parallel()
	slow := &slowIssuer{began: make(chan struct{}), goOn: make(chan struct{})}
	far := httptest.NewServer(slow)
	t.Cleanup(far.Close)
	slow.url = far.URL
	s := newService(t, func(c *auth.Config) { c.Issuers = []auth.Issuer{{URL: far.URL, Host: store.DefaultHost}} })
	slow.keys = s.issuer.URL + "/.well-known/jwks"
	s.enrol("acme/web", 7)
	job := func() string {
		return s.issuer.Token(authtest.Job("acme/web", 7, authtest.Claims{"iss": far.URL}))
	}
	s.exchange(job())
	s.wait(time.Hour)
	slow.isSlow.Store(true)
	first := make(chan int)
	token := job()
	go func() { first <- s.send("POST /v1/token", token).Code }()
	<-slow.began
	second := make(chan int)
	token = job()
	go func() { second <- s.send("POST /v1/token", token).Code }()
	select {
	case status := <-second:
		if status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		close(slow.goOn)
		<-first
	case <-first: // after a timeout
		t.Error("the second request waits for the keys, too")
		<-second
	}
}

// slowIssuer is an issuer. While isSlow is set, its metadata does not arrive until goOn is closed.
type slowIssuer struct {
	url, keys   string
	isSlow      atomic.Bool
	began, goOn chan struct{}
}

func (i *slowIssuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if i.isSlow.Load() {
		select {
		case i.began <- struct{}{}:
		case <-i.goOn:
		}
		select {
		case <-i.goOn:
		case <-r.Context().Done():
		}
	}
	fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, i.url, i.keys)
}

func TestInsecureRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://h.example/elsewhere", http.StatusFound)
	}))
	t.Cleanup(far.Close)
	s := newService(t, func(c *auth.Config) { c.Issuers = []auth.Issuer{{URL: far.URL, Host: store.DefaultHost}} })
	token := s.issuer.Token(authtest.Job("acme/web", 7, authtest.Claims{"iss": far.URL}))
	s.refused(s.send("POST /v1/token", token), http.StatusServiceUnavailable)
	if !strings.Contains(s.log.String(), "a redirect that is not followed") {
		t.Errorf("log %s", s.log.String())
	}
}

func TestParseIssuer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]auth.Issuer{
		"https://token.actions.githubusercontent.com": {
			URL: "https://token.actions.githubusercontent.com", Host: "github.com"},
		"https://token.actions.githubusercontent.com/corp": {
			URL: "https://token.actions.githubusercontent.com/corp", Host: "github.com"},
		"https://token.actions.corp.ghe.com": {
			URL: "https://token.actions.corp.ghe.com", Host: "corp.ghe.com"},
		"https://ghes.example.com/_services/token": {
			URL: "https://ghes.example.com/_services/token", Host: "ghes.example.com"},
		"github.com=http://127.0.0.1:9999": {URL: "http://127.0.0.1:9999", Host: "github.com"},
		"https://token.actions.githubusercontent.com.evil.example": {
			URL: "https://token.actions.githubusercontent.com.evil.example", Host: "githubusercontent.com.evil.example"},
	} {
		got, err := auth.ParseIssuer(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "github.com", "http://ghes.example.com/_services/token",
		"https://user:pass@h.example", "https://h.example?x", "ftp://h.example", "https://", "github.com=", "%"} {
		if _, err := auth.ParseIssuer(bad); store.CodeOf(err) != store.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestBadConfigurations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]auth.Config{
		"no directory": {},
		"no audience": {Directory: newService(t).store,
			Issuers: []auth.Issuer{{URL: auth.GitHubIssuer, Host: "github.com"}}},
		"bad issuer": {Directory: newService(t).store, Audience: audience,
			Issuers: []auth.Issuer{{URL: "http://h.example", Host: "h.example"}}},
	} {
		if _, err := auth.New(c); store.CodeOf(err) != store.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
