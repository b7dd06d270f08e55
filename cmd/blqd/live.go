package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/blq-ci/blq/store"
)

// live collects metrics that are read from the database. The values are about all replicas together. If the
// database does not answer, these metrics are missing.
type live struct {
	store engine
	now   func() time.Time
}

// liveTimeout is the max time that the database may take to answer.
const liveTimeout = 2 * time.Second

var (
	running = prometheus.NewDesc("blq_runs_running", "Runs that are being sent, on all replicas.", nil, nil)
	newest  = prometheus.NewDesc("blq_runs_newest_heartbeat_age_seconds",
		"Time since the newest heartbeat of a running run; absent when none is running.", nil, nil)
	partition = prometheus.NewDesc("blq_partitions_ahead",
		"Coming months for which there are partitions of events.", nil, nil)
)

// partitioned is a store with a partition for each month.
type partitioned interface {
	PartitionsAhead(context.Context) (int, error)
}

// Describe implements prometheus.Collector.
func (l live) Describe(ch chan<- *prometheus.Desc) { ch <- running; ch <- newest; ch <- partition }

// Collect implements prometheus.Collector.
func (l live) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), liveTimeout)
	defer cancel()
	n, err := l.store.Running(ctx, store.Everything(), "")
	if err != nil {
		return // the metric blq_ready shows that the database cannot be used
	}
	ch <- prometheus.MustNewConstMetric(running, prometheus.GaugeValue, float64(n.Runs))
	if n.Runs > 0 && !n.Heartbeat.IsZero() {
		ch <- prometheus.MustNewConstMetric(newest, prometheus.GaugeValue, max(0, l.now().Sub(n.Heartbeat).Seconds()))
	}
	p, ok := l.store.(partitioned)
	if !ok {
		return
	}
	if months, err := p.PartitionsAhead(ctx); err == nil {
		ch <- prometheus.MustNewConstMetric(partition, prometheus.GaugeValue, float64(months))
	}
}
