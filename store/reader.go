package store

import (
	"context"
	"time"
	"unique"
)

// Reader answers questions about runs. It is the part of a Store that front ends need.
type Reader interface {
	SnapshotReader
	testReader

	// Run returns the run of a ref; the event or the lines of ref do not matter. NotFound: there is no such run, or it
	// was pruned, and the error says which. Invalid: runs of several repositories have the number.
	Run(ctx context.Context, sc Scope, ref Ref) (Run, error)

	// Runs returns runs, newest first.
	Runs(ctx context.Context, sc Scope, f RunFilter) ([]Run, error)

	// Running counts the running runs of a repository, "" for any repository. It
	// is cheap enough to be asked before each start.
	Running(ctx context.Context, sc Scope, repo string) (Running, error)

	// Branches returns the branches of the runs of a repository, "" for any repository. Branches with the newest runs
	// come first, up to limit.
	Branches(ctx context.Context, sc Scope, repo string, limit int) ([]string, error)

	// Event returns the event of a ref, with its run. Errors are those of Run, and NotFound if the run does not have
	// the event.
	Event(ctx context.Context, sc Scope, ref Ref) (Run, Event, error)

	// Events returns events and their number without the limit. Events of newer runs come first, those of a run in the
	// order of its log. If a filter bounds neither the runs nor the fingerprints, a store may search only the newest
	// runs, and says so in EventPage.Slice.
	Events(ctx context.Context, sc Scope, f EventFilter) (EventPage, error)

	// Prints returns the prints of a run's errors in the order of the log. NotFound: there is no such run, or it was
	// pruned.
	Prints(ctx context.Context, sc Scope, f PrintFilter) ([]Print, error)

	// FingerprintHistory returns where any of the fingerprints was seen in the repository and source of a run, up to
	// and including the run. They are those of one event, see EarlierFingerprints.
	FingerprintHistory(ctx context.Context, sc Scope, r Run, fingerprints ...string) (FingerprintHistory, error)

	// Sightings returns where any of the fingerprints was seen in a repository, "" for any: sums over all runs, and the
	// newest runs, up to limit. They are those of one event, see EarlierFingerprints. Invalid: one is not a
	// fingerprint.
	Sightings(ctx context.Context, sc Scope, repo string, limit int, fingerprints ...string) (Sightings, error)

	// Chunks returns the chunks of a stream that contain any of the lines from..to (1-based, inclusive; to is 0 for
	// the end), in order.
	Chunks(ctx context.Context, sc Scope, attempt, stream string, from, to int) ([]Chunk, error)

	// FileDigests returns the digests that a run was finished with, nil for none. NotFound: there is no such run.
	FileDigests(ctx context.Context, sc Scope, attempt string) (FileDigests, error)

	// Query runs a statement of SQLite's dialect over the events and runs that the
	// caller may see. Invalid: the statement is wrong or refused. TooLarge: it
	// reached a limit.
	Query(ctx context.Context, sc Scope, q Query) (Table, error)
}

// Running counts running runs.
type Running struct {
	Runs      int
	Heartbeat time.Time // the newest heartbeat, zero without one
}

// RunFilter selects runs. Zero fields select all.
type RunFilter struct {
	Repo    string
	Source  string
	State   State
	Branch  string
	Commit  string   // full, or a prefix of at least 4 characters
	Commits []string // full hashes; at any of these commits
	PR      int
	Job     CIJob
	Leg     *string // of this matrix leg, see Run.Leg; "" for runs outside a matrix
	// Shape selects runs of this shape, and those that an older program stored
	// without one: look at their Shape.
	Shape    string
	Attempts []string
	Serials  []int
	Before   int       // only runs with a lower serial
	Since    time.Time // only runs that started then or later
	Status   Status    // only runs that ended like this, or are running
	// StaleBefore selects running runs whose heartbeat is older.
	StaleBefore time.Time
	// OpenedBefore selects running runs whose OpenedAt is earlier.
	OpenedBefore time.Time
	// Baseline selects runs that can be a baseline: they ended by themselves (see Run.Ended), nothing of them was
	// lost, and they are not of a fork.
	Baseline bool
	Clean    bool // only runs without uncommitted changes
	Newest   bool // only the newest run of each step, see Step
	Limit    int  // 0 for no limit
}

// CIJob names a workflow run of a CI system, an attempt of it, or a job of that
// attempt, by the fields of CI. Zero fields name all.
type CIJob struct {
	RunID      string
	RunAttempt int
	CheckRunID string
	Step       string // what CI.Step begins with
}

// EventFilter selects events. Zero fields select all.
type EventFilter struct {
	Runs       RunFilter // only events of these runs; its Limit counts runs
	Severities []Severity
	FileLike   string // SQL LIKE pattern over ref_file
	Where      []Condition
	// Fingerprints selects events with any of them, nil for all. The cost depends on what is found, and not on the
	// other events of the runs.
	Fingerprints []string
	Settled      bool  // without live events, see SetLive
	Uncounted    bool  // EventPage.Total is not needed: counting may cost more than the page
	After        int   // only events of each run with a higher ID
	IDs          []int // only events with any of these IDs, nil for all
	Limit        int   // 0 for no limit
	Offset       int
}

// EventPage is a part of the events that a filter selects.
type EventPage struct {
	Events []RunEvent
	Total  int    // without limit and offset
	Slice  *Slice // the part of the events that was searched, nil for all
}

// RunEvent is an event with the run that it belongs to.
type RunEvent struct {
	Event
	Run Ref
	// More is how many further events like it were counted and not read, see Sum.
	More int
}

// Sum returns how many events a list stands for: those in it, and those like them that were not read.
func Sum(events []RunEvent) int {
	n := len(events)
	for _, e := range events {
		n += e.More
	}
	return n
}

// Ref returns the event's reference.
func (e RunEvent) Ref() Ref { return e.Run.WithEvent(e.ID) }

// intern shares one copy of the texts that many events have in common, because a run may have a hundred thousand
// events.
func (e *RunEvent) intern() {
	e.Severity, e.Category = unique.Make(e.Severity).Value(), unique.Make(e.Category).Value()
	for _, s := range []*string{&e.File, &e.Tool, &e.Code, &e.Stream, &e.Pattern, &e.Run.Repo, &e.Run.Source} {
		*s = unique.Make(*s).Value()
	}
}

// FingerprintHistory is where a fingerprint was seen.
type FingerprintHistory struct {
	First       Run  // oldest run that has it
	Last        Run  // newest run before the run in question that has it, zero for none
	Occurrences int  // events with it in all those runs
	Runs        int  // runs that have it
	Regression  bool // the run has it, an earlier run had it, and a run of its step between them passed
}

// Query is a statement with its bounds. The relations are blq_load_events(),
// blq_load_runs() and lq_events.
type Query struct {
	SQL      string
	MaxRows  int           // 0 for no limit
	MaxBytes int           // of the values returned, 0 for no limit
	Timeout  time.Duration // 0 for no limit
}

// Table is the answer to a Query. Values are nil, int64, float64 or string.
type Table struct {
	Columns   []string
	Rows      [][]any
	Truncated bool   // MaxRows or MaxBytes cut rows off
	Slice     *Slice // the part of the rows that the statement saw, nil for all
}

// Slice is the part of the rows that was searched: the newest runs with their events.
type Slice struct {
	Runs, Events int
	Since        time.Time // start of the oldest of the runs
}
