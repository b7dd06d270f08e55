// Package store holds the domain: runs, events, references, fingerprints,
// comparison, and the interfaces Store and Blobs that engines implement. It
// imports the standard library only.
package store

import (
	"context"
	"slices"
	"time"
)

// Store keeps runs with their events and the index of their logs.
//
// What creates is idempotent by a key that the client chose, so every call
// may be repeated. A call that returns without error is durable. Reads take
// the Scope of the caller: what is outside of it does not exist. Errors carry
// a Code; the codes that callers act on are named with each method.
type Store interface {
	// StartRun creates a run in StateRunning and allocates its serial, which is
	// never given to another run of the repository. When the attempt exists
	// already it is returned as it is. It is open since its first heartbeat, else
	// since it started. Invalid: no attempt, or a bad source name.
	StartRun(ctx context.Context, r Run) (Run, error)

	// Heartbeat notes that the attempt was alive at a time. An orphaned run is
	// running again. NotFound: no such attempt. Conflict: it is completed.
	Heartbeat(ctx context.Context, attempt string, at time.Time) error

	// AddChunk adds a piece of the attempt's log, whose object is in Blobs
	// already. Idempotent by (attempt, sequence, digest). NotFound: no such
	// attempt. Conflict: the sequence exists with another digest, or is new and
	// the run is completed.
	AddChunk(ctx context.Context, attempt string, c Chunk) error

	// AddEvents adds events of the attempt. Idempotent by (attempt, sequence):
	// a repeated sequence changes nothing. Event IDs are the client's. Live events
	// of the attempt are removed.
	// NotFound: no such attempt. Conflict: the run is completed.
	AddEvents(ctx context.Context, attempt string, sequence int, events []Event) error

	// SetLive replaces the live events of the attempt that are numbered from from
	// on: what is known of a running step before it is settled. They are read like
	// others, and are gone when the next batch is added or the run finishes.
	// Repeating it changes nothing. NotFound: no such attempt. Conflict: the run
	// is completed, or one of these numbers is that of an added event.
	SetLive(ctx context.Context, attempt string, from int, events []Event) error

	// FinishRun completes a running or orphaned run; a completed one is returned
	// as it is. NotFound: no such attempt. Conflict: chunks or batches of events
	// that the client counted are missing (see Finish); the error names them.
	FinishRun(ctx context.Context, attempt string, f Finish) (Run, error)

	// Received says what of an attempt is there, so that who sends it can go on
	// where it stopped. NotFound: no such attempt.
	Received(ctx context.Context, sc Scope, attempt string) (Received, error)

	// OrphanRun marks a run as orphaned unless its heartbeat is newer than seen:
	// a run that lives is never harmed. It says whether the run was marked.
	OrphanRun(ctx context.Context, attempt string, seen time.Time) (bool, error)

	// Run returns the run that ref names, whatever else ref says. NotFound: no
	// such run, or one that was pruned, and then the error says so.
	Run(ctx context.Context, sc Scope, ref Ref) (Run, error)

	// Runs returns runs, newest first.
	Runs(ctx context.Context, sc Scope, f RunFilter) ([]Run, error)

	// Running says how many runs of a repository are running, "" for any
	// repository. It may be asked before each start.
	Running(ctx context.Context, sc Scope, repo string) (Running, error)

	// Branches returns the branches that runs of a repository were on, "" for
	// any repository: at most limit, those with the newest runs first.
	Branches(ctx context.Context, sc Scope, repo string, limit int) ([]string, error)

	// Event returns the event that ref names, with its run. NotFound as for Run.
	Event(ctx context.Context, sc Scope, ref Ref) (Run, Event, error)

	// Events returns events, those of newer runs first, within a run in log
	// order, and how many there are without the limit. A store may look at the
	// newest runs alone, and says so, where a filter names neither runs, nor how
	// many, nor fingerprints.
	Events(ctx context.Context, sc Scope, f EventFilter) (EventPage, error)

	// FingerprintHistory returns where an event's like was seen in the event's
	// repository and source, up to and with the run.
	FingerprintHistory(ctx context.Context, sc Scope, r Run, fingerprint string) (FingerprintHistory, error)

	// Chunks returns the chunks of a stream that hold any of the lines from..to
	// (1-based, inclusive; to 0 means to the end), in order.
	Chunks(ctx context.Context, sc Scope, attempt, stream string, from, to int) ([]Chunk, error)

	// Query runs SQL of SQLite's dialect over the caller's slice of events and
	// runs (see Query). Invalid: the statement is wrong or refused. TooLarge: it
	// ran into a limit.
	Query(ctx context.Context, sc Scope, q Query) (Table, error)

	// Prune removes completed and orphaned runs that the policy does not keep.
	// Their serials stay taken. Objects of their logs become garbage.
	Prune(ctx context.Context, sc Scope, p Policy) (Pruned, error)

	// Garbage returns keys of log objects that no run refers to any more.
	Garbage(ctx context.Context, limit int) ([]string, error)

	// Collected forgets garbage whose objects were deleted.
	Collected(ctx context.Context, keys []string) error

	// Close releases the store.
	Close() error
}

// Blobs keeps immutable objects: the chunks of logs.
type Blobs interface {
	// Put stores an object, durably when it returns. Putting the same bytes
	// again is fine. Conflict: the key holds other bytes. Invalid: a bad key.
	Put(ctx context.Context, key string, data []byte) error
	// Get returns an object. NotFound: there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Delete removes an object; a missing one is no error.
	Delete(ctx context.Context, key string) error
	// List returns the keys that start with prefix, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
}

// Scope is the set of repositories that a caller may see. The zero Scope is empty.
type Scope struct {
	all   bool
	repos []string
}

// Everything is the scope of someone who owns the store.
func Everything() Scope { return Scope{all: true} }

// Repos is the scope of someone who may see the repositories named.
func Repos(names ...string) Scope { return Scope{repos: names} }

// All says whether the scope has no bounds.
func (s Scope) All() bool { return s.all }

// Has says whether a repository is in the scope.
func (s Scope) Has(repo string) bool { return s.all || slices.Contains(s.repos, repo) }

// Names returns the repositories of a bounded scope.
func (s Scope) Names() []string { return s.repos }

// Chunk is a piece of a log, an immutable zstd object in Blobs.
type Chunk struct {
	Sequence  int    // 0, 1, 2, … within the attempt, over all streams
	Stream    string // combined, stdout or stderr
	FirstLine int    // number of the line that its first byte belongs to, 1-based
	Lines     int    // line ends (\n) in it
	Offset    int64  // position of its first byte in the stream
	Bytes     int64  // size of the text
	Stored    int64  // size of the object
	Digest    string // SHA-256 of the object, hexadecimal
	Key       string // of the object in Blobs
}

// Received says what of an attempt is there.
type Received struct {
	Chunks     int // chunks 0 to this, exclusive, are there
	Batches    int // likewise batches of events
	AllChunks  int // how many there are, also behind a gap
	AllBatches int
}

// The streams of a log.
const (
	StreamCombined = "combined"
	StreamStdout   = "stdout"
	StreamStderr   = "stderr"
)

// Running says how many runs are running.
type Running struct {
	Runs      int
	Heartbeat time.Time // the newest of theirs, zero where there is none
}

// Finish completes a run.
type Finish struct {
	Ending
	Chunks  int // how many chunks were sent, -1 when the client did not count
	Batches int // how many batches of events were sent, -1 likewise
	Lines   int // lines of log, an unfinished last line included
}

// RunFilter selects runs. Zero fields select all.
type RunFilter struct {
	Repo     string
	Source   string
	State    State
	Branch   string
	Commit   string   // full or a prefix of at least 4
	Commits  []string // full: at any of these
	PR       int
	Leg      *string // of this matrix leg, see Run.Leg; "" for runs outside a matrix
	Attempts []string
	Serials  []int
	Before   int // serial: only older runs
	// StaleBefore selects running runs whose heartbeat is older.
	StaleBefore time.Time
	// OpenedBefore selects running runs that were started here earlier.
	OpenedBefore time.Time
	Baseline     bool // only those that are a baseline, see Run.IsBaseline
	Clean        bool // only those without uncommitted changes
	Newest       bool // only the newest run of each source
	Limit        int  // 0: no limit
}

// EventFilter selects events. Zero fields select all.
type EventFilter struct {
	Runs       RunFilter // of which runs; its Limit counts runs
	Severities []Severity
	FileLike   string // SQL LIKE pattern over ref_file
	Where      []Condition
	// Fingerprints selects events with any of them, nil for all. Its cost is that
	// of what is found, whatever else the runs hold.
	Fingerprints []string
	Settled      bool // only those that stay, see SetLive
	After        int  // ID: only later events of each run
	Limit        int  // 0: no limit
	Offset       int
}

// EventPage is a part of the events that a filter selects.
type EventPage struct {
	Events []RunEvent
	Total  int    // without limit and offset
	Slice  *Slice // what was looked at of the events of any number of runs, nil for all
}

// RunEvent is an event with the run that it belongs to.
type RunEvent struct {
	Event
	Run Ref
}

// Ref returns the event's reference.
func (e RunEvent) Ref() Ref { return e.Run.WithEvent(e.ID) }

// FingerprintHistory says where a fingerprint was seen.
type FingerprintHistory struct {
	First       Run  // oldest run that has it
	Last        Run  // newest run before the run in question that has it, zero when none
	Occurrences int  // events with it, over all those runs
	Runs        int  // runs that have it
	Regression  bool // an earlier run had it, a later one of the same source passed, now it is back
}

// Query is a statement with its bounds. The relations are blq_load_events(),
// blq_load_runs() and lq_events.
type Query struct {
	SQL      string
	MaxRows  int           // 0: no limit
	MaxBytes int           // of the values returned, 0: no limit
	Timeout  time.Duration // 0: no limit
}

// Table is the answer to a Query. Values are nil, int64, float64 or string.
type Table struct {
	Columns   []string
	Rows      [][]any
	Truncated bool   // there were more rows than MaxRows or MaxBytes let through
	Slice     *Slice // what the statement saw, nil for all that there is
}

// Slice says which part of the caller's rows was looked at: the newest runs with
// their events.
type Slice struct {
	Runs, Events int
	Since        time.Time // the oldest of the runs started then
}

// Policy says what Prune keeps. Zero fields do not limit.
type Policy struct {
	Before        time.Time // remove runs that started earlier
	KeepPerSource int       // keep the newest of each source
	MaxBytes      int64     // remove the oldest until stored logs fit
	All           bool      // remove everything that is not running
}

// Pruned counts what Prune removed.
type Pruned struct {
	Runs, Events, Blobs int
	Bytes               int64 // of stored logs
}
