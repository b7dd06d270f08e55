package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/query"
)

// These limits bound a request outside of the ingest API. MCP has lower limits.
const (
	requestTimeout = 150 * time.Second // max time from the first byte of a request to the last byte of its answer
	workTimeout    = 120 * time.Second // shorter, so that there is time to answer that the request took too long
)

// watched limits the time of requests and logs them, with an httpserver.Watch. It leaves out the ingest API, which
// applies its own Watch.
func (s *service) watched(next http.Handler) http.Handler {
	watch := httpserver.Watch{Log: s.log, Quiet: probes, Route: routeOf, Bounds: boundsOf, Observer: s.metrics,
		Clean: query.Clean, Memory: s.memory, Address: s.address, Brake: s.slow, Open: s.open,
		Known: occupied, Turn: s.turn}
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

// freeAnswers is the max number of cheap answers per second that an address or a tenant gets without a delay. freeBurst
// is the max number at once. Further cheap answers are delayed by aLittle on average. An answer is cheap if its request
// costs the client nothing, such as an answer with status 429.
const (
	freeAnswers = 5
	freeBurst   = 100
	aLittle     = time.Second
)

// slow delays an answer if a client gets too many answers that cost it nothing: the caller is unknown, there were too
// many requests, or the server is busy. client is the address or the tenant. Without the delay, the client would send
// the next request immediately. During the delay, a new connection may replace the connection of the request. The
// delays differ, so that clients that were refused at the same time do not come back at the same time.
func (s *service) slow(ctx context.Context, client string) {
	if s.brake.Take(client, 1) == 0 {
		return
	}
	idleWhile(ctx, func() {
		select {
		case <-ctx.Done():
		case <-time.After(s.slowBy/2 + rand.N(s.slowBy)):
		}
	})
}
