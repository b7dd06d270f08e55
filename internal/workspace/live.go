package workspace

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
func (w *Workspace) MarkLive(attempt string) (*Live, error) {
	if err := os.MkdirAll(filepath.Join(w.Dir, "live"), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(w.livePath(attempt))
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

func (w *Workspace) livePath(attempt string) string {
	return filepath.Join(w.Dir, "live", attempt+".lock")
}

// A run without a lock file is one that this folder did not record; it is
// given up after a silence that no machine's suspend should explain.
const silence = 15 * time.Minute

// SweepOrphans marks the runs whose recorder has died, and returns them.
func (w *Workspace) SweepOrphans(ctx context.Context) ([]store.Run, error) {
	running, err := w.Store.Runs(ctx, store.Everything(), store.RunFilter{State: store.StateRunning})
	if err != nil {
		return nil, err
	}
	var orphans []store.Run
	for _, r := range running {
		if alive, err := w.alive(r); err != nil || alive {
			continue
		}
		marked, err := w.Store.OrphanRun(ctx, r.Attempt, r.HeartbeatAt)
		if err != nil {
			return orphans, err
		}
		os.Remove(w.livePath(r.Attempt))
		if marked {
			orphans = append(orphans, r)
		}
	}
	return orphans, nil
}

// alive says whether the recorder of a run lives.
func (w *Workspace) alive(r store.Run) (bool, error) {
	path := w.livePath(r.Attempt)
	if _, err := os.Stat(path); err != nil {
		return time.Since(r.HeartbeatAt) < silence, nil
	}
	return locked(path)
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
