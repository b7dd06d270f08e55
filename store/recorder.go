package store

import (
	"context"
	"time"
)

// Recorder stores runs while they are running. It is the part of a Store that programs need to record or send runs.
type Recorder interface {
	SnapshotRecorder
	testRecorder

	// StartRun creates a run in StateRunning, with a new serial. No other run of the repository ever gets the same
	// serial. If a run with the attempt exists, StartRun returns that run. OpenedAt of a new run is the time of its
	// heartbeat, or else of its start. Invalid: the attempt is missing, or the source name is not valid. Conflict: the
	// run with the attempt is in another repository, or was pruned.
	StartRun(ctx context.Context, r Run) (Run, error)

	// Heartbeat records that the attempt was alive at the given time. An orphaned run becomes running again. NotFound:
	// there is no such attempt. Conflict: the run is completed.
	Heartbeat(ctx context.Context, attempt string, at time.Time) error

	// AddChunk adds a chunk of the attempt's log. The chunk's object must already be in Blobs. A repeated call with the
	// same attempt, sequence and digest changes nothing. NotFound: there is no such attempt. Conflict: a chunk with the
	// sequence and another digest is stored, or the sequence is new and the run is completed.
	AddChunk(ctx context.Context, attempt string, c Chunk) error

	// AddEvents adds a batch of events with numbers from the client, and removes the live events of the attempt. If a
	// batch with the same sequence is stored, AddEvents changes nothing. NotFound: there is no such attempt. Conflict:
	// the run is completed.
	AddEvents(ctx context.Context, attempt string, sequence int, events []Event) error

	// SetLive replaces the live events of the attempt whose number is at least from. Live events are those that are
	// known while a step still runs. Readers see them like other events, until the next batch is added or the run is
	// completed. A repeated call changes nothing. NotFound: there is no such attempt. Conflict: the run is completed,
	// or AddEvents has added an event whose number is at least from.
	SetLive(ctx context.Context, attempt string, from int, events []Event) error

	// FinishRun completes a running or orphaned run. If the run is already completed, FinishRun returns it unchanged.
	// NotFound: there is no such attempt. Conflict: the client has sent more chunks or batches than the store has. The
	// error lists the missing chunks and batches.
	FinishRun(ctx context.Context, attempt string, f Finish) (Run, error)

	// RewriteRun changes texts of a run. The objects of replaced chunks become garbage. NotFound: there is no such
	// attempt.
	RewriteRun(ctx context.Context, w Rewriting) error

	// Received describes the data of an attempt that the store has, so that the sender can send the rest. NotFound:
	// there is no such attempt.
	Received(ctx context.Context, sc Scope, attempt string) (Received, error)
}

// Chunk is a part of a log, an immutable zstd object in Blobs.
type Chunk struct {
	Sequence  int    // 0, 1, 2, … within the attempt, across all streams
	Stream    string // combined, stdout or stderr
	FirstLine int    // number of the line with the chunk's first byte; the first line is 1
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

// Received describes the data of an attempt that the store has.
type Received struct {
	Chunks     int // number of chunks before the first gap in their sequence
	Batches    int // number of batches of events before the first gap
	AllChunks  int // number of stored chunks, including chunks after a gap
	AllBatches int // number of stored batches of events, including batches after a gap
}

// Finish holds the data for completing a run.
type Finish struct {
	Ending
	Chunks  int  // number of sent chunks, -1 if the client did not count
	Batches int  // number of sent batches of events, -1 if the client did not count
	Lines   int  // lines of the log, including an unfinished last line
	Cut     bool // remove stored chunks whose sequence number is Chunks or higher
	Files   FileDigests
}
