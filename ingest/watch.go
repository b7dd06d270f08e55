package ingest

import (
	"net/http"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query"
)

// watch returns the middleware that observes the requests of a route.
func (s *Service) watch(route func(*http.Request) string) httpserver.Watch {
	return httpserver.Watch{Log: s.Log, Observer: s.Observer, Route: route, Bounds: s.bounds, Clean: query.Clean,
		Now: s.Now, Memory: s.Memory, Address: s.Address, Brake: s.Brake, Open: s.Open, Known: s.Known,
		Turn: s.turn}
}

// bounds returns how long a request may take.
func (s *Service) bounds(r *http.Request) httpserver.Bounds {
	write := s.Limits.Work + s.Limits.Body
	if httpserver.HasBody(r) {
		write += s.Limits.Body
	}
	return httpserver.Bounds{Read: s.Limits.Body, Work: s.Limits.Work, Write: write}
}

// noStore sets the headers that forbid caches to store an answer and browsers to guess its type.
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}
