package ingest

import (
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Observer is told what happens, for metrics. Many goroutines call its methods.
type Observer interface {
	httpserver.Observer // of requests; a route's name is its path in Routes
	// Received is told what was stored durably: how many, and how many bytes of
	// bodies they came in.
	Received(kind Kind, n int, bytes int64)
	// Limited is told of a limit that a caller hit, and what they were told.
	Limited(limit string, code store.Code)
	// Lag is told how long after something happened, by the client's clock, it
	// was stored: the start of a run (KindRun) or its end (KindFinished).
	Lag(kind Kind, d time.Duration)
	// Uploads is told how many bodies are being received, and for how many bytes
	// of memory.
	Uploads(n int, memory int64)
}

// Kind is what was received.
type Kind string

// The kinds.
const (
	KindRun      Kind = "run"      // started
	KindChunk    Kind = "chunk"    // of a log
	KindEvents   Kind = "events"   // in batches; counted one by one
	KindFinished Kind = "finished" // runs
	KindWebhook  Kind = "webhook"  // deliveries
)

type nobody struct{}

func (nobody) Request(string, string, int, time.Duration, int64, int64) {}
func (nobody) Received(Kind, int, int64)                                {}
func (nobody) Limited(string, store.Code)                               {}
func (nobody) Lag(Kind, time.Duration)                                  {}
func (nobody) Uploads(int, int64)                                       {}
