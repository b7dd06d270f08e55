package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// toFile writes a file in one step. If the write fails, the file keeps its old content. An existing file keeps its
// permissions. A device or a pipe is written directly.
func toFile(name string, write func(io.Writer) error) error {
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	at, err := os.Stat(name)
	there := err == nil
	if there && !at.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return unwritten(name, err)
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.OpenFile(filepath.Join(filepath.Dir(name), ".blq-"+rand.Text()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return unwritten(name, err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if there {
		err = f.Chmod(at.Mode().Perm())
	}
	if err != nil {
		return unwritten(name, err)
	}
	out := bufio.NewWriter(f)
	if err := write(out); err != nil {
		return err
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		return unwritten(name, err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return unwritten(name, err)
	}
	return nil
}

// unwritten returns the error for a file that cannot be written. It names this file, and not the temporary file beside
// it.
func unwritten(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	missing := errors.Is(err, fs.ErrNotExist)
	err = fmt.Errorf("write %s: %w", name, err)
	if missing {
		return store.Next(err, store.Shell{Line: shellword.Join([]string{"mkdir", "-p", filepath.Dir(name)})})
	}
	return err
}
