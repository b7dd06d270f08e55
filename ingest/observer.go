package ingest

import "time"

// Observer is told what happens, for metrics. Its methods are called by many
// goroutines.
type Observer interface {
	// Request is told of a request that was answered: route is its pattern, ""
	// for none, in and out are bytes of bodies.
	Request(route, method string, status int, took time.Duration, in, out int64)
	// Received is told what was stored durably: how many, and how many bytes of
	// bodies they came in.
	Received(kind Kind, n int, bytes int64)
	// Limited is told of a limit that a caller hit: its name.
	Limited(limit string)
	// Lag is told how long after a run's end the run was completed here.
	Lag(d time.Duration)
	// Uploads is told how many bodies are being received.
	Uploads(n int)
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
func (nobody) Limited(string)                                           {}
func (nobody) Lag(time.Duration)                                        {}
func (nobody) Uploads(int)                                              {}
