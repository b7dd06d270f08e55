package auth

import (
	"net/http"
	"net/url"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// CheckOpen checks that a service may run without authentication at an address. The address must be a loopback address,
// or the operator must allow it explicitly. Otherwise the error is Invalid.
func CheckOpen(listen string, explicitly bool) error {
	if explicitly || httpserver.IsLoopback(listen) {
		return nil
	}
	err := store.Errorf(store.Invalid, "without authentication everybody who reaches %s could read and change everything",
		listen)
	return store.Hint(err, "listen on 127.0.0.1, or set up authentication")
}

// fromHere checks a request without a token. The Host header must name this machine, unless AnyHost is set. Without
// AnyHost, fromHere also refuses requests that pages of other sites send from a browser on this machine. If it refuses
// a request, the error is Forbidden.
func (a *Authenticator) fromHere(r *http.Request) error {
	if a.AnyHost {
		return nil
	}
	if !httpserver.IsLoopback(r.Host) {
		err := store.Errorf(
			store.Forbidden, "without a token the Host header must name this machine, such as 127.0.0.1 or localhost")
		return store.Hint(err, "%s", howToShow)
	}
	origin := r.Header.Get("Origin")
	if origin == "" && r.Header.Get("Sec-Fetch-Site") != "cross-site" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || u.User != nil || !httpserver.IsLoopback(u.Host) {
		return store.Errorf(store.Forbidden, "requests of pages from other sites are not served")
	}
	return nil
}
