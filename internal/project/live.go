package project

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/blq-ci/blq/internal/glob"
	"github.com/blq-ci/blq/store"
)

// Live marks a run that is being recorded. It is a file lock. The system releases the lock when the process ends, even
// after a crash.
type Live struct {
	lock *flock.Flock
	left bool
}

// MarkLive takes the lock of an attempt. The lock is held until Release or Leave.
func (w *Project) MarkLive(attempt string) (*Live, error) {
	if err := os.MkdirAll(filepath.Join(w.Dir, "live"), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(w.livePath(attempt), flock.SetPermissions(0o644)) // other users may check the lock
	if _, err := lock.TryLock(); err != nil {
		return nil, err
	}
	return &Live{lock: lock}, nil
}

// Release marks the attempt as ended. After Leave it does nothing.
func (l *Live) Release() {
	if l.left {
		return
	}
	os.Remove(l.lock.Path()) // removed while the lock is held, so no other process can hold it
	l.lock.Unlock()
}

// Leave marks the recorder as dead, for a run whose end could not be stored.
func (l *Live) Leave() {
	l.left = true
	l.lock.Unlock()
}

func (w *Project) livePath(attempt string) string {
	return filepath.Join(w.Dir, "live", attempt+".lock")
}

// silence is the time without a heartbeat after which a run without a lock file is marked as orphaned. Such a run was
// recorded on another machine. The time is longer than most suspensions of a machine.
const silence = 15 * time.Minute

// missedBeats is the time without a heartbeat after which a recorder on another machine counts as dead if its lock is
// free. A recorder sends a heartbeat every ten seconds.
const missedBeats = time.Minute

// SweepOrphans marks runs as orphaned if their recorder has died, or if they have no lock here and have sent no
// heartbeat for a long time. If the recorder has died, it first calls salvage, which stores the remaining data of the
// run. salvage may be called twice for a run.
func (w *Project) SweepOrphans(ctx context.Context, salvage func(context.Context, store.Run) error) error {
	running, err := w.Store.Runs(ctx, store.Everything(), store.RunFilter{State: store.StateRunning})
	if err != nil {
		return err
	}
	passed := []store.Code{store.Conflict, store.NotFound}
	for _, r := range running {
		switch w.recorder(r) {
		case living:
			continue
		case dead:
			// The run may have ended in the meantime (Conflict) or been pruned (NotFound).
			if err := salvage(ctx, r); err != nil && !slices.Contains(passed, store.CodeOf(err)) {
				return err
			}
		case silent: // the recorder may continue later, so its events are kept
		}
		_, err := w.Store.OrphanRun(ctx, r.Attempt, r.HeartbeatAt)
		if err != nil && store.CodeOf(err) != store.NotFound {
			return err
		}
		os.Remove(w.livePath(r.Attempt))
	}
	return nil
}

// recorder is the state of the process that records a run.
type recorder int

const (
	living recorder = iota
	dead            // the run's lock is free, and the run was on this machine or has missed heartbeats
	silent          // the run has no lock here, and has sent no heartbeat for a long time
)

func (w *Project) recorder(r store.Run) recorder {
	path := w.livePath(r.Attempt)
	if _, err := os.Stat(path); err != nil {
		if time.Since(r.HeartbeatAt) < silence {
			return living
		}
		return silent
	}
	if held, err := locked(path); err != nil || held {
		return living // an unknown state counts as living
	}
	// Shared folders do not always share locks between machines.
	if host, err := os.Hostname(); err == nil && r.Hostname != "" && r.Hostname != host &&
		time.Since(r.HeartbeatAt) < missedBeats {
		return living
	}
	return dead
}

// locked reports whether a recorder holds the lock of a run. It tries to take a shared lock, so that two concurrent
// checks do not disturb each other.
func locked(path string) (bool, error) {
	lock := flock.New(path)
	free, err := lock.TryRLock()
	if err != nil {
		return false, err
	}
	return !free, lock.Close()
}

// anyLive reports whether a process is recording into the folder.
func anyLive(dir string) (bool, error) {
	for _, f := range glob.In(filepath.Join(dir, "live"), "*.lock") {
		if held, err := locked(f); err != nil || held {
			return held, err
		}
	}
	return false, nil
}
