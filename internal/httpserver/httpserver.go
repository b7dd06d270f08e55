// Package httpserver has the common parts of blq's HTTP handlers. Watch adds the ID, the time limits, the log line and
// the metrics of a request. It also recovers from panics. Other parts limit bodies and rates. One table maps error
// codes to statuses. The package may import store, internal/cmdline, internal/fair and internal/jsonsize.
//
// Handlers return errors:
//
//	mux := httpserver.NewMux("GET /v1/openapi.yaml describes what is")
//	mux.Handle("GET", "/v1/runs/{id}", httpserver.Handler(s.run)) // func(w, r) error
//	http.Serve(l, httpserver.Watch{Log: log, Route: mux.Route}.Handler(mux))
package httpserver

import (
	"log/slog"
	"net/http"
	"time"
)

// maxHeader is the max size in bytes of a request's header. A connection needs about two and a half times as much
// memory. This memory counts for no tenant, because the caller is unknown until the header is complete.
const maxHeader = 16 << 10

// New returns a server for a handler that itself limits the time of each request (see Watch). The server writes its
// messages about connections to log.
func New(h http.Handler, log *slog.Logger, level slog.Level) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), level),
	}
}
