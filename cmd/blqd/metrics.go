package main

import (
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/store"
)

// metrics holds the Prometheus metrics of the service.
type metrics struct {
	registry *prometheus.Registry

	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	working  prometheus.Gauge
	uploads  prometheus.Gauge
	conns    prometheus.Gauge
	bound    *prometheus.GaugeVec
	stored   *prometheus.CounterVec
	storedIn *prometheus.CounterVec
	received *prometheus.CounterVec
	sent     *prometheus.CounterVec
	limits   *prometheus.CounterVec
	refused  *prometheus.CounterVec
	errors   *prometheus.CounterVec
	calls    *prometheus.CounterVec
	callTime *prometheus.HistogramVec
	lag      *prometheus.HistogramVec
	ready    *prometheus.GaugeVec

	tries   *prometheus.CounterVec
	tryTime *prometheus.HistogramVec
	posts   *prometheus.CounterVec

	orphaned  *prometheus.CounterVec
	pruned    *prometheus.CounterVec
	objects   *prometheus.CounterVec
	missing   prometheus.Counter
	recounted prometheus.Counter
	upkeep    *prometheus.CounterVec
	upkeepAt  *prometheus.GaugeVec
}

// These are upper bounds of histogram buckets, in seconds. latencyBuckets range from the read of an index to a slow
// upload. lagBuckets are for the time until a run is stored, which can be a day.
var (
	latencyBuckets = []float64{.001, .0025, .005, .01, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 90}
	lagBuckets     = []float64{.1, .5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200, 86400}
)

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("http_requests_total", "Requests answered.", "route", "method", "status"),
		latency: histograms("http_request_duration_seconds", "Time from the header of a request to the end of its answer.",
			latencyBuckets, "route"),
		working: prometheus.NewGauge(
			prometheus.GaugeOpts{Name: "blq_http_requests_in_flight", Help: "Open requests, without those that send runs."}),
		uploads: prometheus.NewGauge(
			prometheus.GaugeOpts{Name: "blq_uploads_in_flight", Help: "Bodies of chunks and events that are being received."}),
		conns:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "blq_connections", Help: "Open connections of clients."}),
		bound:    gauges("limit", "Value of a limit, in its own unit; 0 is no limit.", "limit"),
		stored:   counters("ingested_total", "What was stored durably.", "what"),
		storedIn: counters("ingested_bytes_total", "Bytes of request bodies that are stored durably.", "what"),
		received: counters("http_received_bytes_total", "Bytes of request bodies that were read.", "route"),
		sent:     counters("http_sent_bytes_total", "Bytes of answers' bodies.", "route"),
		limits: counters("limit_hits_total", "Requests refused because of a limit, by the code of the error.",
			"limit", "code"),
		refused: counters("refusals_total", "Requests answered with an error, by its code.", "route", "code"),
		calls: counters("tool_calls_total", "Calls of tools, over MCP and HTTP, by result: ok, or the code of the error.",
			"tool", "result"),
		callTime: histograms("tool_duration_seconds", "Time that a tool took to answer.", latencyBuckets, "tool"),
		errors:   counters("errors_total", "Requests that failed because of an error of the service.", "route", "status"),
		lag: histograms("ingest_lag_seconds",
			"Time from the start or end of a run, by its client's clock, until it was stored here.", lagBuckets, "what"),
		ready: gauges("ready", "Whether a dependency could be used when it was last asked.", "dependency"),
		tries: counters("queue_tries_total", "Tries of jobs of the queue, by result: done, delayed, dead, or lost to "+
			"another replica.", "kind", "result"),
		posts: counters("summaries_total", "Reports with notes that were posted to pull requests, or not, by state: see "+
			"docs/github-app.md.", "state"),
		tryTime: histograms("queue_duration_seconds", "Time that a try of a job of the queue took.", latencyBuckets, "kind"),
		orphaned: counters("runs_orphaned_total",
			"Runs that were orphaned: silent without heartbeats, or overdue because they were open for too long.", "why"),
		pruned: counters("runs_pruned_total", "Runs removed by retention, or by quota.", "why"),
		missing: prometheus.NewCounter(prometheus.CounterOpts{Name: "blq_log_objects_missing_total",
			Help: "Log objects that a run refers to and the object storage lacks; counted each time that they are found."}),
		recounted: prometheus.NewCounter(prometheus.CounterOpts{Name: "blq_usage_corrected_total",
			Help: "Counts of usage that a recount corrected."}),
		objects: counters("log_objects_deleted_total", "Deleted log objects that no run referred to.", "why"),
		upkeep:  counters("upkeep_rounds_total", "Rounds of upkeep.", "task", "result"),
		upkeepAt: gauges("upkeep_last_success_timestamp_seconds",
			"Time at which a task of maintenance last succeeded.", "task"),
	}
	build := gauges("build_info", "The program.", "version", "go")
	build.WithLabelValues(version, runtime.Version()).Set(1)
	m.registry.MustRegister(
		m.requests, m.latency, m.working, m.uploads, m.conns, m.bound, m.stored, m.storedIn, m.received, m.sent, m.limits,
		m.refused, m.errors, m.calls, m.callTime, m.lag, m.ready, m.tries, m.tryTime, m.posts,
		m.orphaned, m.pruned, m.objects, m.missing, m.recounted, m.upkeep, m.upkeepAt, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	// Each of the following counters starts with the value 0. If a counter started with the value 1, rate() in PromQL
	// would miss the first count.
	for limit, code := range ingest.LimitCodes() {
		m.limits.WithLabelValues(limit, string(code))
	}
	m.limits.WithLabelValues(limitConnections, string(store.Unavailable))
	m.limits.WithLabelValues(limitStreams, string(store.RateLimited))
	for _, why := range []string{"silent", "overdue"} {
		m.orphaned.WithLabelValues(why)
	}
	for _, task := range []string{"retain", "quota"} {
		m.pruned.WithLabelValues(task)
	}
	for _, task := range []string{"collect", "strays"} {
		m.objects.WithLabelValues(task)
	}
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
