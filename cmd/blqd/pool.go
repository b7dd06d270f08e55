package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/blq-ci/blq/internal/fair"
	"github.com/blq-ci/blq/store/postgres"
)

// pool registers metrics about the use of database connections, if the store has a pool of connections.
func (m *metrics) pool(s any) {
	p, ok := s.(interface{ Stats() postgres.Stats })
	if !ok {
		return
	}
	for _, g := range []struct {
		name, help string
		of         func(postgres.Stats) float64
	}{
		{"connections", "Connections to the database.", func(s postgres.Stats) float64 { return float64(s.Connections) }},
		{"connections_in_use", "Database connections in use.", func(s postgres.Stats) float64 { return float64(s.InUse) }},
		{"connections_max", "Max database connections.", func(s postgres.Stats) float64 { return float64(s.Max) }},
		{"queries_running", "Running SQL queries of callers.", func(s postgres.Stats) float64 { return float64(s.Queries) }},
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "blq_database_" + g.name, Help: g.help},
			func() float64 { return g.of(p.Stats()) }))
	}
	for _, c := range []struct {
		name, help string
		of         func(postgres.Stats) float64
	}{
		{"acquired_total", "Connections that were acquired from the pool.",
			func(s postgres.Stats) float64 { return float64(s.Acquired) }},
		{"waited_total", "Acquisitions that had to wait for a free connection.",
			func(s postgres.Stats) float64 { return float64(s.Waited) }},
		{"wait_seconds_total", "Time spent waiting for a free connection.",
			func(s postgres.Stats) float64 { return s.WaitTime.Seconds() }},
	} {
		m.registry.MustRegister(
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "blq_database_" + c.name, Help: c.help},
				func() float64 { return c.of(p.Stats()) }))
	}
}

// share registers metrics about the memory for bodies.
func (m *metrics) share(memory *fair.Share) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "blq_upload_memory_bytes", Help: "Memory for bodies that are received or worked on."},
		func() float64 { return float64(memory.Used()) }))
}
