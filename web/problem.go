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
	w.Header().Set("Cache-Control", "private, no-store") // also below the path of static files
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
