// Package maintenance maintains a shared store. It marks runs without heartbeats as orphaned, removes old runs and
// snapshots, and deletes unused objects. Several replicas may run it at once. The package may import store and facts.
package maintenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// Store is the part of store.Store that maintenance uses.
type Store interface {
	store.Maintainer
	store.Meter
	DropNotifications(ctx context.Context, before time.Time) (int, error)
	DropSessions(ctx context.Context, before time.Time) (int, error)
	facts.Sweeping
	Runs(ctx context.Context, sc store.Scope, f store.RunFilter) ([]store.Run, error)
	Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) ([]store.Chunk, error)
}

// Config configures an Upkeep.
type Config struct {
	Store Store
	Blobs store.Blobs
	// OrphanAfter is the time without a heartbeat after which a run is marked as orphaned.
	OrphanAfter time.Duration
	// RunTime is the max time that a run may be open; 0 means no limit. A run that is open for longer is marked as
	// orphaned, even if it has heartbeats.
	RunTime time.Duration
	// Policy decides which runs and snapshots are kept. A nil Policy keeps all.
	Policy func(now time.Time) store.Policy

	// Quotas limit the storage of repositories and owners. If KeepQuota is true, the oldest runs and snapshots of a
	// repository or owner are removed before its limit of bytes is reached.
	Quotas    store.Quotas
	KeepQuota bool

	// Announce sends pending notifications about changed contracts. Such notifications can be left over after a crash.
	// If Announce is nil, they are not sent.
	Announce func(context.Context) error

	Every time.Duration    // interval between rounds
	Now   func() time.Time // nil for time.Now
	Log   *slog.Logger     // nil for none
	// Done is called after each task of a round. It may be nil.
	Done func(Round)
}

// Round is the result of a task.
type Round struct {
	Task      string // orphan, quota, retain, announce, collect, notifications, sessions, strays, recount or maintain
	Orphaned  int    // number of orphaned runs
	Overdue   int    // orphaned runs that were open for too long
	Pruned    store.Pruned
	Objects   int // number of deleted objects
	Missing   int // number of missing log objects
	Corrected int // number of corrected usage counts
	Took      time.Duration
	Err       error
}

// Upkeep runs the tasks of maintenance, one after the other. Only one goroutine may call Run.
type Upkeep struct {
	Config
	page  int       // number of keys per list request
	swept time.Time // time of the last sweep of repositories with a full quota
}

// taskTimeout is the max time of a task. If a task takes longer, a later round does the rest.
const taskTimeout = 10 * time.Minute

// seldom is the interval of expensive tasks, such as removing old runs.
const seldom = time.Hour

// New returns an Upkeep. If Now or Log is nil, it gets its default.
func New(c Config) *Upkeep {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Upkeep{Config: c, page: keysAtOnce}
}

// Run maintains the store until ctx ends.
func (u *Upkeep) Run(ctx context.Context) {
	var last, kept time.Time // times of the last u.rarely and u.keepQuotas
	for {
		u.often(ctx)
		if u.KeepQuota && u.Now().Sub(kept) >= quotaEvery {
			kept = u.Now()
			u.do(ctx, "quota", u.keepQuotas)
		}
		if u.Now().Sub(last) >= seldom {
			last = u.Now()
			u.rarely(ctx)
		}
		// Replicas that start together should not work at the same time.
		wait := time.NewTimer(u.Every*3/4 + rand.N(u.Every/2+1))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
	}
}

// often runs the tasks that users wait for.
func (u *Upkeep) often(ctx context.Context) {
	u.do(ctx, "orphan", func(ctx context.Context, r *Round) (err error) {
		r.Orphaned, r.Overdue, err = u.orphan(ctx)
		return err
	})
	if u.Announce != nil {
		u.do(ctx, "announce", func(ctx context.Context, _ *Round) error { return u.Announce(ctx) })
	}
}

// rarely runs the expensive tasks.
func (u *Upkeep) rarely(ctx context.Context) {
	if m, ok := u.Store.(interface{ Maintain(context.Context) error }); ok {
		u.do(ctx, "maintain", func(ctx context.Context, _ *Round) error { return m.Maintain(ctx) })
	}
	if u.Policy != nil && u.Policy(u.Now()) != (store.Policy{}) {
		u.do(ctx, "retain", func(ctx context.Context, r *Round) (err error) {
			r.Pruned, err = u.Store.Prune(ctx, store.Everything(), u.Policy(u.Now()))
			return err
		})
	}
	u.do(ctx, "collect", func(ctx context.Context, r *Round) (err error) {
		r.Objects, err = u.Collect(ctx)
		return err
	})
	u.do(ctx, "notifications", func(ctx context.Context, _ *Round) error {
		_, err := u.Store.DropNotifications(ctx, u.Now().Add(-store.NotificationKept))
		return err
	})
	u.do(ctx, "sessions", func(ctx context.Context, _ *Round) error {
		_, err := u.Store.DropSessions(ctx, u.Now().Add(-store.SessionKept))
		return err
	})
	u.do(ctx, "strays", u.strays)
	u.do(ctx, "recount", u.recount)
}

// do runs a task within its time limit, logs it, and calls Done.
func (u *Upkeep) do(ctx context.Context, task string, f func(context.Context, *Round) error) {
	if ctx.Err() != nil {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, taskTimeout)
	defer cancel()
	r := Round{Task: task}
	began := u.Now()
	err := f(bounded, &r)
	r.Took = u.Now().Sub(began)
	if err != nil && ctx.Err() == nil {
		r.Err = err
		u.Log.ErrorContext(ctx, "upkeep failed", "task", task, "error", err)
	} else if r.Orphaned+r.Pruned.Runs+r.Pruned.Snapshots+r.Pruned.Sources+r.Pruned.Jobs+r.Objects+r.Corrected > 0 {
		u.Log.InfoContext(ctx, "upkeep done", "task", task, "orphaned", r.Orphaned, "overdue", r.Overdue,
			"runs", r.Pruned.Runs, "snapshots", r.Pruned.Snapshots, "sources", r.Pruned.Sources, "objects", r.Objects,
			"jobs", r.Pruned.Jobs, "corrected", r.Corrected)
	}
	if u.Done != nil {
		u.Done(r)
	}
}

// orphan marks runs without a recent heartbeat as orphaned. Then it also marks other runs that have been open for too
// long. n is the number of all marked runs, and overdue is the number of the other runs. If a run sends a heartbeat
// meanwhile, the run is left for the next round. A heartbeat from the future is from before the clock was set back. It
// counts as a heartbeat at the present time.
func (u *Upkeep) orphan(ctx context.Context) (n, overdue int, err error) {
	_, uncapped := u.Store.CapHeartbeats(ctx, u.Now().Add(store.ReplicaSkew))
	n, err = u.orphanThose(ctx, store.RunFilter{StaleBefore: u.Now().Add(-u.OrphanAfter)})
	err = errors.Join(uncapped, err)
	if u.RunTime > 0 {
		var late error
		overdue, late = u.orphanThose(ctx, store.RunFilter{OpenedBefore: u.Now().Add(-u.RunTime)})
		err = errors.Join(err, late)
	}
	return n + overdue, overdue, err
}

// orphanThose marks up to 1,000 runs that match a filter as orphaned, and returns the number of marked runs.
func (u *Upkeep) orphanThose(ctx context.Context, which store.RunFilter) (int, error) {
	which.Limit = 1000
	runs, err := u.Store.Runs(ctx, store.Everything(), which)
	if err != nil {
		return 0, err
	}
	n := 0
	var failed []error
	for _, r := range runs {
		marked, err := u.Store.OrphanRun(ctx, r.Attempt, r.HeartbeatAt)
		if err != nil {
			failed = append(failed, fmt.Errorf("run %s: %w", r.Ref(), err))
		} else if marked {
			n++
		}
	}
	return n, errors.Join(failed...)
}

// Collect deletes the log objects of removed runs, and fact objects that no snapshot uses. It returns the number of
// deleted objects.
func (u *Upkeep) Collect(ctx context.Context) (int, error) {
	// Sweep reads all manifests of a repository. Therefore the time is rounded to a day, so that objects that become
	// due on the same day are swept together.
	_, unswept := facts.Sweep(ctx, u.Store, u.Blobs, u.Now().Add(-facts.Safe).Truncate(24*time.Hour))
	n, err := u.deleteGarbage(ctx)
	return n, errors.Join(unswept, err)
}

func (u *Upkeep) deleteGarbage(ctx context.Context) (int, error) {
	n := 0
	for {
		keys, err := u.Store.Garbage(ctx, 1000)
		if err != nil || len(keys) == 0 {
			return n, err
		}
		for _, k := range keys {
			if err := u.Blobs.Delete(ctx, k); err != nil {
				return n, err
			}
			n++
		}
		if err := u.Store.Collected(ctx, keys); err != nil {
			return n, err
		}
	}
}
