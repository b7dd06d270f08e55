package ingest

import (
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Observer receives measurements for metrics. Its methods are called concurrently.
type Observer interface {
	httpserver.Observer // observes requests; a route's name is its path in Routes
	// Received reports data that was stored durably: the number of items, and the size of their bodies in bytes.
	Received(kind Kind, n int, bytes int64)
	// Limited reports that a caller reached a limit. code is the code of the caller's error.
	Limited(limit string, code store.Code)
	// Lag reports the delay between an event and its storage. The time of the event comes from the client's clock.
	// The event is the start of a run (KindRun) or its end (KindFinished).
	Lag(kind Kind, d time.Duration)
	// Uploads reports how many bodies are being received.
	Uploads(n int)
}

// Kind is a kind of received data.
type Kind string

// These are the kinds of data that the service receives.
const (
	KindRun      Kind = "run"      // a started run
	KindChunk    Kind = "chunk"    // a chunk of a log
	KindEvents   Kind = "events"   // events; each one counts, not each batch
	KindFinished Kind = "finished" // a finished run
	KindObject   Kind = "object"   // an object of facts
	KindWebhook  Kind = "webhook"  // a delivery of a webhook
)

type nobody struct{}

func (nobody) Request(string, string, int, time.Duration, int64, int64) {}
func (nobody) Received(Kind, int, int64)                                {}
func (nobody) Limited(string, store.Code)                               {}
func (nobody) Lag(Kind, time.Duration)                                  {}
func (nobody) Uploads(int)                                              {}
