package main

import (
	"context"
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

// watched watches all requests except for the ingest API, which watches itself.
func (s *service) watched(next http.Handler) http.Handler {
	watch := httpserver.Watch{Log: s.log, Quiet: probes, Route: routeOf, Bounds: boundsOf, Observer: s.metrics,
		Clean: query.Clean, Memory: s.memory, Address: s.address, Brake: s.slow}
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

// freeAnswers is how many answers that cost their sender nothing an address or a tenant gets per second without a wait,
// and freeBurst how many in a burst. Each further answer waits a little.
const (
	freeAnswers = 5
	freeBurst   = 100
	aLittle     = time.Second
)

// slow delays the answer for an address or tenant that sends too many requests that need no token or are refused.
// Without the delay it would send the next one at once. Its connection may be closed meanwhile in favor of another.
func (s *service) slow(ctx context.Context, of string) {
	if s.brake.Take(of, 1) == 0 {
		return
	}
	idleWhile(ctx, func() {
		select {
		case <-ctx.Done():
		case <-time.After(s.slowBy):
		}
	})
}
