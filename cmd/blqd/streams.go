package main

import (
	"net/http"
	"time"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// limitStreams is the name of the limit of event streams in the metrics.
const limitStreams = "streams"

// streamAgain is the time after which a client tries again if too many streams are open.
const streamAgain = 5 * time.Second

// newStreams returns the number of streams that may be open: half of all connections, so that streams leave
// connections for requests. It returns nil if there is no limit of connections.
func newStreams(connections int) *fair.Share {
	if connections == 0 {
		return nil
	}
	return fair.NewShare(int64(max(2, connections/2)))
}

// newOpen returns the number of requests that may be open. Each of them needs a connection, so a tenant gets at most
// half of the connections. It returns nil if there is no limit of connections.
func newOpen(connections int) *fair.Share {
	if connections == 0 {
		return nil
	}
	return fair.NewShare(int64(max(2, connections)))
}

// shareStreams returns a handler of streams that stay open until the client disconnects. Tenants share the number of
// streams. The error is RateLimited if the tenant may not open another one.
func (s *service) shareStreams(next http.Handler) http.Handler {
	if s.streams == nil {
		return next
	}
	return httpserver.Handler(func(w http.ResponseWriter, r *http.Request) error {
		tenant := httpserver.Tenant(r.Context())
		if !s.streams.Take(tenant, 1) {
			s.metrics.Limited(limitStreams, store.RateLimited)
			return store.Later(store.Hint(store.Errorf(store.RateLimited, "too many event streams are open"),
				"close some, or use /mcp, which needs none"), streamAgain)
		}
		defer s.streams.Give(tenant, 1)
		next.ServeHTTP(w, r)
		return nil
	})
}
