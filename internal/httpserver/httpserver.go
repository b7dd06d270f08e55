// Package httpserver has the parts that all HTTP handlers of blq share. Watch adds the ID, the time bounds, the log
// line and the metrics of a request. Other parts limit bodies and rates, and recover from panics. One table maps the
// codes of errors to statuses. It may import store only, and nothing from outside of Go.
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

// New returns a server for a handler that bounds the time of each request itself (see Watch). The server's
// messages about connections go to log.
func New(h http.Handler, log *slog.Logger, level slog.Level) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), level),
	}
}
