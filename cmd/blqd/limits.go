package main

import (
	"fmt"
	"math"
	"time"

	"github.com/blq-ci/blq/ingest"
)

// limits are the limits of callers, in the units that operators use.
type limits struct {
	Requests, RequestsBurst int           // max requests of a caller: per second, at once
	UploadMB, UploadMBBurst int           // MB of bodies for a repository: per second, at once
	MemoryMB                int           // memory for all bodies that are being received
	BodyTime, WorkTime      time.Duration // max time to receive a body, and max time for the rest of the request
	RunTime                 time.Duration // max time that a run may be open; 0 means no limit
	RunLogMB, RunChunks     int           // max size and max chunks of a run's log
	RunEvents               int           // max events of a run
	Running                 int           // max running runs of a repository; 0 means no limit
	ClockSkew               time.Duration // max time by which a client's clock may be ahead
	Connections             int           // max open connections; 0 means no limit
	Connects                int           // max new connections per second; 0 means no limit
}

func defaultLimits() limits {
	d := ingest.DefaultLimits()
	return limits{
		Requests: int(d.Requests), RequestsBurst: d.RequestsBurst,
		UploadMB: int(d.Bytes) >> 20, UploadMBBurst: d.BytesBurst >> 20, MemoryMB: d.Uploads,
		BodyTime: d.Body, WorkTime: d.Work,
		RunTime: d.RunTime, RunLogMB: int(d.RunBytes >> 20), RunChunks: d.RunChunks, RunEvents: d.RunEvents,
		Running:   d.Running,
		ClockSkew: d.Skew, Connections: 4096, Connects: 300,
	}
}

// limitSettings are the flags and variables with which operators set the limits of requests, runs and connections.
var limitSettings = []setting{
	{"limit-requests", "max requests of a caller per second, on each replica",
		false, number(func(c *Config) *int { return &c.Limits.Requests })},
	{"limit-requests-burst", "max requests of a caller in a burst",
		false, number(func(c *Config) *int { return &c.Limits.RequestsBurst })},
	{"limit-upload-mb", "max `MB` of uploads for a repository per second, on each replica",
		false, number(func(c *Config) *int { return &c.Limits.UploadMB })},
	{"limit-upload-mb-burst", "max `MB` of uploads for a repository in a burst", false,
		number(func(c *Config) *int { return &c.Limits.UploadMBBurst })},
	{"limit-memory-mb",
		"max `MB` of memory for bodies of requests, long texts of answers, and comparisons of large runs", false,
		number(func(c *Config) *int { return &c.Limits.MemoryMB })},
	{"limit-body-time", "max time for a body to arrive", false,
		duration(func(c *Config) *time.Duration { return &c.Limits.BodyTime })},
	{"limit-work-time", "max time for a request after its body has arrived", false,
		duration(func(c *Config) *time.Duration { return &c.Limits.WorkTime })},
	{"limit-run-time", "max time that a run may be open, also with heartbeats; 0 for no limit", false,
		duration(func(c *Config) *time.Duration { return &c.Limits.RunTime })},
	{"limit-run-log-mb", "max `MB` of text of a run's log", false,
		number(func(c *Config) *int { return &c.Limits.RunLogMB })},
	{"limit-run-chunks", "max chunks of a run's log", false, number(func(c *Config) *int { return &c.Limits.RunChunks })},
	{"limit-run-events", "max events of a run", false, number(func(c *Config) *int { return &c.Limits.RunEvents })},
	{"limit-running", "max running runs of a repository, on all replicas; 0 for no limit",
		false, number(func(c *Config) *int { return &c.Limits.Running })},
	{"limit-clock-skew", "max time that a client's clock may be ahead; beyond it the time of arrival is used", false,
		duration(func(c *Config) *time.Duration { return &c.Limits.ClockSkew })},
	{"limit-connections", "max open connections; 0 for no limit",
		false, number(func(c *Config) *int { return &c.Limits.Connections })},
	{"limit-connects", "max new connections per second; beyond it, those of networks with many wait; 0 for no limit",
		false, number(func(c *Config) *int { return &c.Limits.Connects })},
}

// bound is a setting with its min value.
type bound struct {
	name         string
	value, least int
}

// check checks the limits, together with the limits of statements.
func (l limits) check(s statements) error {
	const maxNumber = math.MaxInt32
	for _, n := range append(s.checks(), []bound{
		{"limit-requests", l.Requests, 1}, {"limit-requests-burst", l.RequestsBurst, 1},
		{"limit-upload-mb", l.UploadMB, 1}, {"limit-upload-mb-burst", l.UploadMBBurst, 8}, {"limit-memory-mb", l.MemoryMB, 1},
		{"limit-run-log-mb", l.RunLogMB, 1}, {"limit-run-chunks", l.RunChunks, 1}, {"limit-run-events", l.RunEvents, 1},
		{"limit-running", l.Running, 0}, {"limit-connections", l.Connections, 0}, {"limit-connects", l.Connects, 0},
	}...) {
		if n.value < n.least || n.value > maxNumber {
			return wrong(n.name, fmt.Sprintf("it must be from %d to %d, and is %d", n.least, maxNumber, n.value),
				"blqd serve -h")
		}
	}
	for _, d := range []struct {
		name         string
		value, least time.Duration
	}{
		{"limit-body-time", l.BodyTime, time.Second}, {"limit-work-time", l.WorkTime, time.Second},
		{"limit-clock-skew", l.ClockSkew, time.Second},
		{"limit-statement-cpu", s.CPU, time.Second},
	} {
		if d.value < d.least {
			return wrong(d.name, fmt.Sprintf("it must be at least %v, not %v", d.least, d.value), "blqd serve -h")
		}
	}
	if l.RunTime != 0 && l.RunTime < time.Minute {
		return wrong("limit-run-time", fmt.Sprintf("it must be 0 or at least %v, not %v", time.Minute, l.RunTime),
			"blqd serve --limit-run-time 144h")
	}
	return nil
}

// ingest returns the limits in the form that package ingest needs. For that package, 0 means the default. So a limit of
// 0, which means no limit here, becomes a very large limit.
func (l limits) ingest() ingest.Limits {
	running, open := l.Running, l.RunTime
	if running == 0 {
		running = math.MaxInt
	}
	if open == 0 {
		open = math.MaxInt64
	}
	return ingest.Limits{
		Requests: float64(l.Requests), RequestsBurst: l.RequestsBurst,
		Bytes: float64(l.UploadMB) * (1 << 20), BytesBurst: l.UploadMBBurst << 20, Uploads: l.MemoryMB,
		Body: l.BodyTime, Work: l.WorkTime, Skew: l.ClockSkew,
		RunTime: open, RunBytes: int64(l.RunLogMB) << 20, RunChunks: l.RunChunks, RunEvents: l.RunEvents, Running: running,
	}
}
