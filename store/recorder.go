package store

import (
	"context"
	"time"
)

// Recorder stores runs while they go on. It is the part of a Store that recorders and senders of runs need.
type Recorder interface {
	SnapshotRecorder
	testRecorder

	// StartRun creates a run in StateRunning and allocates its serial, which no other run of the repository ever gets.
	// A run whose attempt exists is returned as it is. The run counts as opened at its heartbeat, or without a
	// heartbeat at its start. Invalid: no attempt, or a bad source name.
	StartRun(ctx context.Context, r Run) (Run, error)

	// Heartbeat records that the attempt was alive at a time. An orphaned run is running again. NotFound: no such
	// attempt. Conflict: it is completed.
	Heartbeat(ctx context.Context, attempt string, at time.Time) error

	// AddChunk adds a chunk of the attempt's log, whose object is in Blobs already. It is idempotent by attempt,
	// sequence and digest. NotFound: no such attempt. Conflict: the sequence exists with another digest, or is new and
	// the run is completed.
	AddChunk(ctx context.Context, attempt string, c Chunk) error

	// AddEvents adds a batch of events, numbered by the client, and removes the live events of the attempt. A batch
	// with an existing sequence changes nothing. NotFound: no such attempt. Conflict: the run is completed.
	AddEvents(ctx context.Context, attempt string, sequence int, events []Event) error

	// SetLive replaces those live events of the attempt whose number is at least from. Live events are the events that
	// are known so far about a running step. They are read like others until the next batch is added or the run
	// finishes. Repeating a call changes nothing. NotFound: no such attempt. Conflict: the run is completed, or an
	// added event has one of these numbers.
	SetLive(ctx context.Context, attempt string, from int, events []Event) error

	// FinishRun completes a running or orphaned run; a completed one is returned
	// as it is. NotFound: no such attempt. Conflict: chunks or batches of events
	// that the client counted are missing; the error names them.
	FinishRun(ctx context.Context, attempt string, f Finish) (Run, error)

	// Received returns what the store has of an attempt, so that its sender can continue. NotFound: no such attempt.
	Received(ctx context.Context, sc Scope, attempt string) (Received, error)
}

// Chunk is a part of a log, an immutable zstd object in Blobs.
type Chunk struct {
	Sequence  int    // 0, 1, 2, … within the attempt, over all streams
	Stream    string // combined, stdout or stderr
	FirstLine int    // 1-based number of the line with its first byte
	Lines     int    // line ends (\n) in it
	Offset    int64  // position of its first byte in the stream
	Bytes     int64  // size of the text
	Stored    int64  // size of the object
	Digest    string // SHA-256 of the object, hexadecimal
	Key       string // of the object in Blobs

	At time.Time // when it was added; a run keeps the newest time as OutputAt, a chunk that is read has no time
}

// These are the streams of a log.
const (
	StreamCombined = "combined"
	StreamStdout   = "stdout"
	StreamStderr   = "stderr"
)

// Received is what the store has of an attempt.
type Received struct {
	Chunks     int // it has all chunks with a sequence below this
	Batches    int // likewise batches of events
	AllChunks  int // number of chunks, including those after a gap
	AllBatches int // likewise batches
}

// Finish completes a run.
type Finish struct {
	Ending
	Chunks  int  // number of chunks that were sent, -1 if the client did not count
	Batches int  // likewise batches of events
	Lines   int  // lines of the log, including an unfinished last line
	Cut     bool // chunks beyond Chunks are removed
	Files   FileDigests
}
