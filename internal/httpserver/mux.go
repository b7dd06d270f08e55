package httpserver

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Mux is a router for an API, by method and path. Unlike http.ServeMux it never redirects. For unknown paths and
// methods it answers with the same kind of error as a Handler, and lists the allowed methods of a path.
type Mux struct {
	mux   *http.ServeMux
	paths map[string]methods
	none  http.Handler // answers requests for other paths
}

// NewMux returns a mux without routes. The hint tells clients what to do next after a request for an unknown path.
func NewMux(hint string) *Mux {
	none := Handler(func(http.ResponseWriter, *http.Request) error {
		return store.Hint(store.Errorf(store.NotFound, "nothing is served at this path"), "%s", hint)
	})
	m := &Mux{http.NewServeMux(), map[string]methods{}, none}
	m.mux.Handle("/", none)
	return m
}

// Handle adds a route. The pattern is a path of http.ServeMux, other than "/". GET also serves HEAD. The method ""
// serves all methods that have no other route.
func (m *Mux) Handle(method, pattern string, h http.Handler) {
	if m.paths[pattern] == nil {
		m.paths[pattern] = methods{}
		m.mux.Handle(pattern, m.paths[pattern])
	}
	m.paths[pattern][method] = h
	if method == http.MethodGet {
		m.paths[pattern][http.MethodHead] = h
	}
}

// ServeHTTP implements http.Handler.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isClean(r.URL.Path) && m.Route(r) == "" {
		m.none.ServeHTTP(w, r)
		return
	}
	m.mux.ServeHTTP(w, r)
}

// Route returns the pattern of the route for a request, or "" for none. A path with elements such as .. has no route.
// There is one exception: the elements are escaped, and the route is a tree of paths whose handler reads the escaped
// path itself.
func (m *Mux) Route(r *http.Request) string {
	if !isClean(r.URL.EscapedPath()) {
		return ""
	}
	_, pattern := m.mux.Handler(r)
	if pattern == "/" || !isClean(r.URL.Path) && !strings.HasSuffix(pattern, "/") {
		return ""
	}
	return pattern
}

// isClean reports whether http.ServeMux would serve a path without a redirect. Clients of an API do not expect
// redirects.
func isClean(p string) bool {
	clean := path.Clean(p)
	return strings.HasPrefix(p, "/") && (p == clean || clean != "/" && p == clean+"/")
}

// Refused returns the methods that the path of a request takes, as the header Allow lists them. It returns "" if the
// path takes the method of the request, if that method is OPTIONS, or if there is no such path.
func (m *Mux) Refused(r *http.Request) string {
	_, pattern := m.mux.Handler(r)
	of := m.paths[pattern]
	if of == nil || of.handler(r) != nil || r.Method == http.MethodOptions {
		return ""
	}
	return of.allowed()
}

// methods are the handlers of a path.
type methods map[string]http.Handler

// handler returns the handler for the method of a request, or nil.
func (m methods) handler(r *http.Request) http.Handler {
	if h := m[r.Method]; h != nil {
		return h
	}
	return m[""]
}

func (m methods) allowed() string {
	return strings.Join(append(slices.Sorted(maps.Keys(m)), http.MethodOptions), ", ")
}

func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := m.handler(r); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Allow", m.allowed())
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	Refuse(w, r, store.Errorf(MethodNotAllowed, "this path takes %s", m.allowed()))
}
