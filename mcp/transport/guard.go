package transport

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// admit refuses requests that may come from web pages of other sites. Such a page runs in the browser of a user who
// can reach the server. There are two ways. The page may call the server directly. Then the header Origin names the
// other site. Or the page may use a DNS name that points to the server. Then the header Host has that name.
func (h *Handler) admit(r *http.Request) error {
	if origin := r.Header.Get("Origin"); origin != "" {
		if !h.trusts(origin) {
			return store.Errorf(
				store.Forbidden, "requests of pages from this Origin are not served; this server trusts those of its own machine")
		}
	} else if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return store.Errorf(store.Forbidden, "requests of pages from other sites are not served")
	}
	if !h.http.AnyHost && overLoopback(r) && !httpserver.IsLoopback(r.Host) && !slices.Contains(h.http.Hosts, r.Host) {
		return store.Errorf(store.Forbidden, "the Host header must name this machine, such as 127.0.0.1 or localhost")
	}
	return nil
}

// trusts reports whether pages of an origin may call the server. It returns true for pages of this machine and for the
// configured origins.
func (h *Handler) trusts(origin string) bool {
	if slices.ContainsFunc(h.http.Origins, func(o string) bool { return strings.EqualFold(o, origin) }) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && httpserver.IsLoopback(u.Host)
}

// overLoopback reports whether a request came over the loopback interface. It returns true if the local address is not
// known.
func overLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return !ok || httpserver.IsLoopback(addr.String())
}

// letRead allows a page of a trusted origin to read the answer.
func letRead(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if origin := r.Header.Get("Origin"); origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate")
	}
	h.Add("Vary", "Origin")
}

// preflight answers a CORS preflight request: a browser asks whether a page may call the server. It returns false for
// any other request.
func preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodOptions || r.Header.Get("Origin") == "" ||
		r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	letRead(w, r)
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST")
	w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
	w.Header().Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
