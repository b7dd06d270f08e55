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

// SweepOrphans marks the runs whose recorder has died.
func (w *Workspace) SweepOrphans(ctx context.Context) error {
	running, err := w.Store.Runs(ctx, store.Everything(), store.RunFilter{State: store.StateRunning})
	if err != nil {
		return err
	}
	for _, r := range running {
		path := w.livePath(r.Attempt)
		if _, err := os.Stat(path); err != nil {
			if time.Since(r.HeartbeatAt) < silence {
				continue
			}
		} else {
			lock := flock.New(path)
			free, err := lock.TryLock()
			if err != nil || !free {
				continue
			}
			os.Remove(path)
			lock.Unlock()
		}
		if _, err := w.Store.OrphanRun(ctx, r.Attempt, r.HeartbeatAt); err != nil {
			return err
		}
	}
	return nil
}

// anyLive says whether a process is recording into the folder.
func anyLive(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "live", "*.lock"))
	if err != nil {
		return false, err
	}
	for _, f := range files {
		lock := flock.New(f)
		free, err := lock.TryLock()
		if err == nil && free {
			lock.Unlock()
			continue
		}
		return true, nil
	}
	return false, nil
}
