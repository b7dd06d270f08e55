package main

import (
	"context"
	"net/http"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query"
)

// Limits of a request outside of the ingest API. MCP sets lower limits.
const (
	requestTimeout = 150 * time.Second // from the first byte to the last
	workTimeout    = 120 * time.Second // leaves time to answer that the request took too long
)

// watched watches all requests outside of the ingest API, which has a Watch of its own.
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

// freeAnswers is how many free answers an address or a tenant gets per second without a wait, and freeBurst is how many
// at once. A free answer costs its sender nothing. Each further one waits a little.
const (
	freeAnswers = 5
	freeBurst   = 100
	aLittle     = time.Second
)

// slow delays an answer that costs its sender nothing, if its address or tenant gets too many. Such requests need no
// token or are refused. Without a delay the sender would send the next one at once. While an answer waits, another
// connection may replace its connection.
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
