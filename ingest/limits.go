package ingest

import (
	"cmp"
	"context"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Limits bound what callers send. Zero fields mean the values of DefaultLimits.
//
// Package api has the max sizes of bodies. Each replica counts rates in its own memory, so three replicas together
// allow three times as much. The limits of a run and of running runs hold for all replicas together. If many runs
// start at the same moment, slightly more than Running of them may run.
type Limits struct {
	RunChunks int           // max chunks of a run
	RunBytes  int64         // max bytes of text in a run's log
	RunEvents int           // max events of a run; also the largest event number
	RunTime   time.Duration // max time that a run may be open, from its start on the service
	Running   int           // max running runs of a repository

	Requests      float64 // requests of a caller per second
	RequestsBurst int     // requests of a caller at once
	Bytes         float64 // bytes of bodies for a repository per second
	BytesBurst    int     // bytes of bodies for a repository at once

	Uploads int           // MiB of memory for bodies that are being received, roughly
	Body    time.Duration // max time for a body to arrive
	Work    time.Duration // max time for a request after its body has arrived
	Skew    time.Duration // max time by which a client's clock may be ahead
}

// DefaultLimits returns the limits of a service without settings.
func DefaultLimits() Limits {
	return Limits{
		RunChunks: 1 << 14, RunBytes: 4 << 30, RunEvents: 1_000_000,
		RunTime: 6 * 24 * time.Hour, // longer than GitHub lets a job take
		Running: 1000,

		Requests: 200, RequestsBurst: 2000, Bytes: 64 << 20, BytesBurst: 512 << 20,

		Uploads: 256, Body: 2 * time.Minute, Work: time.Minute, Skew: 24 * time.Hour,
	}
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		RunChunks: cmp.Or(l.RunChunks, d.RunChunks), RunBytes: cmp.Or(l.RunBytes, d.RunBytes),
		RunEvents: cmp.Or(l.RunEvents, d.RunEvents),
		RunTime:   cmp.Or(l.RunTime, d.RunTime), Running: cmp.Or(l.Running, d.Running),
		Requests: cmp.Or(l.Requests, d.Requests), RequestsBurst: cmp.Or(l.RequestsBurst, d.RequestsBurst),
		Bytes: cmp.Or(l.Bytes, d.Bytes), BytesBurst: max(cmp.Or(l.BytesBurst, d.BytesBurst), api.MaxBatchBody),
		Uploads: cmp.Or(l.Uploads, d.Uploads), Body: cmp.Or(l.Body, d.Body), Work: cmp.Or(l.Work, d.Work),
		Skew: cmp.Or(l.Skew, d.Skew),
	}
}

// These are the names of the limits. If a request exceeds a limit, the Observer gets the name of this limit.
const (
	limitBody     = "body"     // size of a body
	limitSlow     = "slow"     // time for a body to arrive
	limitUploads  = "uploads"  // memory for bodies
	limitRequests = "requests" // requests of a caller per second
	limitOpen     = "open"     // open requests of a tenant
	limitBytes    = "bytes"    // bytes of bodies for a repository per second
	limitLog      = "run_log"  // chunks and bytes of a run's log
	limitEvents   = "run_events"
	limitTime     = "run_time" // how long a run may be open
	limitRunning  = "running"  // running runs of a repository

	limitStorage   = "quota_storage" // stored bytes of a repository or an owner
	limitDayRuns   = "quota_runs"
	limitDayEvents = "quota_events"
	limitRepos     = "quota_repos" // repositories of an owner
)

// LimitCodes returns the error code of each limit, by the name of the limit.
func LimitCodes() map[string]store.Code {
	return map[string]store.Code{
		limitBody: store.TooLarge, limitSlow: httpserver.Timeout, limitUploads: store.Unavailable,
		limitRequests: store.RateLimited, limitOpen: store.RateLimited, limitBytes: store.RateLimited,
		limitLog: store.TooLarge, limitEvents: store.TooLarge, limitTime: store.Conflict, limitRunning: store.RateLimited,
		limitStorage: store.Full, limitDayRuns: store.RateLimited, limitDayEvents: store.RateLimited,
		limitRepos: store.Full,
	}
}

// limited tells the observer that a limit was reached, and returns err.
func (s *Service) limited(limit string, err error) error {
	if err != nil {
		s.Observer.Limited(limit, store.CodeOf(err))
	}
	return err
}

// checkOpen returns an error if a run has been open for too long, so that no data can be added to it. Maintenance marks
// such a run as orphaned, even if the run still sends heartbeats. The client may still finish the run.
func (s *Service) checkOpen(run store.Run) error {
	if run.State == store.StateCompleted || run.OpenedAt.IsZero() || s.Now().Sub(run.OpenedAt) <= s.Limits.RunTime {
		return nil
	}
	return s.limited(limitTime,
		store.Hint(store.Errorf(store.Conflict, "run %s has been open for more than %v", run.Ref(), s.Limits.RunTime),
			"finish it with what was sent, and say in lost what was not"))
}

// checkRunning returns an error for a new run if the repository already has the max number of running runs.
func (s *Service) checkRunning(ctx context.Context, repo string) error {
	now, err := s.Store.Running(ctx, store.Repos(repo), repo)
	if err != nil || now.Runs < s.Limits.Running {
		return err
	}
	err = store.Hint(
		store.Errorf(store.RateLimited, "%d runs of repository %s are running, as many as may be", now.Runs, repo),
		"finish some, or wait until those without a sign of life are orphaned")
	return s.limited(limitRunning, store.Later(err, runningAgain))
}

// runningAgain is the time after which a client tries again if too many runs are running.
const runningAgain = 30 * time.Second

// largest is the largest number that all engines can store.
const largest = 1<<31 - 1
