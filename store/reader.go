package store

import (
	"context"
	"time"
	"unique"
)

// Reader reads runs. It is the part of a Store that front ends need.
type Reader interface {
	SnapshotReader
	testReader

	// Run returns the run that a reference names. It ignores the event or lines in the reference. NotFound: there is no
	// such run, or the run was pruned. If it was pruned, the error says which run. Invalid: the reference names no
	// repository, and runs of several repositories match.
	Run(ctx context.Context, sc Scope, ref Ref) (Run, error)

	// Runs returns runs, newest first.
	Runs(ctx context.Context, sc Scope, f RunFilter) ([]Run, error)

	// Running returns the number of running runs of a repository, and their newest heartbeat. If repo is "", it counts
	// the runs of all repositories. Running is cheap enough for a call before each start of a run.
	Running(ctx context.Context, sc Scope, repo string) (Running, error)

	// Branches returns the branches of a repository's runs, at most limit. If repo is "", it returns the branches of
	// all repositories. The branch with the newest run comes first.
	Branches(ctx context.Context, sc Scope, repo string, limit int) ([]string, error)

	// Event returns the event that a reference names, and the event's run. It returns the same errors as Run. NotFound:
	// the run does not have the event.
	Event(ctx context.Context, sc Scope, ref Ref) (Run, Event, error)

	// Events returns a page of events, and the number of all events that the filter selects. Events of newer runs come
	// first. Events of one run are in log order. If a filter restricts neither runs nor fingerprints, a store may
	// search only the newest runs, which EventPage.Slice describes.
	Events(ctx context.Context, sc Scope, f EventFilter) (EventPage, error)

	// Prints returns the prints of a run's errors in log order. NotFound: there is no such run, or the run was pruned.
	Prints(ctx context.Context, sc Scope, f PrintFilter) ([]Print, error)

	// FingerprintHistory describes the runs in which an event occurred: the run r and earlier runs of the same
	// repository and source. The event may be stored with any of the fingerprints (see EarlierFingerprints).
	FingerprintHistory(ctx context.Context, sc Scope, r Run, fingerprints ...string) (FingerprintHistory, error)

	// Sightings returns the runs of a repository in which an event occurred; "" means any repository. The event may be
	// stored with any of the fingerprints (see EarlierFingerprints). Sightings counts all of these runs, and lists the
	// newest, at most limit. Invalid: a text is not a fingerprint.
	Sightings(ctx context.Context, sc Scope, repo string, limit int, fingerprints ...string) (Sightings, error)

	// Chunks returns the chunks of a stream that contain lines from..to, in order. The first line is 1, and both bounds
	// are inclusive. If to is 0, it means the end of the stream.
	Chunks(ctx context.Context, sc Scope, attempt, stream string, from, to int) ([]Chunk, error)

	// FileDigests returns the digests that FinishRun stored, or nil if it stored none. NotFound: there is no such run.
	FileDigests(ctx context.Context, sc Scope, attempt string) (FileDigests, error)

	// Query runs a statement in SQLite's dialect over the events and runs that the caller may see. Invalid: the
	// statement is wrong or not allowed. TooLarge: the statement reached a limit.
	Query(ctx context.Context, sc Scope, q Query) (Table, error)
}

// Running has the number of running runs, and their newest heartbeat.
type Running struct {
	Runs      int
	Heartbeat time.Time // newest heartbeat, zero for none
}

// RunFilter selects runs. A field with its zero value restricts nothing.
type RunFilter struct {
	Repo   string
	Source string
	State  State
	Branch string
	// NoBranch selects runs without a branch, such as runs of a tag or of a detached HEAD.
	NoBranch bool
	Branches []string // selects runs on any of these branches; "" stands for runs without a branch
	Commit   string   // full hash, or a prefix of at least 4 characters
	Commits  []string // full hashes; selects runs at any of these commits
	PR       int
	Job      CIJob
	Leg      *string // only runs of this matrix leg, see Run.Leg; "" for runs outside a matrix
	// Shape selects runs of the given shape, and runs that an older version stored without a shape. So callers must
	// check the Shape of each run.
	Shape    string
	Attempts []string
	Serials  []int
	Before   int       // only runs with a lower serial
	After    int       // only runs with a higher serial
	Since    time.Time // only runs that started at this time or later
	Status   Status    // only runs with this status
	Failed   bool      // only runs that ended and did not pass: failed, timed out, cancelled and orphaned runs
	// StaleBefore selects running runs whose newest heartbeat is older.
	StaleBefore time.Time
	// OpenedBefore selects running runs whose OpenedAt is earlier.
	OpenedBefore time.Time
	// Baseline selects runs that can be a baseline. Such a run has ended by itself (see Run.Ended), has lost no data,
	// and does not belong to a fork.
	Baseline bool
	Clean    bool // only runs without uncommitted changes
	Own      bool // only runs that do not belong to a fork
	Newest   bool // only the newest run of each step, see Step; with Branches: of each step on each of them
	// EachCommit selects only the newest run of each step at each commit of each branch. Runs with uncommitted changes
	// and runs without them count separately. Late runs and runs without a stored step are never left out. It has no
	// effect together with Newest.
	EachCommit bool
	Limit      int // 0 for no limit
}

// CIJob names a workflow run of a CI system, an attempt of a workflow run, or a job of an attempt. Its fields have the
// same meaning as in CI. A zero field matches everything.
type CIJob struct {
	RunID      string
	RunAttempt int
	CheckRunID string
	Step       string // prefix of CI.Step
}

// EventFilter selects events. A field with its zero value restricts nothing.
type EventFilter struct {
	Runs       RunFilter // only events of these runs; Runs.Limit is a number of runs
	Severities []Severity
	FileLike   string // SQL LIKE pattern over ref_file
	Where      []Condition
	// Fingerprints selects events with one of the given fingerprints; nil selects all events. The selection uses an
	// index, so it takes time only for the events that it finds.
	Fingerprints []string
	Settled      bool  // without live events, see SetLive
	Uncounted    bool  // do not count EventPage.Total, because counting may cost more than the page
	After        int   // only events with a higher ID within their run
	IDs          []int // only events with one of these IDs, nil for all
	Limit        int   // 0 for no limit
	Offset       int
}

// EventPage is a page of the events that a filter selects.
type EventPage struct {
	Events []RunEvent
	Total  int    // number of selected events, without limit and offset
	Slice  *Slice // part of the rows that was searched, nil for all
}

// RunEvent is an event with its run.
type RunEvent struct {
	Event
	Run Ref
	// More is the number of similar events that were counted but not read; see Sum.
	More int
}

// Sum returns the number of events in a list, including similar events that were not read.
func Sum(events []RunEvent) int {
	n := len(events)
	for _, e := range events {
		n += e.More
	}
	return n
}

// Ref returns the event's reference.
func (e RunEvent) Ref() Ref { return e.Run.WithEvent(e.ID) }

// intern replaces the texts of the event by equal texts of other events. This saves memory, because a run may have a
// hundred thousand events.
func (e *RunEvent) intern() {
	e.Severity, e.Category = unique.Make(e.Severity).Value(), unique.Make(e.Category).Value()
	for _, s := range []*string{&e.File, &e.Tool, &e.Code, &e.Stream, &e.Pattern, &e.Run.Repo, &e.Run.Source} {
		*s = unique.Make(*s).Value()
	}
}

// FingerprintHistory describes the runs in which a fingerprint occurred.
type FingerprintHistory struct {
	First       Run // oldest run with the fingerprint
	Last        Run // newest run with the fingerprint before the given run, zero for none
	Occurrences int // number of events with the fingerprint in all of these runs
	Runs        int // number of runs with the fingerprint
	// Regression is true if the fingerprint came back: an earlier run of the same step and branch had the fingerprint,
	// and a run of this step and branch between the two runs passed.
	Regression bool
}

// Query is a statement with its limits. The statement can read the relations blq_load_events(), blq_load_runs() and
// lq_events.
type Query struct {
	SQL      string
	MaxRows  int           // 0 for no limit
	MaxBytes int           // max size of the returned values, 0 for no limit
	Timeout  time.Duration // 0 for no limit
}

// Table is the answer to a Query. Values are nil, int64, float64 or string.
type Table struct {
	Columns   []string
	Rows      [][]any
	Truncated bool   // rows are missing because of MaxRows, MaxBytes or a limit of the store
	Slice     *Slice // part of the rows that the statement could read, nil for all
}

// Slice describes the part of the rows that was searched: the newest runs and their events.
type Slice struct {
	Runs, Events int
	Since        time.Time // start of the oldest run
}
