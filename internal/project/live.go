package project

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/blq-ci/blq/store"
)

// Live is the mark of a running recorder: a lock that the system takes away
// when the process ends, however it ends.
type Live struct{ lock *flock.Flock }

// MarkLive holds the lock of an attempt until Release.
func (w *Project) MarkLive(attempt string) (*Live, error) {
	if err := os.MkdirAll(filepath.Join(w.Dir, "live"), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(w.livePath(attempt), flock.SetPermissions(0o644)) // others may ask, too
	if _, err := lock.TryLock(); err != nil {
		return nil, err
	}
	return &Live{lock}, nil
}

// Release says that the attempt is over.
func (l *Live) Release() {
	os.Remove(l.lock.Path()) // while it is held: nobody else may hold it then
	l.lock.Unlock()
}

func (w *Project) livePath(attempt string) string {
	return filepath.Join(w.Dir, "live", attempt+".lock")
}

// A run without a lock file is one that this folder did not record; it is
// given up after a silence that no machine's suspend should explain.
const silence = 15 * time.Minute

// missedBeats is after how long a recorder on another machine, which beats
// every ten seconds, is dead if its lock is free.
const missedBeats = time.Minute

// SweepOrphans marks the runs whose recorder has died. salvage is called for
// each before it is marked, so that nobody sees an orphan without what is left
// of it; it must do no harm when it is called twice.
func (w *Project) SweepOrphans(ctx context.Context, salvage func(context.Context, store.Run) error) error {
	running, err := w.Store.Runs(ctx, store.Everything(), store.RunFilter{State: store.StateRunning})
	if err != nil {
		return err
	}
	for _, r := range running {
		switch w.recorder(r) {
		case living:
			continue
		case dead:
			if err := salvage(ctx, r); err != nil && store.CodeOf(err) != store.Conflict { // it has ended meanwhile
				return err
			}
		case silent: // it may come back: leave its events to it
		}
		if _, err := w.Store.OrphanRun(ctx, r.Attempt, r.HeartbeatAt); err != nil && store.CodeOf(err) != store.NotFound { // else it was pruned meanwhile
			return err
		}
		os.Remove(w.livePath(r.Attempt))
	}
	return nil
}

// recorder is what is known of the process that records a run.
type recorder int

const (
	living recorder = iota
	dead            // its lock is free, and it was one of this machine's or has not been heard of lately
	silent          // it has no lock here, and has not been heard of for long
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
		return living // who cannot be asked is not declared dead
	}
	// Shared folders do not always carry locks from one machine to another.
	if host, err := os.Hostname(); err == nil && r.Hostname != "" && r.Hostname != host && time.Since(r.HeartbeatAt) < missedBeats {
		return living
	}
	return dead
}

// locked says whether a recorder holds the lock. It asks for a shared lock,
// so that two who ask at once do not take each other for the recorder.
func locked(path string) (bool, error) {
	lock := flock.New(path)
	free, err := lock.TryRLock()
	if err != nil {
		return false, err
	}
	return !free, lock.Close()
}

// anyLive says whether a process is recording into the folder.
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
