package ingest

import (
	"net/http"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query/remote"
)

// endpoint is a route of the API.
type endpoint struct {
	Method string
	Path   string // pattern of http.ServeMux
	serve  func(*Service, http.ResponseWriter, *http.Request) error

	unlimited bool // the route has no rate limit, because GitHub or many callers use it
}

var routes = []endpoint{
	{Method: "POST", Path: "/v1/runs", serve: (*Service).start},
	{Method: "GET", Path: "/v1/runs/{attempt_id}", serve: (*Service).state},
	{Method: "GET", Path: "/v1/runs/{attempt_id}/check", serve: (*Service).compare},
	{Method: "PUT", Path: "/v1/runs/{attempt_id}/chunks/{seq}", serve: (*Service).putChunk},
	{Method: "PUT", Path: "/v1/runs/{attempt_id}/events/{seq}", serve: (*Service).putEvents},
	{Method: "PUT", Path: "/v1/runs/{attempt_id}/tests", serve: (*Service).putTests},
	{Method: "PUT", Path: "/v1/runs/{attempt_id}/live/{from}", serve: (*Service).putLive},
	{Method: "POST", Path: "/v1/runs/{attempt_id}/finish", serve: (*Service).finish},
	{Method: "POST", Path: "/v1/runs/{attempt_id}/heartbeat", serve: (*Service).heartbeat},
	{Method: "POST", Path: "/v1/facts", serve: (*Service).putFacts},
	{Method: "PUT", Path: "/v1/facts/objects", serve: (*Service).putObjects},
	{Method: "PUT", Path: "/v1/facts/objects/{digest}", serve: (*Service).putObject},
	{Method: "GET", Path: "/v1/{tool}", serve: (*Service).ask},
	{Method: "POST", Path: remote.Path + "/{question}", serve: (*Service).question},
	{Method: "POST", Path: auth.PathToken, serve: (*Service).exchange, unlimited: true},
	{Method: "GET", Path: "/v1/openapi.yaml", serve: (*Service).openapi, unlimited: true},
	{Method: "POST", Path: "/webhooks/github", serve: (*Service).webhook, unlimited: true},
}

// Handler returns the handler of the API.
func (s *Service) Handler() http.Handler {
	mux := httpserver.NewMux("GET /v1/openapi.yaml describes what is")
	for _, r := range routes {
		mux.Handle(r.Method, r.Path, s.route(r))
	}
	return s.watch(mux.Route).Handler(noStore(mux))
}

// exchange answers a CI job. The job sends an OIDC token and gets a token of the service.
func (s *Service) exchange(w http.ResponseWriter, r *http.Request) error {
	return s.Gate.Exchange(w, r)
}

// route returns the handler of a route. The handler refuses callers that may not use the route.
func (s *Service) route(route endpoint) http.Handler {
	return httpserver.Handler(func(w http.ResponseWriter, r *http.Request) error {
		r, err := s.permit(w, r, route)
		if err != nil {
			return err
		}
		return route.serve(s, w, r)
	})
}
