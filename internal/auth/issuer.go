package auth

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// GitHubIssuer is the issuer of OIDC tokens for jobs on github.com. An enterprise may have its own issuer. The URL of
// that issuer ends with the enterprise's slug.
const GitHubIssuer = "https://token.actions.githubusercontent.com"

// Issuer is an issuer of OIDC tokens for a forge's CI jobs.
type Issuer struct {
	URL  string // exactly as written in the tokens
	Host string // host of the forge with the repositories of the tokens, see store.EnrolledRepo
}

// ParseIssuer parses an issuer's URL, or HOST=URL. HOST is not needed for github.com, GitHub Enterprise Server
// (https://HOST/_services/token) and GHE.com. The error is Invalid if s is not valid.
func ParseIssuer(s string) (Issuer, error) {
	i := Issuer{URL: s}
	if host, rest, ok := strings.Cut(s, "="); ok && !strings.Contains(host, "/") {
		i = Issuer{URL: rest, Host: host}
	}
	u, err := url.Parse(i.URL)
	if err != nil {
		return i, store.Errorf(store.Invalid, "issuer %q is no URL", s)
	}
	if i.Host == "" {
		i.Host = forgeOf(u)
	}
	return i, i.check()
}

func forgeOf(u *url.URL) string {
	if u.Scheme+"://"+u.Host == GitHubIssuer {
		return store.DefaultHost
	}
	if sub, ok := strings.CutPrefix(u.Host, "token.actions."); ok {
		return sub
	}
	return u.Host
}

// check returns an error for an issuer without a valid URL, without a forge's host, or without https. Without https,
// an attacker on the network could replace the issuer's keys. Only on loopback, http is allowed.
func (i Issuer) check() error {
	u, err := url.Parse(i.URL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return store.Errorf(store.Invalid, "issuer %q is not a valid URL", i.URL)
	}
	if !secure(u) {
		return store.Errorf(store.Invalid, "issuer %q must be https", i.URL)
	}
	if i.Host == "" {
		return store.Errorf(store.Invalid, "issuer %q has no host of a forge", i.URL)
	}
	return nil
}

// secure reports whether a URL is https or on loopback.
func secure(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && httpserver.IsLoopback(u.Host)
}

// newClient returns a client that follows redirects only to secure addresses.
func newClient() *http.Client {
	return &http.Client{Timeout: fetchTimeout, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 5 || !secure(r.URL) || via[0].URL.Scheme == "https" && r.URL.Scheme != "https" {
			return errors.New("a redirect that is not followed")
		}
		return nil
	}}
}
