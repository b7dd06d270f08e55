package web

import (
	"net/http"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// problemPage shows an error and the next step.
type problemPage struct {
	page
	Status int
	httpserver.Problem
}

// Problem shows an error as a page.
func (s *Site) Problem(w http.ResponseWriter, r *http.Request, status int, p httpserver.Problem) {
	w.Header().Set("Cache-Control", "private, no-store") // replaces the header of static files, too
	err := s.write(w, status, problemPage{s.page(r, http.StatusText(status), ""), status, p}.view())
	if err != nil {
		http.Error(w, p.Message, status)
	}
}

// NotFound returns a handler for paths that no page has.
func (s *Site) NotFound() http.Handler { return httpserver.Handler(notFound).Render(s.Problem) }

func notFound(http.ResponseWriter, *http.Request) error {
	return store.Hint(store.Errorf(store.NotFound, "there is no such page"),
		"the list of runs has links to all that there is")
}

// other serves requests that no page serves. These are requests with another method than GET and HEAD, and requests
// for unknown paths.
func (s *Site) other() http.Handler {
	none, refused := s.NotFound(), s.NotAllowed("GET, HEAD")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			refused.ServeHTTP(w, r)
			return
		}
		none.ServeHTTP(w, r)
	})
}

// NotAllowed returns a handler for requests with a wrong method. allow lists the methods that the path accepts.
func (s *Site) NotAllowed(allow string) http.Handler {
	return httpserver.Handler(func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", allow)
		return store.Hint(store.Errorf(httpserver.MethodNotAllowed, "this address takes %s", allow),
			"open it by a link, or in the address bar of the browser")
	}).Render(s.Problem)
}
