package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
			return fmt.Errorf("write document: %w", err)
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.OpenFile(filepath.Join(filepath.Dir(name), ".blq-"+rand.Text()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("write document: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if there {
		err = f.Chmod(at.Mode().Perm())
	}
	if err != nil {
		return fmt.Errorf("write document: %w", err)
	}
	out := bufio.NewWriter(f)
	if err := write(out); err != nil {
		return err
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		return fmt.Errorf("write document: %w", err)
	}
	return os.Rename(f.Name(), name)
}
