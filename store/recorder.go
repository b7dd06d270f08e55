package store

import (
	"context"
	"time"
)

// Recorder stores runs while they go on. It is what recorders and senders of
// runs need of a Store.
type Recorder interface {
	// StartRun creates a run in StateRunning and allocates its serial, which is
	// never given to another run of the repository. A run whose attempt exists
	// already is returned as it is. The run is open since its heartbeat, or since
	// its start where it has none. Invalid: no attempt, or a bad source name.
	StartRun(ctx context.Context, r Run) (Run, error)

	// Heartbeat notes that the attempt was alive at a time. An orphaned run is
	// running again. NotFound: no such attempt. Conflict: it is completed.
	Heartbeat(ctx context.Context, attempt string, at time.Time) error

	// AddChunk adds a piece of the attempt's log, whose object is in Blobs
	// already. It is idempotent by attempt, sequence and digest. NotFound: no such
	// attempt. Conflict: the sequence exists with another digest, or is new and
	// the run is completed.
	AddChunk(ctx context.Context, attempt string, c Chunk) error

	// AddEvents adds a batch of events, numbered by the client, and removes the
	// live events of the attempt. A batch whose sequence is there already changes
	// nothing. NotFound: no such attempt. Conflict: the run is completed.
	AddEvents(ctx context.Context, attempt string, sequence int, events []Event) error

	// SetLive replaces those live events of the attempt whose number is at least
	// from. Live events are what is known of a step that goes on. They are read
	// like others until the next batch is added or the run finishes. Repeating a
	// call changes nothing. NotFound: no such attempt. Conflict: the run is
	// completed, or an added event has one of these numbers.
	SetLive(ctx context.Context, attempt string, from int, events []Event) error

	// FinishRun completes a running or orphaned run; a completed one is returned
	// as it is. NotFound: no such attempt. Conflict: chunks or batches of events
	// that the client counted are missing; the error names them.
	FinishRun(ctx context.Context, attempt string, f Finish) (Run, error)

	// Received says how much of an attempt is there, so that its sender can go on
	// where it stopped. NotFound: no such attempt.
	Received(ctx context.Context, sc Scope, attempt string) (Received, error)
}

// Chunk is a piece of a log, an immutable zstd object in Blobs.
type Chunk struct {
	Sequence  int    // 0, 1, 2, … within the attempt, over all streams
	Stream    string // combined, stdout or stderr
	FirstLine int    // 1-based number of the line that its first byte belongs to
	Lines     int    // line ends (\n) in it
	Offset    int64  // position of its first byte in the stream
	Bytes     int64  // size of the text
	Stored    int64  // size of the object
	Digest    string // SHA-256 of the object, hexadecimal
	Key       string // of the object in Blobs
}

// The streams of a log.
const (
	StreamCombined = "combined"
	StreamStdout   = "stdout"
	StreamStderr   = "stderr"
)

// Received says how much of an attempt is there.
type Received struct {
	Chunks     int // the chunks with a sequence below this are there
	Batches    int // likewise batches of events
	AllChunks  int // number of chunks, also of those behind a gap
	AllBatches int // likewise batches
}

// Finish completes a run.
type Finish struct {
	Ending
	Chunks  int // number of chunks that were sent, -1 where the client did not count
	Batches int // likewise batches of events
	Lines   int // lines of the log, an unfinished last line included
}
