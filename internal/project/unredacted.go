package project

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Unredacted returns the attempts whose logs were kept as they were printed,
// with the secrets in them.
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

// NoteUnredacted notes that the log of an attempt is kept as it is printed. Many
// processes may do so at once: each adds its line.
func (w *Project) NoteUnredacted(attempt string) error {
	f, err := os.OpenFile(w.unredactedPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("\n" + attempt + "\n")) // whatever a crash has left before it
	return errors.Join(err, f.Close())
}

func (w *Project) unredactedPath() string { return filepath.Join(w.Dir, "unredacted") }
