package backend

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// folder is an open .lq folder. Other processes may remove or replace the folder at any time. So each user calls hold
// to get the current folder, and release to give it back. A replaced folder is closed when its last user releases it.
type folder struct {
	*project.Project
	file    os.FileInfo // identity of its database file
	standIn string      // temporary directory that is used while no folder exists, else ""
	users   int
	retired bool
}

// lock locks the backend. If a reset is in progress, lock first waits until the reset has ended. If lock returns an
// error, the backend is not locked. Errors: unavailable when the backend is closed.
func (b *Backend) lock() error {
	b.mu.Lock()
	for b.resetting {
		b.changed.Wait()
	}
	if b.closed {
		b.mu.Unlock()
		return stopping()
	}
	return nil
}

func stopping() error { return store.Errorf(store.Unavailable, "the server is stopping") }

// hold returns the folder that answers questions. The caller must release it.
func (b *Backend) hold(ctx context.Context) (*folder, error) {
	if err := b.lock(); err != nil {
		return nil, err
	}
	defer b.mu.Unlock()
	dir, err := project.Find(b.dir, b.getenv)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return nil, err
	}
	if _, gone := os.Stat(database(dir)); err != nil || errors.Is(gone, fs.ErrNotExist) {
		dir = "" // nothing is recorded yet, and questions create nothing
	}
	return b.holdDir(ctx, dir)
}

// holdToRecord returns the folder for recording, and creates it if it is missing. Errors: unavailable when the place
// is not writable.
func (b *Backend) holdToRecord(ctx context.Context) (*folder, error) { return b.holdToWrite(ctx, 1) }

// holdToWrite is like holdToRecord. recordings is the number of runs that the caller records, which may be 0.
func (b *Backend) holdToWrite(ctx context.Context, recordings int) (*folder, error) {
	if err := b.lock(); err != nil {
		return nil, err
	}
	defer b.mu.Unlock()
	dir := project.Place(b.dir, b.getenv)
	if _, err := project.Create(dir); err != nil {
		return nil, err
	}
	f, err := b.holdDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := f.Writable(); err != nil {
		b.drop(f)
		return nil, err
	}
	b.recording += recordings
	return f, nil
}

// holdDir returns the folder in dir, and opens it if necessary. If dir is empty, holdDir returns the stand-in, which is
// a temporary and empty folder.
func (b *Backend) holdDir(ctx context.Context, dir string) (*folder, error) {
	if b.now != nil && !b.now.is(dir) {
		_ = b.retire() // the files are already gone
	}
	if b.now == nil {
		f, err := b.open(ctx, dir)
		if err != nil {
			return nil, err
		}
		b.now = f
	}
	b.now.users++
	return b.now, nil
}

func (b *Backend) open(ctx context.Context, dir string) (*folder, error) {
	f := &folder{}
	var err error
	if dir == "" {
		if f.standIn, err = os.MkdirTemp("", "blq-nothing-"); err != nil {
			return nil, store.Errorf(store.Unavailable, "no room for a temporary file: %w", err)
		}
		dir = f.standIn
	}
	if f.Project, err = project.Open(ctx, dir); err != nil {
		_ = f.forget() // the stand-in is only a temporary directory
		return nil, err
	}
	f.SetRoot(Root(b.dir, b.getenv))
	if f.file, err = os.Stat(database(dir)); err != nil {
		return nil, errors.Join(store.Errorf(store.Unavailable, "the database went away: %w", err), f.Close(), f.forget())
	}
	return f, nil
}

func database(dir string) string { return filepath.Join(dir, "blq.db") }

// is reports whether the folder in dir is the folder that was opened, and not a replacement.
func (f *folder) is(dir string) bool {
	if dir == "" {
		dir = f.standIn
	}
	info, err := os.Stat(database(dir))
	return f.Dir == dir && err == nil && os.SameFile(info, f.file)
}

// fresh returns the project with the present content of its configuration file.
func (f *folder) fresh() (*project.Project, error) {
	config, err := project.ReadConfig(filepath.Join(f.Dir, project.ConfigName))
	if err != nil {
		return nil, err
	}
	w := *f.Project
	w.Config = config
	return &w, nil
}

// release gives a folder back after use.
func (b *Backend) release(f *folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(f)
}

func (b *Backend) drop(f *folder) {
	f.users--
	if f.users == 0 && f.retired {
		_ = f.close() // nobody could handle the error
	}
	b.changed.Broadcast()
}

// retire makes the backend open the folder again when it next needs the folder. The caller must hold the lock of the
// backend.
func (b *Backend) retire() error {
	f := b.now
	if f == nil {
		return nil
	}
	b.now, f.retired = nil, true
	if f.users > 0 {
		return nil
	}
	return f.close()
}

func (f *folder) close() error { return errors.Join(f.Project.Close(), f.forget()) }

// forget removes the directory of a stand-in.
func (f *folder) forget() error {
	if f.standIn == "" {
		return nil
	}
	return os.RemoveAll(f.standIn)
}

// salvage completes what recorders left unfinished (see record.Salvage). It does nothing if the folder is a stand-in.
func (b *Backend) salvage(ctx context.Context) error {
	f, err := b.hold(ctx)
	if err != nil {
		return err
	}
	defer b.release(f)
	if f.standIn != "" {
		return nil
	}
	return record.Salvage(ctx, f.Project)
}
