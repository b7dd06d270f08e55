package store

import (
	"context"
	"time"
)

// Work is a job in the queue. A stored job is not lost if the process ends.
type Work struct {
	ID   int64  // allocated by the store, in order of arrival
	Key  string // unique key; PutWork does not add a second job with the same key
	Kind string // selects the worker
	Repo string // owner/name of the repository, owner/ for all repositories of an owner, "" for none
	Body []byte // data for the worker; removed when the job is done
	// If Wakes is true, PutWork starts an existing job with the same key again. A job that is running starts again
	// after its end.
	Wakes bool
	DueAt time.Time // time to start the job; zero for an ended job

	State     WorkState
	Tries     int       // number of starts since the job was added, replayed or woken
	Error     string    // error of the last try, "" for none
	CreatedAt time.Time // when the job was first added
	EndedAt   time.Time // zero while the job is open

	Lease Lease // lease of the worker that has the job
}

// Lease is the right to work on a job for a limited time. A worker that has lost its lease cannot end the job.
type Lease struct {
	Holder string // unique name of the worker, "" for nobody
	Calls  int    // number of calls of PutWork for the job before the lease began
}

// WorkState is the state of a job.
type WorkState string

// These are the states of jobs in the queue.
const (
	WorkOpen WorkState = "open" // the job waits, or a worker has it
	WorkDone WorkState = "done"
	WorkDead WorkState = "dead" // the job failed for good; an operator may replay or drop it
)

// WorkFilter selects jobs. A field with its zero value restricts nothing.
type WorkFilter struct {
	State WorkState
	Kind  string
	Limit int // max number, newest first; 0 for all
}

// WorkCount is the number of jobs of a kind in a state.
type WorkCount struct {
	Kind   string
	State  WorkState
	Jobs   int
	Oldest time.Time // when the first of these jobs was due; for dead jobs, when the first of them ended
}

// Queue stores jobs. Several replicas work on the jobs. A job is leased to one replica at a time. If a replica dies,
// its leases expire, and other replicas start the jobs again.
type Queue interface {
	// PutWork adds all jobs, or none if there is an error. It returns the number of new jobs. If a job with the same
	// key exists, PutWork changes nothing, unless Wakes is set.
	PutWork(ctx context.Context, now time.Time, jobs ...Work) (int, error)

	// ClaimWork leases due jobs to a holder until the given time. Each lease counts as a try of the job. max is the
	// number of the holder's free workers. The owners of repositories share the workers: see ShareWork. A single owner
	// gets at most half of the holder's workers, rounded up.
	ClaimWork(ctx context.Context, holder string, max int, now, until time.Time) ([]Work, error)

	// HoldWork extends the leases of a holder. If another lease ends later than ReplicaSkew after the given time, it
	// was made before the clock was set back. It then ends at the given time.
	HoldWork(ctx context.Context, holder string, until time.Time) error

	// EndWork ends a job as done, and adds the given jobs. If there is an error, it does neither. If PutWork has
	// started the job again during the lease (see Work.Wakes), the job is open again. Conflict: the worker has lost the
	// lease.
	EndWork(ctx context.Context, w Work, now time.Time, then ...Work) error

	// DelayWork ends the lease of a job that is to run again at the given time. The parameter why is the error of this
	// try. Conflict: the worker has lost the lease.
	DelayWork(ctx context.Context, w Work, at time.Time, why string) error

	// BuryWork marks a job as dead, because it cannot succeed. Conflict: the worker has lost the lease.
	BuryWork(ctx context.Context, w Work, now time.Time, why string) error

	// Works returns jobs, newest first, without their bodies.
	Works(ctx context.Context, f WorkFilter) ([]Work, error)

	// Work returns a job. NotFound: there is no such job.
	Work(ctx context.Context, id int64) (Work, error)

	// ReplayWork opens a dead job again. NotFound: there is no such job. Conflict: the job is not dead.
	ReplayWork(ctx context.Context, id int64, now time.Time) error

	// DropWork removes a job. NotFound: there is no such job. Conflict: a worker has the job.
	DropWork(ctx context.Context, id int64, now time.Time) error

	// CountWork returns the numbers of jobs by kind and state. It leaves out jobs that are done.
	CountWork(ctx context.Context) ([]WorkCount, error)

	// ForgetWork removes jobs that are done or dead and ended before the given time. It returns their number.
	ForgetWork(ctx context.Context, before time.Time) (int, error)
}

// MaxWorkError is the max size of a stored error of a job, in bytes.
const MaxWorkError = 2000

// WorkSQL lists the columns of a job except its body and its times, in SQL for all engines.
const WorkSQL = `id, key, kind, repo, state, tries, error, lease, calls`

// Columns returns pointers to scan the columns of WorkSQL into.
func (w *Work) Columns() []any {
	return []any{&w.ID, &w.Key, &w.Kind, &w.Repo, &w.State, &w.Tries, &w.Error, &w.Lease.Holder, &w.Lease.Calls}
}

// LeaseLost returns the Conflict error for a job that another worker has now.
func LeaseLost(w Work) error { return Errorf(Conflict, "the lease of job %d is lost", w.ID) }

// NoWork returns the NotFound error for a job that does not exist.
func NoWork(id int64) error {
	return Next(Errorf(NotFound, "there is no job %d in the queue", id), Shell{Line: "blqd queue list"})
}
