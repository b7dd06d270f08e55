// Package queue processes the jobs of a store.Queue. It runs several jobs at once, each with a lease. It retries failed
// jobs. After the last try, a failed job becomes a dead letter. Any number of replicas may process the same queue. The
// package may import store and internal/wait.
package queue

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/blq-ci/blq/internal/wait"
	"github.com/blq-ci/blq/store"
)

// Handler processes a job of its kind, and returns follow-up jobs. It may be called again for a completed job, because
// a replica can crash before it has recorded the result. After the errors invalid, forbidden, not_found, too_large and
// malformed a retry is useless, so the job fails for good. After other errors the job is retried, up to Config.Tries.
// After any error with a store.RetryAfter the job is retried, too. The retry waits at least for that time.
type Handler func(ctx context.Context, w store.Work) (then []store.Work, err error)

// Config configures a Queue.
type Config struct {
	Queue    store.Queue
	Handlers map[string]Handler // handlers by kind of job
	Workers  int                // max concurrent jobs, 0 for 8
	Tries    int                // max number of tries of a job, 0 for 12
	Lease    time.Duration      // time without a sign of a replica after which other replicas take its jobs; 0 for 15 s
	Poll     time.Duration      // interval of checks for jobs from other replicas, 0 for a second
	Keep     time.Duration      // time for which completed jobs are kept, 0 for 40 days
	Log      *slog.Logger       // nil for none
	Now      func() time.Time   // nil for time.Now
	// UntilIdle makes Run return when no job is due.
	UntilIdle bool
	// Done is called after each try. It may be nil.
	Done func(Try)
}

// Try describes a completed try of a job.
type Try struct {
	Kind   string
	Result Result
	Took   time.Duration
	Waited time.Duration // time since the job was added
}

// Result says how a try ended.
type Result string

// These are the results of tries.
const (
	Done    Result = "done"
	Delayed Result = "delayed" // the job will be retried
	Dead    Result = "dead"
	Lost    Result = "lost" // another replica has the job
)

// Queue processes jobs.
type Queue struct {
	Config
	holder string
	poke   chan struct{}
}

// New returns a Queue. Zero fields of the configuration get their defaults.
func New(c Config) *Queue {
	c.Workers, c.Tries = cmp.Or(c.Workers, 8), cmp.Or(c.Tries, 12)
	c.Lease, c.Poll = cmp.Or(c.Lease, 15*time.Second), cmp.Or(c.Poll, time.Second)
	c.Keep = cmp.Or(c.Keep, 40*24*time.Hour)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Queue{Config: c, poke: make(chan struct{}, 1)}
}

// Put adds jobs, which are started soon. It returns the number of new jobs.
func (q *Queue) Put(ctx context.Context, jobs ...store.Work) (int, error) {
	n, err := q.Queue.PutWork(ctx, q.Now(), jobs...)
	if err == nil {
		q.wake()
	}
	return n, err
}

// wake makes Run check for jobs at once.
func (q *Queue) wake() {
	select {
	case q.poke <- struct{}{}:
	default:
	}
}

// between is the min time between the beginnings of two searches for jobs. A search often takes longer than a job.
// Without this limit, there would be a search for each new job and for each ended job, and the searches would use most
// of the processor time.
const between = 5 * time.Millisecond

// seldom is the interval at which old jobs are deleted.
const seldom = time.Hour

// Run processes jobs until ctx ends or, with UntilIdle, until no job is due. When ctx ends, Run waits for the handlers
// of running jobs. A job whose handler then fails is tried again when its lease expires.
func (q *Queue) Run(ctx context.Context) {
	q.holder = uuid.NewString()
	var work sync.WaitGroup
	free := make(chan struct{}, q.Workers)
	ended := make(chan struct{}, q.Workers)
	hold := time.NewTicker(q.Lease / 3)
	defer hold.Stop()
	var forgot, searched time.Time
	for ctx.Err() == nil {
		if !q.UntilIdle {
			_ = wait.For(ctx, between-time.Since(searched)) // the loop checks ctx
		}
		searched = time.Now()
		if q.Now().Sub(forgot) >= seldom {
			forgot = q.Now()
			q.note(ctx, "forget jobs", q.forget(ctx))
		}
		begun := q.claim(ctx, &work, free, ended)
		if q.UntilIdle {
			work.Wait()
			if begun == 0 {
				return
			}
		}
		if begun > 0 && len(free) < cap(free) {
			continue // there may be more jobs
		}
		next := time.NewTimer(q.Poll*3/4 + rand.N(q.Poll/2+1))
		select {
		case <-ctx.Done():
		case <-q.poke:
		case <-ended:
		case <-next.C:
		case <-hold.C:
			q.note(ctx, "hold jobs", q.Queue.HoldWork(ctx, q.holder, q.Now().Add(q.Lease)))
		}
		next.Stop()
	}
	work.Wait()
}

func (q *Queue) forget(ctx context.Context) error {
	_, err := q.Queue.ForgetWork(ctx, q.Now().Add(-q.Keep))
	return err
}

func (q *Queue) note(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		q.Log.ErrorContext(ctx, "queue failed", "task", what, "error", err)
	}
}

// claim starts at most as many due jobs as there are free workers, and returns their number.
func (q *Queue) claim(ctx context.Context, work *sync.WaitGroup, free, ended chan struct{}) (begun int) {
	room := cap(free) - len(free)
	if room == 0 {
		return 0
	}
	now := q.Now()
	jobs, err := q.Queue.ClaimWork(ctx, q.holder, room, now, now.Add(q.Lease))
	q.note(ctx, "claim jobs", err)
	for _, w := range jobs {
		free <- struct{}{}
		work.Go(func() {
			q.work(ctx, w)
			<-free
			select {
			case ended <- struct{}{}:
			default:
			}
		})
	}
	return len(jobs)
}

// work tries a job that this replica has claimed, and records the result.
func (q *Queue) work(ctx context.Context, w store.Work) {
	began := q.Now()
	then, err := q.try(ctx, w)
	if ctx.Err() != nil && err != nil {
		return // the process stops, and the lease expires soon
	}
	t := Try{Kind: w.Kind, Waited: began.Sub(w.CreatedAt), Took: q.Now().Sub(began)}
	t.Result, err = q.end(ctx, w, then, err)
	if store.CodeOf(err) == store.Conflict {
		t.Result = Lost
	} else {
		q.note(ctx, "end a job", err)
	}
	if q.Done != nil {
		q.Done(t)
	}
	if len(then) > 0 {
		q.wake()
	}
}

// try calls the handler of a job. A panic counts as a failed try, and its stack is logged.
func (q *Queue) try(ctx context.Context, w store.Work) (then []store.Work, err error) {
	defer func() {
		if p := recover(); p != nil {
			q.Log.ErrorContext(ctx, "a job panicked", "job", w.ID, "kind", w.Kind, "key", w.Key, "panic", p,
				"stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	handle := q.Handlers[w.Kind]
	if handle == nil {
		return nil, fmt.Errorf("nobody works on jobs of kind %q", w.Kind)
	}
	return handle(ctx, w)
}

// final are the codes of errors for which a retry is useless.
var final = map[store.Code]bool{store.Invalid: true, store.Forbidden: true, store.NotFound: true, store.TooLarge: true,
	store.Malformed: true}

// end records the result of a try.
func (q *Queue) end(ctx context.Context, w store.Work, then []store.Work, failed error) (Result, error) {
	now := q.Now()
	if failed == nil {
		return Done, q.Queue.EndWork(ctx, w, now, then...)
	}
	why := failed.Error()
	why = why[:min(len(why), store.MaxWorkError)]
	after, known := store.RetryAfter(failed)
	if !known && final[store.CodeOf(failed)] || w.Tries >= q.Tries {
		q.Log.ErrorContext(ctx, "job is dead", "job", w.ID, "kind", w.Kind, "key", w.Key, "tries", w.Tries, "error", why)
		return Dead, q.Queue.BuryWork(ctx, w, now, why)
	}
	q.Log.WarnContext(ctx, "job is tried again", "job", w.ID, "kind", w.Kind, "tries", w.Tries, "error", why)
	return Delayed, q.Queue.DelayWork(ctx, w, now.Add(max(after, backOff(w.Tries))), why)
}

// backOff returns the wait before the next try: 2 s, 4 s and so on, up to an hour. It adds up to a quarter at random,
// so that jobs that failed together are not retried together.
func backOff(tries int) time.Duration {
	d := min(time.Second<<min(tries, 12), time.Hour)
	return d + rand.N(d/4+1)
}
