package store

import (
	"context"
	"time"
)

// Work is a job of the queue: something to do later, which is stored before it is promised.
type Work struct {
	ID   int64  // allocated by the store, in the order of their arrival
	Key  string // tells jobs apart; a key that is known is not added again
	Kind string // says who works on it
	Repo string // owner/name that it is about, "" for none
	Body []byte // what its worker needs to know; gone when it is done
	// Wakes makes another Put of the same key start the job again: after what goes on, or when it was over.
	Wakes bool
	DueAt time.Time // when it is worked on; zero when it has ended

	State     WorkState
	Tries     int       // how often it was begun since it was added, replayed or woken
	Error     string    // of the last try, "" for none
	CreatedAt time.Time // when it was added first
	EndedAt   time.Time // zero while it is open

	Lease Lease // of the worker who has it
}

// Lease is the right to work on a job until a time. A worker that has lost its lease cannot end the job.
type Lease struct {
	Holder string // a name that is never used again, "" for nobody
	Calls  int    // how often the job was put when the lease began
}

// WorkState is the state of a job.
type WorkState string

// These are the states of jobs.
const (
	WorkOpen WorkState = "open" // it waits, or somebody works on it
	WorkDone WorkState = "done"
	WorkDead WorkState = "dead" // it failed for good: an operator replays or drops it
)

// WorkFilter selects jobs. Empty fields select all.
type WorkFilter struct {
	State WorkState
	Kind  string
	Limit int // max number, newest first; 0 for all
}

// WorkCount is how many jobs of a kind are in a state.
type WorkCount struct {
	Kind   string
	State  WorkState
	Jobs   int
	Oldest time.Time // when the first of them was due; of dead ones, when it ended
}

// Queue keeps jobs. Any number of replicas work on them: each job is leased to one of them at a time. A replica that
// dies loses its lease after a while, and another one begins the job again.
type Queue interface {
	// PutWork adds jobs, all or none, and returns how many are new. A job with a known key changes nothing, unless it
	// Wakes.
	PutWork(ctx context.Context, now time.Time, jobs ...Work) (int, error)

	// ClaimWork leases jobs that are due to a holder, until a time, and counts a try of each. max is the number of free
	// workers of the holder. Owners of repositories share them, see ShareWork: a single owner gets no more than half of
	// the holder's workers.
	ClaimWork(ctx context.Context, holder string, max int, now, until time.Time) ([]Work, error)

	// HoldWork makes the leases of a holder longer.
	HoldWork(ctx context.Context, holder string, until time.Time) error

	// EndWork ends a job as done and adds those that follow from it, all or none. A job that was put again meanwhile
	// is open again. Conflict: the lease is lost.
	EndWork(ctx context.Context, w Work, now time.Time, then ...Work) error

	// DelayWork gives a job back, to be begun again at a time. Conflict: the lease is lost.
	DelayWork(ctx context.Context, w Work, at time.Time, why string) error

	// BuryWork ends a job that cannot succeed as dead. Conflict: the lease is lost.
	BuryWork(ctx context.Context, w Work, now time.Time, why string) error

	// Works returns jobs, newest first, without their bodies.
	Works(ctx context.Context, f WorkFilter) ([]Work, error)

	// Work returns a job. NotFound: there is none.
	Work(ctx context.Context, id int64) (Work, error)

	// ReplayWork makes a dead job open again. NotFound: there is none. Conflict: it is not dead.
	ReplayWork(ctx context.Context, id int64, now time.Time) error

	// DropWork removes a job. NotFound: there is none. Conflict: somebody works on it.
	DropWork(ctx context.Context, id int64, now time.Time) error

	// CountWork counts jobs by kind and state, without those that are done.
	CountWork(ctx context.Context) ([]WorkCount, error)

	// ForgetWork removes jobs that were done before a time, and returns their number.
	ForgetWork(ctx context.Context, before time.Time) (int, error)
}

// MaxWorkError is the max number of bytes of an error that is kept of a job.
const MaxWorkError = 2000

// WorkSQL are the columns of a job in the SQL of all engines, except for its body and times.
const WorkSQL = `id, key, kind, repo, state, tries, error, lease, calls`

// Columns returns where the columns of WorkSQL are scanned to.
func (w *Work) Columns() []any {
	return []any{&w.ID, &w.Key, &w.Kind, &w.Repo, &w.State, &w.Tries, &w.Error, &w.Lease.Holder, &w.Lease.Calls}
}

// LeaseLost returns the Conflict of a job that somebody else has by now.
func LeaseLost(w Work) error { return Errorf(Conflict, "the lease of job %d is lost", w.ID) }

// NoWork returns the NotFound of a job.
func NoWork(id int64) error {
	return Next(Errorf(NotFound, "there is no job %d in the queue", id), Shell{Line: "blqd queue list"})
}
