package httpserver

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Mux chooses a handler by method and path, like http.ServeMux, for an API: it
// redirects nobody, and refuses paths and methods that it does not have as
// handlers refuse (see Handler), with the methods that a path takes.
type Mux struct {
	mux   *http.ServeMux
	paths map[string]methods
}

// NewMux returns a mux without routes. Requests for other paths are told hint.
func NewMux(hint string) *Mux {
	m := &Mux{http.NewServeMux(), map[string]methods{}}
	m.mux.Handle("/", Handler(func(http.ResponseWriter, *http.Request) error {
		return store.Hint(store.Errorf(store.NotFound, "nothing is served at this path"), "%s", hint)
	}))
	return m
}

// Handle adds a route. The path is as http.ServeMux has it, other than "/". GET
// serves HEAD as well.
func (m *Mux) Handle(method, path string, h http.Handler) {
	if m.paths[path] == nil {
		m.paths[path] = methods{}
		m.mux.Handle(path, m.paths[path])
	}
	m.paths[path][method] = h
	if method == http.MethodGet {
		m.paths[path][http.MethodHead] = h
	}
}

// ServeHTTP implements http.Handler.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.mux.ServeHTTP(w, unredirected(r)) }

// Route returns the path of the route that serves a request, "" for none.
func (m *Mux) Route(r *http.Request) string {
	if _, path := m.mux.Handler(unredirected(r)); path != "/" {
		return path
	}
	return ""
}

// Unredirected is for middleware in front of a Mux that chooses by path, too:
// next sees the path "/" in place of one that is not clean.
func Unredirected(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, unredirected(r)) })
}

// unredirected returns a request for no route when its path is not clean: for
// that http.ServeMux redirects, which no client of an API expects.
func unredirected(r *http.Request) *http.Request {
	if p := r.URL.Path; strings.HasPrefix(p, "/") && !strings.Contains(p, "//") && !strings.Contains(p, "/.") {
		return r
	}
	r = r.Clone(r.Context())
	r.URL.Path, r.URL.RawPath = "/", ""
	return r
}

// methods are the handlers of a path.
type methods map[string]http.Handler

func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := m[r.Method]; h != nil {
		h.ServeHTTP(w, r)
		return
	}
	allow := strings.Join(append(slices.Sorted(maps.Keys(m)), http.MethodOptions), ", ")
	w.Header().Set("Allow", allow)
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	Refuse(w, r, store.Errorf(MethodNotAllowed, "this path takes %s", allow))
}
