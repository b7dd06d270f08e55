package project

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Unredacted returns the attempt IDs of runs with logs that may contain secrets.
func (w *Project) Unredacted() (map[string]bool, error) {
	text, err := os.ReadFile(w.unredactedPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	attempts := map[string]bool{}
	for _, line := range bytes.Fields(text) {
		attempts[string(line)] = true
	}
	return attempts, nil
}

// NoteUnredacted records that the log of an attempt may contain secrets. Several processes may append lines at the
// same time.
func (w *Project) NoteUnredacted(attempt string) error {
	f, err := os.OpenFile(w.unredactedPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("\n" + attempt + "\n")) // begins with a newline, because a crash may have left half a line
	return errors.Join(err, f.Close())
}

func (w *Project) unredactedPath() string { return filepath.Join(w.Dir, "unredacted") }
