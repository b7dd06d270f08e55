package main

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/internal/maintenance"
	"github.com/blq-ci/blq/store"
)

// Request implements httpserver.Observer.
func (m *metrics) Request(route, method string, status int, took time.Duration, in, out int64) {
	if route == "" {
		route = "other"
	}
	if !slices.Contains(methods, method) {
		method = "other"
	}
	code := strconv.Itoa(status)
	m.requests.WithLabelValues(route, method, code).Inc()
	m.latency.WithLabelValues(route).Observe(took.Seconds())
	m.received.WithLabelValues(route).Add(float64(in))
	m.sent.WithLabelValues(route).Add(float64(out))
	if status >= http.StatusBadRequest {
		m.refused.WithLabelValues(route, codeOf(status)).Inc()
	}
	if httpserver.IsFault(status) {
		m.errors.WithLabelValues(route, code).Inc()
	}
}

// codeOf returns the error code that belongs to an HTTP status.
func codeOf(status int) string {
	return cmp.Or(string(httpserver.CodeOf(status)), "other")
}

var methods = []string{"GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE"}

// Received implements ingest.Observer.
func (m *metrics) Received(kind ingest.Kind, n int, bytes int64) {
	m.stored.WithLabelValues(string(kind)).Add(float64(n))
	m.storedIn.WithLabelValues(string(kind)).Add(float64(bytes))
}

// Limited implements ingest.Observer.
func (m *metrics) Limited(limit string, code store.Code) {
	m.limits.WithLabelValues(limit, string(code)).Inc()
}

// Lag implements ingest.Observer.
func (m *metrics) Lag(kind ingest.Kind, d time.Duration) {
	m.lag.WithLabelValues(string(kind)).Observe(max(0, d.Seconds()))
}

// Uploads implements ingest.Observer.
func (m *metrics) Uploads(n int) { m.uploads.Set(float64(n)) }

// called counts a call of a tool.
func (m *metrics) called(tool, result string, took time.Duration) {
	m.calls.WithLabelValues(tool, result).Inc()
	m.callTime.WithLabelValues(tool).Observe(took.Seconds())
}

// limitConnections is the name of the limit of connections in metrics. All other limits belong to the API.
const limitConnections = "connections"

// connections sets the number of open connections.
func (m *metrics) connections(open int) { m.conns.Set(float64(open)) }

// tooMany counts a refused connection.
func (m *metrics) tooMany() { m.Limited(limitConnections, store.Unavailable) }

// bounds sets metrics to the values of the limits, so that operators can compare the limits with the usage.
func (m *metrics) bounds(l limits) {
	for name, value := range map[string]int{"uploads": l.MemoryMB << 20, "running": l.Running,
		limitConnections: l.Connections} {
		m.bound.WithLabelValues(name).Set(float64(value))
	}
}

// kept counts the results of a maintenance round.
func (m *metrics) kept(r maintenance.Round) {
	m.orphaned.WithLabelValues("silent").Add(float64(r.Orphaned - r.Overdue))
	m.orphaned.WithLabelValues("overdue").Add(float64(r.Overdue))
	if r.Pruned.Runs > 0 {
		m.pruned.WithLabelValues(r.Task).Add(float64(r.Pruned.Runs))
	}
	if r.Objects > 0 {
		m.objects.WithLabelValues(r.Task).Add(float64(r.Objects))
	}
	m.missing.Add(float64(r.Missing))
	m.recounted.Add(float64(r.Corrected))
	if r.Err != nil {
		m.upkeep.WithLabelValues(r.Task, "error").Inc()
		return
	}
	m.upkeep.WithLabelValues(r.Task, "ok").Inc()
	m.upkeepAt.WithLabelValues(r.Task).SetToCurrentTime()
}
