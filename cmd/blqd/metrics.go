package main

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/internal/upkeep"
)

// metrics are what operators see of the service.
type metrics struct {
	registry *prometheus.Registry

	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	working  prometheus.Gauge
	uploads  prometheus.Gauge
	stored   *prometheus.CounterVec
	storedIn *prometheus.CounterVec
	received *prometheus.CounterVec
	sent     *prometheus.CounterVec
	limits   *prometheus.CounterVec
	errors   *prometheus.CounterVec
	lag      prometheus.Histogram
	ready    *prometheus.GaugeVec

	orphaned prometheus.Counter
	pruned   prometheus.Counter
	objects  *prometheus.CounterVec
	upkeep   *prometheus.CounterVec
	upkeepAt *prometheus.GaugeVec
}

// Buckets from a read of an index to a slow upload, in seconds.
var (
	latencyBuckets = []float64{.001, .0025, .005, .01, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 90}
	lagBuckets     = []float64{.1, .5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200, 86400}
)

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("http_requests_total", "Requests answered.", "route", "method", "status"),
		latency:  histograms("http_request_duration_seconds", "Time from a request's header to the end of its answer.", latencyBuckets, "route"),
		working:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "blq_http_requests_in_flight", Help: "Requests at work, but for those of the API that send runs."}),
		uploads:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "blq_uploads_in_flight", Help: "Bodies of chunks and events that are being received."}),
		stored:   counters("ingested_total", "What was stored durably.", "what"),
		storedIn: counters("ingested_bytes_total", "Bytes of bodies that were stored durably.", "what"),
		received: counters("http_received_bytes_total", "Bytes of requests' bodies that were read.", "route"),
		sent:     counters("http_sent_bytes_total", "Bytes of answers' bodies.", "route"),
		limits:   counters("limit_hits_total", "Requests refused because of a limit.", "limit"),
		errors:   counters("errors_total", "Requests that failed for a reason of ours.", "route", "status"),
		lag:      prometheus.NewHistogram(prometheus.HistogramOpts{Name: "blq_ingest_lag_seconds", Help: "Time from the end of a run to its completion here.", Buckets: lagBuckets}),
		ready:    gauges("ready", "Whether a dependency could be used when it was last asked.", "dependency"),
		orphaned: prometheus.NewCounter(prometheus.CounterOpts{Name: "blq_runs_orphaned_total", Help: "Runs whose heartbeat stopped."}),
		pruned:   prometheus.NewCounter(prometheus.CounterOpts{Name: "blq_runs_pruned_total", Help: "Runs removed by retention."}),
		objects:  counters("log_objects_deleted_total", "Log objects that nobody referred to any more.", "why"),
		upkeep:   counters("upkeep_rounds_total", "Rounds of upkeep.", "task", "result"),
		upkeepAt: gauges("upkeep_last_success_timestamp_seconds", "When a task of upkeep last succeeded.", "task"),
	}
	build := gauges("build_info", "The program.", "version", "go")
	build.WithLabelValues(version, runtime.Version()).Set(1)
	m.registry.MustRegister(
		m.requests, m.latency, m.working, m.uploads, m.stored, m.storedIn, m.received, m.sent, m.limits, m.errors, m.lag, m.ready,
		m.orphaned, m.pruned, m.objects, m.upkeep, m.upkeepAt, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "blq_" + name, Help: help}, labels)
}

func gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "blq_" + name, Help: help}, labels)
}

func histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "blq_" + name, Help: help, Buckets: buckets}, labels)
}

// handler serves the metrics.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Timeout: 10 * time.Second, MaxRequestsInFlight: 4})
}

// Request counts a request that was answered.
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
	if status >= http.StatusInternalServerError {
		m.errors.WithLabelValues(route, code).Inc()
	}
}

var methods = []string{"GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE"}

// Received implements ingest.Observer.
func (m *metrics) Received(kind ingest.Kind, n int, bytes int64) {
	m.stored.WithLabelValues(string(kind)).Add(float64(n))
	m.storedIn.WithLabelValues(string(kind)).Add(float64(bytes))
}

// Limited implements ingest.Observer.
func (m *metrics) Limited(limit string) { m.limits.WithLabelValues(limit).Inc() }

// Lag implements ingest.Observer.
func (m *metrics) Lag(d time.Duration) { m.lag.Observe(max(0, d.Seconds())) }

// Uploads implements ingest.Observer.
func (m *metrics) Uploads(n int) { m.uploads.Set(float64(n)) }

// kept counts what a round of upkeep did.
func (m *metrics) kept(r upkeep.Round) {
	m.orphaned.Add(float64(r.Orphaned))
	m.pruned.Add(float64(r.Pruned.Runs))
	m.objects.WithLabelValues(r.Task).Add(float64(r.Objects))
	if r.Err != nil {
		m.upkeep.WithLabelValues(r.Task, "error").Inc()
		return
	}
	m.upkeep.WithLabelValues(r.Task, "ok").Inc()
	m.upkeepAt.WithLabelValues(r.Task).SetToCurrentTime()
}

// running counts the runs that are being sent whenever it is asked: the queue
// of the service, which all replicas share.
func (m *metrics) running(count func(context.Context) (int, error)) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "blq_runs_running", Help: "Runs that are being sent, on all replicas; -1 when the database does not say.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		n, err := count(ctx)
		if err != nil {
			return -1
		}
		return float64(n)
	}))
}
