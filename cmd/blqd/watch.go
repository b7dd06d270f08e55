package main

import (
	"net/http"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query"
)

// These bound a request outside of the ingest API. MCP sets narrower bounds.
const (
	requestTimeout = 150 * time.Second // from its first byte to its last
	workTimeout    = 120 * time.Second // leaves time to say that it was too long
)

// watched watches all but the ingest API, which watches itself.
func (s *service) watched(next http.Handler) http.Handler {
	watch := httpserver.Watch{Log: s.log, Quiet: probes, Route: routeOf, Bounds: boundsOf, Observer: s.metrics,
		Clean: query.Clean, Memory: s.memory, Address: s.address}
	return watch.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.metrics.working.Inc()
		defer s.metrics.working.Dec()
		next.ServeHTTP(w, r)
	}))
}

func boundsOf(r *http.Request) httpserver.Bounds {
	if routeOf(r) == routeStream {
		return httpserver.Bounds{}
	}
	return httpserver.Bounds{Read: requestTimeout, Work: workTimeout, Write: requestTimeout}
}
