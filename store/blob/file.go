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
		return nil, writeError("open", root, err)
	}
	f.open = true
	return f, nil
}

func (f *File) path(key string) string { return filepath.Join(f.root, filepath.FromSlash(key)) }

// Put implements store.Blobs. The object appears whole or not at all.
func (f *File) Put(ctx context.Context, key string, data []byte) error {
	if err := errors.Join(checkKey(key), ctx.Err()); err != nil {
		return err
	}
	path := f.path(key)
	dir := filepath.Dir(path)
	if err := f.makeDir(dir); err != nil {
		return writeError("put", key, err)
	}
	if done, err := same(path, key, data); done || err != nil {
		return errors.Join(err, syncDir(dir)) // who wrote it may have died before this
	}
	name, err := writeTemporary(dir, data)
	if errors.Is(err, fs.ErrNotExist) { // removed behind our back
		f.made.Clear()
		if err = f.makeDir(dir); err == nil {
			name, err = writeTemporary(dir, data)
		}
	}
	if err != nil {
		return writeError("put", key, err)
	}
	defer os.Remove(name)
	// A link, unlike a rename, never replaces what another writer put there.
	if err := os.Link(name, path); errors.Is(err, fs.ErrExist) {
		if _, err := same(path, key, data); err != nil {
			return err
		}
	} else if err != nil {
		if err := os.Rename(name, path); err != nil {
			return writeError("put", key, err)
		}
	}
	if err := syncDir(dir); err != nil {
		return writeError("put", key, err)
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
		return false, writeError("put", key, err)
	case !bytes.Equal(have, data):
		return false, store.Errorf(store.Conflict, "object %s exists with other content", key)
	}
	return true, nil
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
// is made once: who removes it later means it.
func (f *File) makeDir(dir string) error {
	if _, ok := f.made.Load(dir); ok {
		return nil
	}
	if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrNotExist) && !(f.open && dir == f.root) {
		f.made.Delete(filepath.Dir(dir)) // it is gone, whatever was known of it
		if err := f.makeDir(filepath.Dir(dir)); err != nil {
			return err
		}
		return f.makeDir(dir)
	} else if errors.Is(err, fs.ErrExist) {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("%s is not a directory", dir)
		}
	} else if err != nil {
		return err
	} else if err := syncDir(filepath.Dir(dir)); err != nil {
		return err
	}
	f.made.Store(dir, true)
	return nil
}

// Get implements store.Blobs.
func (f *File) Get(ctx context.Context, key string) ([]byte, error) {
	if err := errors.Join(checkKey(key), ctx.Err()); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, store.Errorf(store.NotFound, "no object %s", key)
	}
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	return data, nil
}

// Delete implements store.Blobs. Directories that become empty go too.
func (f *File) Delete(ctx context.Context, key string) error {
	if err := errors.Join(checkKey(key), ctx.Err()); err != nil {
		return err
	}
	path := f.path(key)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return writeError("delete", key, err)
	}
	for dir := filepath.Dir(path); len(dir) > len(f.root); dir = filepath.Dir(dir) {
		f.made.Delete(dir)
		if os.Remove(dir) != nil {
			break
		}
	}
	return nil
}

// List implements store.Blobs.
func (f *File) List(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	start := f.root
	if i := strings.LastIndexByte(prefix, '/'); i > 0 && checkKey(prefix[:i]) == nil {
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
		if d.Type().IsRegular() && strings.HasPrefix(key, prefix) && checkKey(key) == nil {
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

func writeError(verb, what string, err error) error {
	return store.Hint(store.Errorf(store.Unavailable, "%s %s: %w", verb, what, err), "blq clean prune --days 30 --yes   # makes space, if that is what lacks")
}
