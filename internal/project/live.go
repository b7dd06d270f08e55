package project

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/blq-ci/blq/store"
)

// Live marks a run as being recorded: a file lock that the system releases when the process ends,
// however it ends.
type Live struct{ lock *flock.Flock }

// MarkLive takes the lock of an attempt. It is held until Release.
func (w *Project) MarkLive(attempt string) (*Live, error) {
	if err := os.MkdirAll(filepath.Join(w.Dir, "live"), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(w.livePath(attempt), flock.SetPermissions(0o644)) // other users may check the lock
	if _, err := lock.TryLock(); err != nil {
		return nil, err
	}
	return &Live{lock}, nil
}

// Release marks the attempt as ended.
func (l *Live) Release() {
	os.Remove(l.lock.Path()) // while the lock is held, so that no other process can hold it
	l.lock.Unlock()
}

func (w *Project) livePath(attempt string) string {
	return filepath.Join(w.Dir, "live", attempt+".lock")
}

// A run without a lock file was not recorded in this folder. It is orphaned after this long without
// a heartbeat, longer than a machine is usually suspended.
const silence = 15 * time.Minute

// missedBeats is how long a recorder on another machine may send no heartbeat before it counts as
// dead, if its lock is free. It sends one every ten seconds.
const missedBeats = time.Minute

// SweepOrphans marks the runs whose recorder has died. Before that, it calls salvage with each run
// to store what is left of it. salvage may be called twice for a run.
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
			// Conflict: the run has ended meanwhile. NotFound: it was pruned.
			if err := salvage(ctx, r); err != nil && !slices.Contains(passed, store.CodeOf(err)) {
				return err
			}
		case silent: // it may come back, so its events are left alone
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
	dead            // its lock is free, and it ran on this machine or has missed heartbeats
	silent          // it has no lock here and has sent no heartbeat for long
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
		return living // if the lock cannot be checked, it counts as living
	}
	// Shared folders do not always carry locks between machines.
	if host, err := os.Hostname(); err == nil && r.Hostname != "" && r.Hostname != host &&
		time.Since(r.HeartbeatAt) < missedBeats {
		return living
	}
	return dead
}

// locked reports whether a recorder holds the lock. It tries a shared lock, so that two checks at
// the same time do not see each other.
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
	files, err := filepath.Glob(filepath.Join(dir, "live", "*.lock"))
	if err != nil {
		return false, err
	}
	for _, f := range files {
		if held, err := locked(f); err != nil || held {
			return held, err
		}
	}
	return false, nil
}
