package ingest

import (
	"net/http"
	"slices"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/store"
)

// permit says whether the caller may use a route now.
func (s *Service) permit(r *http.Request, route Route) error {
	p := caller(r.Context())
	exchangeOf(r.Context()).caller = p.ID
	if route.Action == "" {
		return nil
	}
	action, scope := route.Action, route.scope
	if action == ActionAsk {
		action += r.PathValue("tool")
		if r.PathValue("tool") == "query" {
			scope = store.ScopeQuery
		}
	}
	if s.Allow != nil {
		if err := s.Allow(p, action); err != nil {
			return err
		}
	} else if err := byScope(p, scope); err != nil {
		return err
	}
	return s.limited("requests", s.rates.request(p))
}

// byScope decides by the caller's scopes.
func byScope(p auth.Principal, scope store.TokenScope) error {
	switch {
	case p.Kind == auth.KindOperator || slices.Contains(p.Scopes, scope):
		return nil
	case p.Kind == auth.KindNobody || p.Kind == "":
		return store.Hint(store.Errorf(store.Unauthorized, "this needs a token"), "send Authorization: Bearer with a token of scope %s", scope)
	}
	return store.Hint(store.Errorf(store.Forbidden, "this needs a token of scope %s", scope), "use another token")
}

// admit lets a body be received, unless too many are.
func (s *Service) admit() (done func(), err error) {
	select {
	case s.uploads <- struct{}{}:
	default:
		return nil, s.limited("uploads", store.Hint(store.Errorf(store.Unavailable, "this server receives as much as it can at a time"), "try again"))
	}
	s.Observer.Uploads(len(s.uploads))
	return func() {
		<-s.uploads
		s.Observer.Uploads(len(s.uploads))
	}, nil
}

// limited tells the observer of a limit that was hit.
func (s *Service) limited(limit string, err error) error {
	if err != nil {
		s.Observer.Limited(limit)
	}
	return err
}
