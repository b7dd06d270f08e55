package ingest

import (
	"cmp"
	"time"

	"github.com/blq-ci/blq/ingest/api"
)

// Limits bound what callers send. Zero fields have the default.
//
// Sizes of bodies are in package api. Rates are kept in memory, so they hold
// for each replica: a service of three lets through three times as much. What
// is stored of a run is the same for all replicas.
type Limits struct {
	RunChunks int   // chunks of a run; default 16,384
	RunBytes  int64 // text of a run's log; default 4 GiB
	RunEvents int   // events of a run, which is also the largest number of one; default 1,000,000

	Requests      float64 // of a caller, a second; default 200
	RequestsBurst int     // that a caller may send at once; default 2,000
	Bytes         float64 // of bodies for a repository, a second; default 64 MiB
	BytesBurst    int     // likewise at once; default 512 MiB

	Uploads int           // MiB of memory for bodies that are received at a time, roughly; default 256
	Body    time.Duration // in which a body must arrive; default 2 minutes
	Work    time.Duration // in which a request must be done after that; default 1 minute
	Skew    time.Duration // that a client's clock may be ahead; default 24 hours
}

func (l Limits) withDefaults() Limits {
	l.RunChunks = cmp.Or(l.RunChunks, 1<<14)
	l.RunBytes = cmp.Or(l.RunBytes, 4<<30)
	l.RunEvents = cmp.Or(l.RunEvents, 1_000_000)
	l.Requests = cmp.Or(l.Requests, 200)
	l.RequestsBurst = cmp.Or(l.RequestsBurst, 2000)
	l.Bytes = cmp.Or(l.Bytes, 64<<20)
	l.BytesBurst = max(cmp.Or(l.BytesBurst, 512<<20), api.MaxBatchBody)
	l.Uploads = cmp.Or(l.Uploads, 256)
	l.Body = cmp.Or(l.Body, 2*time.Minute)
	l.Work = cmp.Or(l.Work, time.Minute)
	l.Skew = cmp.Or(l.Skew, 24*time.Hour)
	return l
}

// largest is the highest number that all engines keep.
const largest = 1<<31 - 1
