package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/blq-ci/blq/store"
)

// temporary is the prefix of the names of files that are being written. No part of a key has this prefix.
const temporary = ".tmp-"

// File stores objects as files below a directory. Several processes may use the same directory. When a process deletes
// the last object of a subdirectory, it also removes the subdirectory. So Put first creates a file in the subdirectory,
// which prevents its removal, and then syncs the entry of the subdirectory to the disk.
type File struct {
	root string
	made sync.Map // directories whose entry is synced to the disk
}

var _ store.Blobs = (*File)(nil)

// OpenFile returns the object storage in a directory. It creates the directory if the directory is missing. The first
// Put syncs the entry of the directory to the disk. Unavailable: the directory cannot be created.
func OpenFile(dir string) (*File, error) {
	root, err := filepath.Abs(filepath.FromSlash(dir))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	if err := makeRoot(root); err != nil {
		return nil, failed("open", root, err)
	}
	return &File{root: root}, nil
}

func (f *File) path(key string) string { return filepath.Join(f.root, filepath.FromSlash(key)) }

// Put implements store.Blobs. The object appears as a whole or not at all.
func (f *File) Put(ctx context.Context, key string, data []byte) error {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	path := f.path(key)
	done, err := same(path, key, data)
	if err != nil {
		return err
	}
	if done { // the first writer may have crashed before it synced the name
		if err := f.keep(path); !errors.Is(err, fs.ErrNotExist) {
			return putFailed(key, err)
		} // another process has deleted the object
	}
	name, err := f.writeIn(ctx, filepath.Dir(path), data)
	if err != nil {
		return putFailed(key, err)
	}
	if err := publish(name, path, key, data); err != nil {
		return err
	}
	return putFailed(key, syncDir(filepath.Dir(path)))
}

func putFailed(key string, err error) error {
	if err == nil {
		return nil
	}
	return failed("put", key, err)
}

// keep syncs the directory entries of an object and of its directories to the disk.
func (f *File) keep(path string) error {
	dir := filepath.Dir(path)
	if err := f.keepDirs(dir); err != nil {
		return err
	}
	return syncDir(dir)
}

// publish gives a temporary file the object's name, and removes the temporary name. If another writer has already
// published the object, publish keeps the other writer's file. On a file system without links, publish replaces
// that file. Conflict: the other writer's file has other data.
func publish(name, path, key string, data []byte) error {
	defer os.Remove(name)
	// Unlike a rename, a link never replaces the file of another writer.
	err := os.Link(name, path)
	if errors.Is(err, fs.ErrExist) {
		_, err := same(path, key, data)
		return err
	}
	if err != nil && !isFull(err) { // the file system has no links
		err = os.Rename(name, path)
	}
	if err != nil {
		return failed("put", key, err)
	}
	return nil
}

// same reports whether the file exists with the same data. Conflict: the file has other data.
func same(path, key string, data []byte) (bool, error) {
	have, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, failed("put", key, err)
	case !bytes.Equal(have, data):
		return false, store.Errorf(store.Conflict, "object %s exists with other content", key)
	}
	return true, nil
}

// maxTries is the max number of times that one Put tries to create its file. After a failed try, Put makes the
// directory again, because another process may have removed it.
const maxTries = 1000

// writeIn writes a temporary file in a directory, and syncs the file and the directory's own entry to the disk. It
// makes the directory if it is missing. Other processes do not remove the directory until the file is removed or is
// older than abandonedAfter.
func (f *File) writeIn(ctx context.Context, dir string, data []byte) (string, error) {
	name := filepath.Join(dir, temporary+rand.Text())
	for try := 1; ; try++ {
		t, err := create(name)
		switch {
		case err == nil:
			// The file and the directories are synced at the same time, because the disk then writes them together.
			kept := make(chan error, 1)
			go func() { kept <- f.keepDirs(dir) }()
			err := write(t, data)
			if lost := <-kept; err == nil && lost != nil {
				os.Remove(name)
				err = lost
			}
			return name, err
		case !errors.Is(err, fs.ErrNotExist) || try == maxTries:
			return "", err
		}
		if err := errors.Join(ctx.Err(), f.makeDir(dir)); err != nil {
			return "", err
		}
	}
}

// create creates a file that everybody may read. os.CreateTemp creates files that only the owner may read. But the
// files must be readable for everybody who may read the database.
func create(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
}

// write writes data to a new file, syncs the file to the disk, and closes the file. After an error it removes the
// file.
func write(t *os.File, data []byte) error {
	_, err := t.Write(data)
	if err == nil {
		err = t.Sync()
	}
	if err = errors.Join(err, t.Close()); err != nil {
		os.Remove(t.Name())
	}
	return err
}

// makeRoot makes the root directory and the missing directories above the root. It syncs the entries of the
// directories above the root to the disk.
func makeRoot(root string) error {
	if info, err := os.Stat(root); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(root)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
		if err := errors.Join(makeRoot(parent), syncDir(filepath.Dir(parent))); err != nil {
			return err
		}
	}
	return os.MkdirAll(root, 0o755)
}

// makeDir makes a directory for objects, and the missing directories between the root and that directory. It may make
// the root again. Only OpenFile makes directories above the root.
func (f *File) makeDir(dir string) error {
	if _, known := f.made.LoadAndDelete(dir); known { // the directory was removed, perhaps with its parents
		f.made.Clear()
	}
	if dir != f.root {
		if _, err := os.Lstat(filepath.Dir(dir)); errors.Is(err, fs.ErrNotExist) {
			if err := f.makeDir(filepath.Dir(dir)); err != nil {
				return err
			}
		}
	}
	err := os.Mkdir(dir, 0o755)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist) && dir != f.root: // another process has removed the parent
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is gone, with the directory that it was in", dir)
	}
	return err
}

// keepDirs syncs the entries of a directory and of its parents to the disk, up to the root. It also does this for
// existing directories, because the process that made them may have crashed before it synced them. The caller must
// have a file in the directory. Otherwise another process may remove the directory.
func (f *File) keepDirs(dir string) error {
	for ; len(dir) >= len(f.root); dir = filepath.Dir(dir) {
		if _, ok := f.made.Load(dir); ok {
			continue
		}
		err := syncDir(filepath.Dir(dir))
		if err != nil && (dir != f.root || !errors.Is(err, fs.ErrPermission)) {
			return err
		}
		f.made.Store(dir, true)
	}
	return nil
}

// Get implements store.Blobs.
func (f *File) Get(ctx context.Context, key string) ([]byte, error) {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, store.Errorf(store.NotFound, "no object %s", key)
	}
	if err != nil {
		return nil, failed("get", key, err)
	}
	return data, nil
}

// Delete implements store.Blobs. It also removes directories that become empty. Temporary files that a crashed writer
// left in such a directory are removed with it.
func (f *File) Delete(ctx context.Context, key string) error {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	path := f.path(key)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed("delete", key, err)
	}
	for dir := filepath.Dir(path); len(dir) > len(f.root); dir = filepath.Dir(dir) {
		f.made.Delete(dir)
		if os.Remove(dir) != nil && (!sweep(dir) || os.Remove(dir) != nil) {
			break
		}
	}
	return nil
}
