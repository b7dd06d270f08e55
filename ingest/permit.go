package ingest

import (
	"context"
	"net/http"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
)

// permit checks whether the caller may use the route, and limits the caller's request rate. It returns the request with
// the caller in its context. No other code decides about access to routes.
func (s *Service) permit(w http.ResponseWriter, r *http.Request, route endpoint) (*http.Request, error) {
	p, err := s.Gate.Authorize(w.Header(), r, s.action(route, r))
	if err != nil {
		return nil, err
	}
	httpserver.SetCaller(r.Context(), p.ID, p.Tenant())
	if !route.unlimited {
		err = s.limit(r.Context(), p)
	}
	return r.WithContext(auth.With(r.Context(), p)), err
}

// LimitRequests returns a handler that limits the request rate of each caller. The context of a request names its
// caller. A caller's requests to the API count for the same limit.
func (s *Service) LimitRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.LimitRequest(r.Context()); err != nil {
			httpserver.Refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// LimitRequest counts a request of the caller that ctx names. The error is RateLimited if the caller has sent too many
// requests, or if too many requests of its tenant are open.
func (s *Service) LimitRequest(ctx context.Context) error { return s.limit(ctx, caller(ctx)) }

func (s *Service) limit(ctx context.Context, p auth.Principal) error {
	if err := s.limited(limitOpen, httpserver.Occupy(ctx)); err != nil {
		return err
	}
	return s.limited(limitRequests, s.rates.request(p))
}

// action returns the action of a request. For a question or tool, the action is the scope of its row. An unknown
// question has the action of the route, so a caller with access to the route gets NotFound.
func (s *Service) action(route endpoint, r *http.Request) auth.Action {
	if row, found := s.asked(r); found {
		return auth.Scope(row.Scope)
	}
	return auth.Action(route.Method + " " + route.Path)
}
