package store

import (
	"context"
	"time"
)

// Recorder stores runs while they go on. It is the part of a Store that programs need to record or send runs.
type Recorder interface {
	SnapshotRecorder
	testRecorder

	// StartRun creates a run in StateRunning, and allocates its serial. No other run of the repository ever gets that
	// serial. If a run with the attempt exists, StartRun returns the existing run. OpenedAt becomes the time of the
	// run's heartbeat, or of its start if it has no heartbeat. Invalid: the attempt is missing, or the source name is
	// not valid.
	StartRun(ctx context.Context, r Run) (Run, error)

	// Heartbeat records that the attempt was alive at a time. An orphaned run becomes running again. NotFound: there is
	// no such attempt. Conflict: the run is completed.
	Heartbeat(ctx context.Context, attempt string, at time.Time) error

	// AddChunk adds a chunk of the attempt's log. The chunk's object must already be in Blobs. AddChunk is idempotent
	// by attempt, sequence and digest. NotFound: there is no such attempt. Conflict: the sequence exists with another
	// digest, or it is new and the run is completed.
	AddChunk(ctx context.Context, attempt string, c Chunk) error

	// AddEvents adds a batch of events, which the client has numbered. It removes the live events of the attempt. A
	// batch with an existing sequence changes nothing. NotFound: there is no such attempt. Conflict: the run is
	// completed.
	AddEvents(ctx context.Context, attempt string, sequence int, events []Event) error

	// SetLive replaces the live events of the attempt that have the number from or a higher one. Live events are the
	// events of a running step that are known so far. Readers see them like other events until the next batch is added
	// or the run finishes. A repeated call changes nothing. NotFound: there is no such attempt. Conflict: the run is
	// completed, or an event that was added with AddEvents has one of these numbers.
	SetLive(ctx context.Context, attempt string, from int, events []Event) error

	// FinishRun completes a running or orphaned run. It returns a completed run unchanged. NotFound: there is no such
	// attempt. Conflict: chunks or batches that the client counted are missing; the error lists them.
	FinishRun(ctx context.Context, attempt string, f Finish) (Run, error)

	// Received returns which data of an attempt the store has, so that its sender can continue. NotFound: there is no
	// such attempt.
	Received(ctx context.Context, sc Scope, attempt string) (Received, error)
}

// Chunk is a part of a log, an immutable zstd object in Blobs.
type Chunk struct {
	Sequence  int    // 0, 1, 2, … within the attempt, across all streams
	Stream    string // combined, stdout or stderr
	FirstLine int    // number of the line with the chunk's first byte, from 1 on
	Lines     int    // number of line ends (\n)
	Offset    int64  // offset of the chunk's first byte in the stream
	Bytes     int64  // size of the text
	Stored    int64  // size of the object
	Digest    string // SHA-256 of the object, hexadecimal
	Key       string // key of the object in Blobs

	At time.Time // when the chunk was added; not set in a chunk that was read
}

// These are the streams of a log.
const (
	StreamCombined = "combined"
	StreamStdout   = "stdout"
	StreamStderr   = "stderr"
)

// Received describes which data of an attempt the store has.
type Received struct {
	Chunks     int // number of chunks before the first gap in their sequence
	Batches    int // number of batches of events before the first gap
	AllChunks  int // number of stored chunks, including chunks after a gap
	AllBatches int // number of stored batches of events, including batches after a gap
}

// Finish holds the data with which a run is completed.
type Finish struct {
	Ending
	Chunks  int  // number of sent chunks, -1 if the client did not count
	Batches int  // number of sent batches of events, -1 if the client did not count
	Lines   int  // lines of the log, including an unfinished last line
	Cut     bool // remove stored chunks with a sequence of Chunks or higher
	Files   FileDigests
}
