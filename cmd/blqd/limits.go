package main

import (
	"fmt"
	"math"
	"time"

	"github.com/blq-ci/blq/ingest"
)

// limits are the bounds of callers, in the units in which operators set them.
type limits struct {
	Requests, RequestsBurst int           // of a caller: a second, at once
	UploadMB, UploadMBBurst int           // of bodies for a repository: a second, at once
	MemoryMB                int           // for bodies that are received at a time
	BodyTime, WorkTime      time.Duration // for a body to arrive, and for a request to be done after that
	RunTime                 time.Duration // that a run may be open; 0 for ever
	RunLogMB, RunChunks     int           // of a run's log
	RunEvents               int           // of a run
	Running                 int           // runs of a repository at a time; 0 for any number
	ClockSkew               time.Duration // that a client's clock may be ahead
	Connections             int           // at a time; 0 for any number
}

func defaultLimits() limits {
	d := ingest.DefaultLimits()
	return limits{
		Requests: int(d.Requests), RequestsBurst: d.RequestsBurst,
		UploadMB: int(d.Bytes) >> 20, UploadMBBurst: d.BytesBurst >> 20, MemoryMB: d.Uploads,
		BodyTime: d.Body, WorkTime: d.Work,
		RunTime: d.RunTime, RunLogMB: int(d.RunBytes >> 20), RunChunks: d.RunChunks, RunEvents: d.RunEvents, Running: d.Running,
		ClockSkew: d.Skew, Connections: 4096,
	}
}

// limitSettings are what callers are held to.
var limitSettings = []setting{
	{"limit-requests", "most requests of a caller, a second, on each replica", false, number(func(c *Config) *int { return &c.Limits.Requests })},
	{"limit-requests-burst", "most requests that a caller may send at once", false, number(func(c *Config) *int { return &c.Limits.RequestsBurst })},
	{"limit-upload-mb", "most `MB` of uploads for a repository, a second, on each replica", false, number(func(c *Config) *int { return &c.Limits.UploadMB })},
	{"limit-upload-mb-burst", "most `MB` of uploads for a repository at once", false, number(func(c *Config) *int { return &c.Limits.UploadMBBurst })},
	{"limit-memory-mb", "most `MB` of memory for uploads that are received at a time", false, number(func(c *Config) *int { return &c.Limits.MemoryMB })},
	{"limit-body-time", "how long a body may take to arrive", false, duration(func(c *Config) *time.Duration { return &c.Limits.BodyTime })},
	{"limit-work-time", "how long a request may take after that", false, duration(func(c *Config) *time.Duration { return &c.Limits.WorkTime })},
	{"limit-run-time", "how long a run may be open before it is orphaned, also when it gives signs of life; 0 for ever", false, duration(func(c *Config) *time.Duration { return &c.Limits.RunTime })},
	{"limit-run-log-mb", "most `MB` of text of a run's log", false, number(func(c *Config) *int { return &c.Limits.RunLogMB })},
	{"limit-run-chunks", "most chunks of a run's log", false, number(func(c *Config) *int { return &c.Limits.RunChunks })},
	{"limit-run-events", "most events of a run", false, number(func(c *Config) *int { return &c.Limits.RunEvents })},
	{"limit-running", "most runs of a repository that are running at a time, on all replicas; 0 for any number", false, number(func(c *Config) *int { return &c.Limits.Running })},
	{"limit-clock-skew", "how far ahead a client's clock may be; beyond it the time of arrival counts", false, duration(func(c *Config) *time.Duration { return &c.Limits.ClockSkew })},
	{"limit-connections", "most connections at a time; 0 for any number", false, number(func(c *Config) *int { return &c.Limits.Connections })},
}

// check checks the limits.
func (l limits) check() error {
	const most = math.MaxInt32
	for _, n := range []struct {
		name         string
		value, least int
	}{
		{"limit-requests", l.Requests, 1}, {"limit-requests-burst", l.RequestsBurst, 1},
		{"limit-upload-mb", l.UploadMB, 1}, {"limit-upload-mb-burst", l.UploadMBBurst, 8}, {"limit-memory-mb", l.MemoryMB, 1},
		{"limit-run-log-mb", l.RunLogMB, 1}, {"limit-run-chunks", l.RunChunks, 1}, {"limit-run-events", l.RunEvents, 1},
		{"limit-running", l.Running, 0}, {"limit-connections", l.Connections, 0},
	} {
		if n.value < n.least || n.value > most {
			return wrong(n.name, fmt.Sprintf("it must be from %d to %d, and is %d", n.least, most, n.value), "blqd serve -h")
		}
	}
	for _, d := range []struct {
		name         string
		value, least time.Duration
	}{
		{"limit-body-time", l.BodyTime, time.Second}, {"limit-work-time", l.WorkTime, time.Second}, {"limit-clock-skew", l.ClockSkew, time.Second},
	} {
		if d.value < d.least {
			return wrong(d.name, fmt.Sprintf("it must be at least %v, not %v", d.least, d.value), "blqd serve -h")
		}
	}
	if l.RunTime != 0 && l.RunTime < time.Minute {
		return wrong("limit-run-time", fmt.Sprintf("it must be 0 or at least %v, not %v", time.Minute, l.RunTime), "blqd serve --limit-run-time 144h")
	}
	return nil
}

// ingest returns the limits of the API, in which 0 would be a default.
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
