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
	"slices"
	"strings"
	"sync"

	"github.com/blq-ci/blq/store"
)

// temporary begins the names of files that are being written. Keys cannot.
const temporary = ".tmp-"

// File keeps objects as files below a directory. Several processes may use
// the same one.
type File struct {
	root string
	open bool
	made sync.Map // directories that are known to exist durably
}

var _ store.Blobs = (*File)(nil)

// OpenFile returns the objects below a directory, which is created when it is
// missing. Unavailable: it cannot be created or written.
func OpenFile(dir string) (*File, error) {
	root, err := filepath.Abs(filepath.FromSlash(dir))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	f := &File{root: root}
	if err := f.makeDir(root); err != nil {
		return nil, failed("open", root, err)
	}
	f.open = true
	return f, nil
}

func (f *File) path(key string) string { return filepath.Join(f.root, filepath.FromSlash(key)) }

// Put implements store.Blobs. The object appears whole or not at all.
func (f *File) Put(ctx context.Context, key string, data []byte) error {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	path := f.path(key)
	dir := filepath.Dir(path)
	if err := f.makeDir(dir); err != nil {
		return failed("put", key, err)
	}
	done, err := same(path, key, data)
	if err != nil {
		return err
	}
	if !done {
		name, err := f.writeIn(dir, data)
		if err != nil {
			return failed("put", key, err)
		}
		if err := publish(name, path, key, data); err != nil {
			return err
		}
	} // else: who wrote it may have died before this
	if err := syncDir(dir); err != nil {
		return failed("put", key, err)
	}
	return nil
}

// publish gives a temporary file its name, unless another writer was first.
// The temporary name is gone then. Conflict: the other one wrote other data.
func publish(name, path, key string, data []byte) error {
	defer os.Remove(name)
	// A link, unlike a rename, never replaces what another writer put there.
	err := os.Link(name, path)
	if errors.Is(err, fs.ErrExist) {
		_, err := same(path, key, data)
		return err
	}
	if err != nil && !isFull(err) { // there are no links on this disk
		err = os.Rename(name, path)
	}
	if err != nil {
		return failed("put", key, err)
	}
	return nil
}

// same says whether the file holds the data already. Conflict: other data.
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

// writeIn writes a temporary file. Who deletes the last object of a directory
// deletes the directory, maybe again and again: it is made as often.
func (f *File) writeIn(dir string, data []byte) (string, error) {
	for try := 0; ; try++ {
		name, err := writeTemporary(dir, data)
		if !errors.Is(err, fs.ErrNotExist) || try == 10 {
			return name, err
		}
		f.made.Clear()
		if err := f.makeDir(dir); err != nil {
			return "", err
		}
	}
}

// writeTemporary writes data durably to a new file and returns its name.
func writeTemporary(dir string, data []byte) (string, error) {
	// Not os.CreateTemp: who may read the database may read the logs, too.
	t, err := os.OpenFile(filepath.Join(dir, temporary+rand.Text()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", err
	}
	_, err = t.Write(data)
	if err == nil {
		err = t.Sync()
	}
	if err = errors.Join(err, t.Close()); err != nil {
		os.Remove(t.Name())
		return "", err
	}
	return t.Name(), nil
}

// makeDir creates a directory so that it outlives a crash. What the root is in
// is made once: who removes it later means it. Directories that exist already
// are made durable too: the process that made them may not have come to this.
func (f *File) makeDir(dir string) error { return f.makeDirIn(dir, mostTries) }

// mostTries is how often a directory is made that is not there after all:
// others may remove it meanwhile, but where links lead nowhere it never is.
const mostTries = 20

func (f *File) makeDirIn(dir string, tries int) error {
	if tries == 0 {
		return fmt.Errorf("%s cannot be made: %w", dir, fs.ErrNotExist)
	}
	if _, ok := f.made.Load(dir); ok {
		return nil
	}
	parent := filepath.Dir(dir)
	if len(dir) > len(f.root) {
		if err := f.makeDirIn(parent, tries); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrNotExist) && !(f.open && dir == f.root) {
		f.made.Delete(parent) // it is gone, whatever was known of it
		if err := f.makeDirIn(parent, tries-1); err != nil {
			return err
		}
		return f.makeDirIn(dir, tries-1)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return f.makeDirIn(dir, tries-1) // deleted meanwhile
	} else if err != nil || !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	err = syncDir(parent)
	if err != nil && (dir != f.root || !errors.Is(err, fs.ErrPermission)) {
		return err
	}
	f.made.Store(dir, true)
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

// Delete implements store.Blobs. Directories that become empty go too, with
// what writers that died left in them.
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

// List implements store.Blobs.
func (f *File) List(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	start := f.root
	if i := strings.LastIndexByte(prefix, '/'); i > 0 && CheckKey(prefix[:i]) == nil {
		start = f.path(prefix[:i])
	}
	err := filepath.WalkDir(start, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // deleted meanwhile
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		rel, err := filepath.Rel(f.root, path)
		if err != nil {
			return err
		}
		key := filepath.ToSlash(rel)
		if d.Type().IsRegular() && strings.HasPrefix(key, prefix) && CheckKey(key) == nil {
			keys = append(keys, key)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", prefix, err)
	}
	slices.Sort(keys)
	return keys, nil
}
