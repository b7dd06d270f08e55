package project

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Unredacted returns the IDs of the attempts whose logs were stored with secrets in them.
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

// NoteUnredacted notes that the log of an attempt is stored with secrets in it. Several processes
// may append their lines at once.
func (w *Project) NoteUnredacted(attempt string) error {
	f, err := os.OpenFile(w.unredactedPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("\n" + attempt + "\n")) // begins with a newline, in case a crash left half a line
	return errors.Join(err, f.Close())
}

func (w *Project) unredactedPath() string { return filepath.Join(w.Dir, "unredacted") }
