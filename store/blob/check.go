package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/store"
)

// check checks that the directory exists and can be read. Unavailable: it cannot be read. The error has a hint.
func (f *File) check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d, err := os.Open(f.root)
	if err != nil {
		return failed("read", f.root, err)
	}
	defer d.Close()
	if _, err := d.ReadDir(1); err != nil && !errors.Is(err, io.EOF) {
		return failed("read", f.root, err)
	}
	return nil
}

// CheckWrite checks that objects can be written durably. It writes an object under a name that is not a key.
// Unavailable: the object cannot be written. The error has a hint.
func (f *File) CheckWrite(ctx context.Context) error {
	if err := f.check(ctx); err != nil {
		return err
	}
	text := []byte(rand.Text())
	t, err := create(filepath.Join(f.root, temporary+rand.Text()))
	if err != nil {
		return failed("write in", f.root, err)
	}
	name := t.Name()
	if err := write(t, text); err != nil {
		return failed("write in", f.root, err)
	}
	got, err := os.ReadFile(name)
	if err == nil && !bytes.Equal(got, text) {
		err = fmt.Errorf("%s holds something else than was written", name)
	}
	if err != nil {
		os.Remove(name)
		return failed("read", f.root, err)
	}
	if err := os.Remove(name); err != nil {
		return failed("delete in", f.root, err)
	}
	return nil
}

// Close does nothing, because files hold no resources.
func (f *File) Close() error { return nil }

// failed returns an Unavailable error for an error of the disk, with a hint.
func failed(verb, what string, err error) error {
	err = store.Errorf(store.Unavailable, "%s %s: %w", verb, what, err)
	switch {
	case isFull(err):
		return store.Next(
			err, store.NewCall("clean", "makes space; on a server: blqd prune", "mode", "prune", "days", 30, "confirm", true))
	case errors.Is(err, fs.ErrPermission):
		return store.Hint(err, "check owner, permissions and mount of the directory")
	}
	return store.Hint(err, "check the disk, then try again")
}
