package project

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/blq-ci/blq/store"
)

// fullFor makes a folder look like a full disk for the note about an attempt.
func fullFor(t *testing.T, w *Project, attempt string) {
	t.Helper()
	if err := os.Symlink("/dev/full", filepath.Join(w.Dir, missedDir, attempt+".part")); err != nil {
		t.Fatal(err)
	}
}

func TestNotesFitOnAFullDisk(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	w.Reserve()
	code := 3
	for _, attempt := range []string{"a", "b"} {
		fullFor(t, w, attempt)
		run := store.Run{Attempt: attempt, Source: "test", Command: "make"}
		n := NoteMissed(w.Dir, run, errors.New("the disk is full"))
		info, err := os.Stat(n.path)
		if err != nil || info.Size() != reservedSize {
			t.Errorf("the note %s has no reserved space: %v", n.path, err)
		}
		n.End(store.Ending{ExitCode: &code})
	}
	var ended []string
	err := w.EachMissed(t.Context(), func(m Missed, going bool) (bool, error) {
		if !going && m.Run.State == store.StateCompleted && *m.Run.ExitCode == code {
			ended = append(ended, m.Run.Attempt)
		}
		return true, nil
	})
	if err != nil || len(ended) != 2 {
		t.Errorf("noted ends: %v, %v", ended, err)
	}
	w.Reserve()
	left, err := os.ReadDir(filepath.Join(w.Dir, missedDir))
	if err != nil || len(left) != reserved+1 { // and a lock
		t.Errorf("after the notes are read: %v, %v", left, err)
	}
}

func TestNotesOfAReadOnlyFolderAreElsewhere(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	w := newProject(t)
	if err := os.WriteFile(filepath.Join(w.Dir, missedDir), nil, 0o644); err != nil { // nothing can be created below it
		t.Fatal(err)
	}
	NoteMissed(w.Dir, store.Run{Attempt: "a", Source: "test"}, errors.New("read-only")).Leave()
	n := 0
	err := w.EachMissed(t.Context(), func(m Missed, going bool) (bool, error) { n++; return false, nil })
	if err != nil || n != 1 {
		t.Errorf("%d notes, %v", n, err)
	}
	if NoteMissed(filepath.Join(t.TempDir(), "none"), store.Run{Attempt: "b"}, errors.New("x")) != nil {
		t.Error("a folder that does not exist has a note")
	}
}
