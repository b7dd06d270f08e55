package ingest

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/query/remote"
	"github.com/blq-ci/blq/store"
)

// Route is a route of the API. What auth.Allow decides about is its method and
// path, or the tool that is asked.
type Route struct {
	Method string
	Path   string // as http.ServeMux has it
	serve  func(*Service, http.ResponseWriter, *http.Request) error
	body   bool // it takes a large one

	unlimited bool // its callers are many, or GitHub
}

var routes = []Route{
	{Method: "POST", Path: "/v1/runs", serve: (*Service).start},
	{Method: "GET", Path: "/v1/runs/{attempt_id}", serve: (*Service).state},
	{Method: "GET", Path: "/v1/runs/{attempt_id}/check", serve: (*Service).compare},
	{Method: "PUT", Path: "/v1/runs/{attempt_id}/chunks/{seq}", serve: (*Service).putChunk, body: true},
	{Method: "PUT", Path: "/v1/runs/{attempt_id}/events/{seq}", serve: (*Service).putEvents, body: true},
	{Method: "PUT", Path: "/v1/runs/{attempt_id}/live/{from}", serve: (*Service).putLive, body: true},
	{Method: "POST", Path: "/v1/runs/{attempt_id}/finish", serve: (*Service).finish},
	{Method: "POST", Path: "/v1/runs/{attempt_id}/heartbeat", serve: (*Service).heartbeat},
	{Method: "GET", Path: "/v1/{tool}", serve: (*Service).ask},
	{Method: "POST", Path: remote.Path + "/{question}", serve: (*Service).question},
	{Method: "POST", Path: auth.PathToken, serve: (*Service).noToken, unlimited: true},
	{Method: "GET", Path: "/v1/openapi.yaml", serve: (*Service).openapi, unlimited: true},
	{Method: "POST", Path: "/webhooks/github", serve: (*Service).webhook, unlimited: true},
}

// Routes returns the routes of the API.
func Routes() []Route { return slices.Clone(routes) }

// Handler returns the API.
func (s *Service) Handler() http.Handler {
	byPath := map[string][]Route{}
	for _, r := range routes {
		byPath[r.Path] = append(byPath[r.Path], r)
	}
	mux := http.NewServeMux()
	for path, list := range byPath {
		mux.Handle(path, s.methods(list))
	}
	mux.Handle("/", s.adapt(func(_ *Service, _ http.ResponseWriter, r *http.Request) error {
		return store.Hint(store.Errorf(store.NotFound, "nothing is served at this path"), "GET /v1/openapi.yaml describes what is")
	}))
	inner := http.Handler(mux)
	if s.Authenticate != nil {
		inner = s.Authenticate(inner)
	}
	return s.observed(unredirected(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, path := mux.Handler(r); path != "/" {
			exchangeOf(r.Context()).route = path
		}
		inner.ServeHTTP(w, r)
	})))
}

// noToken stands where internal/auth gives tokens to jobs, which it does by
// itself where it is in front.
func (s *Service) noToken(http.ResponseWriter, *http.Request) error {
	return store.Errorf(store.NotFound, "this server gives no tokens")
}

// unredirected refuses paths that are not clean, which the mux would answer
// with a redirect that no client of an API expects.
func unredirected(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.Path; !strings.HasPrefix(p, "/") || strings.Contains(p, "//") || strings.Contains(p, "/.") {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = "/", ""
		}
		next.ServeHTTP(w, r)
	})
}

// methods serves the routes of a path, and answers other methods.
func (s *Service) methods(list []Route) http.Handler {
	handlers := map[string]http.Handler{}
	for _, r := range list {
		handlers[r.Method] = s.route(r)
		if r.Method == http.MethodGet {
			handlers[http.MethodHead] = handlers[r.Method]
		}
	}
	allow := strings.Join(append(slices.Sorted(maps.Keys(handlers)), http.MethodOptions), ", ")
	other := s.adapt(func(_ *Service, w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Allow", allow)
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
		return store.Errorf(methodNotAllowed, "this path takes %s", allow)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := handlers[r.Method]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		other.ServeHTTP(w, r)
	})
}

// route serves a route for those who may use it.
func (s *Service) route(route Route) http.Handler {
	return s.adapt(func(s *Service, w http.ResponseWriter, r *http.Request) error {
		if err := s.permit(r, route); err != nil {
			return err
		}
		if route.body {
			done, err := s.admit(r)
			if err != nil {
				return err
			}
			defer done()
		}
		return route.serve(s, w, r)
	})
}
