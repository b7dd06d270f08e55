package ingest

import (
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Observer gets what happens, for metrics. Its methods are called concurrently.
type Observer interface {
	httpserver.Observer // of requests; a route's name is its path in Routes
	// Received reports data that was stored durably: the number of items, and the bytes of their bodies.
	Received(kind Kind, n int, bytes int64)
	// Limited reports that a caller reached a limit, and the code of its error.
	Limited(limit string, code store.Code)
	// Lag reports how long after its time by the client's clock something was stored: the start of a run (KindRun) or
	// its end (KindFinished).
	Lag(kind Kind, d time.Duration)
	// Uploads reports how many bodies are being received.
	Uploads(n int)
}

// Kind is what was received.
type Kind string

// These are the kinds.
const (
	KindRun      Kind = "run"      // started
	KindChunk    Kind = "chunk"    // of a log
	KindEvents   Kind = "events"   // in batches; counted one by one
	KindFinished Kind = "finished" // runs
	KindObject   Kind = "object"   // of facts
	KindWebhook  Kind = "webhook"  // deliveries
)

type nobody struct{}

func (nobody) Request(string, string, int, time.Duration, int64, int64) {}
func (nobody) Received(Kind, int, int64)                                {}
func (nobody) Limited(string, store.Code)                               {}
func (nobody) Lag(Kind, time.Duration)                                  {}
func (nobody) Uploads(int)                                              {}
