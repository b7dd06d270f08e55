package project

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/blq-ci/blq/store"
)

// Missed is a run that could not be recorded, for example because the disk was full. A note holds the run until the
// store can be written again, so that blq knows that a stored older run of the step is not the newest run. The note is
// next to the store, or in the user's cache directory if the folder of the store is read-only.
type Missed struct {
	Run store.Run // in StateCompleted if it has ended
	Why string    // why the run could not be recorded
	// Kept is true if files next to the note have the whole log of the run, without secrets.
	Kept bool `json:",omitempty"`

	Path string `json:"-"` // path of the note
}

const (
	missedDir = "missed"
	noteEnd   = ".json"
	lockEnd   = ".lock"
	// On a full disk, a note is written into a reserved file.
	reserved     = 8
	reservedSize = 8 << 10
	maxNoted     = 2 << 10 // bytes of a command line in a note
)

// MissedNote is a note about a run that goes on or has ended.
type MissedNote struct {
	path   string
	missed Missed
	lock   *flock.Flock // nil if the lock cannot be taken
	log    missedLog
}

// NoteMissed writes a note about a run that begins and cannot be recorded in the folder dir. If the note cannot be
// written in the folder, it is written in the user's cache directory. NoteMissed returns nil if there is no such
// folder, or if the note cannot be written at all.
func NoteMissed(dir string, run store.Run, why error) *MissedNote {
	if !isDir(dir) {
		return nil
	}
	if len(run.Command) > maxNoted {
		run.Command = strings.ToValidUTF8(run.Command[:maxNoted], "") + "…"
	}
	n := &MissedNote{missed: Missed{Run: run, Why: clipped(why.Error())}}
	text, err := json.Marshal(n.missed)
	if err != nil {
		return nil
	}
	for _, place := range missedPlaces(dir) {
		n.path = filepath.Join(place, run.Attempt+noteEnd)
		if n.write(text) == nil {
			return n
		}
	}
	return nil
}

func clipped(why string) string {
	if len(why) > maxNoted/2 {
		return strings.ToValidUTF8(why[:maxNoted/2], "") + "…"
	}
	return why
}

// missedPlaces returns the directories that may hold notes about a folder.
func missedPlaces(dir string) []string {
	places := []string{filepath.Join(dir, missedDir)}
	if cache, err := os.UserCacheDir(); err == nil {
		sum := sha256.Sum256([]byte(dir))
		places = append(places, filepath.Join(cache, "blq", missedDir, hex.EncodeToString(sum[:8])))
	}
	return places
}

// write creates the note, in a new file or in a reserved one. When the note is complete, write tries to take its lock,
// and then gives the note its name.
func (n *MissedNote) write(text []byte) error {
	place := filepath.Dir(n.path)
	if err := os.MkdirAll(place, 0o755); err != nil {
		return err
	}
	part := strings.TrimSuffix(n.path, noteEnd) + ".part"
	if err := overwrite(part, text); err != nil {
		os.Remove(part)
		if err = takeReserve(place, part); err != nil {
			return err
		}
		if err = overwrite(part, text); err != nil {
			os.Remove(part)
			return err
		}
	}
	lock := flock.New(strings.TrimSuffix(n.path, noteEnd)+lockEnd, flock.SetPermissions(0o644))
	if ok, err := lock.TryLock(); ok && err == nil {
		n.lock = lock
	}
	return os.Rename(part, n.path)
}

// takeReserve renames a reserved file. The parameter part is the new path.
func takeReserve(place, part string) error {
	var err error
	for i := range reserved {
		if err = os.Rename(reserveName(place, i), part); err == nil {
			return nil
		}
	}
	return err
}

func reserveName(place string, i int) string { return filepath.Join(place, fmt.Sprint("reserve-", i)) }

// overwrite writes a text to a file, and fills the rest of the file with blanks. The file keeps its disk blocks, so a
// text that fits into the file can be written to a full disk.
func overwrite(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil && info.Size() > int64(len(text)) {
		text = append(bytes.Clone(text), bytes.Repeat([]byte(" "), int(info.Size())-len(text))...)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// End adds the end of the run to the note. The log is not kept.
func (n *MissedNote) End(e store.Ending) {
	if n != nil {
		n.end(e, false)
	}
}

// EndKept adds the end of the run to the note. It returns the files with the log. There are none if the log is empty or
// not kept, or if the note cannot be written.
func (n *MissedNote) EndKept(e store.Ending) (files []string) {
	if !n.end(e, n.log.close()) {
		return nil
	}
	return logsOf(strings.TrimSuffix(n.path, noteEnd))
}

func (n *MissedNote) end(e store.Ending, kept bool) bool {
	n.missed.Run.State, n.missed.Run.Ending = store.StateCompleted, e
	n.missed.Kept = kept
	text, err := json.Marshal(n.missed)
	if err == nil {
		err = overwrite(n.path, text) // if this fails, the run counts as orphaned
	}
	n.Leave()
	return kept && err == nil
}

// Leave releases the note of a run whose end is not known.
func (n *MissedNote) Leave() {
	if n != nil && n.lock != nil {
		os.Remove(n.lock.Path()) // removed while the lock is held, as in Live.Release
		n.lock.Unlock()
	}
}

// Reserve reserves space for notes, so that they can be written on a full disk. It does nothing if the first reserved
// file exists. So an incomplete reserve stays incomplete until a note uses that file.
func (w *Project) Reserve() {
	place := missedPlaces(w.Dir)[0]
	if _, err := os.Stat(reserveName(place, 0)); err == nil { // notes use this file first
		return
	}
	if os.MkdirAll(place, 0o755) != nil {
		return
	}
	for i := range reserved {
		f, err := os.CreateTemp(place, "reserving-*")
		if err != nil {
			return
		}
		_, err = f.Write(bytes.Repeat([]byte(" "), reservedSize))
		if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
			err = os.Rename(f.Name(), reserveName(place, i))
		}
		if err != nil {
			os.Remove(f.Name())
			return
		}
	}
}

// EachMissed calls the function record for each run with a note, oldest first in each directory of notes. The parameter
// going is true if the run has not ended yet. record returns stored as true if the store has the run. If the run has
// ended, the note is then removed. EachMissed stops after an error. Only one process at a time records the runs of a
// directory, unless the directory is read-only. Errors: unavailable if another process takes long.
func (w *Project) EachMissed(ctx context.Context, record func(m Missed, going bool) (stored bool, err error)) error {
	for _, place := range missedPlaces(w.Dir) {
		if len(notesIn(place)) == 0 {
			continue
		}
		if err := eachMissed(ctx, place, record); err != nil {
			return err
		}
	}
	return nil
}

const (
	lockRetry = 20 * time.Millisecond // time between two attempts to take the lock of a place
	lockWait  = 5 * time.Second       // max time for all attempts
)

func eachMissed(ctx context.Context, place string, record func(m Missed, going bool) (stored bool, err error)) error {
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(filepath.Join(place, "recording"), flock.SetPermissions(0o644))
	_, err := lock.TryLockContext(waiting, lockRetry)
	if waiting.Err() != nil {
		return store.Errorf(store.Unavailable, "another process still records the runs that are noted in %s", place)
	}
	if err == nil { // otherwise the place is read-only
		defer lock.Unlock()
	}
	removeLogs(place)
	for _, attempt := range notesIn(place) {
		if err := recordNote(filepath.Join(place, attempt), record); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// notesIn returns the attempts with notes in a place, oldest first.
func notesIn(place string) []string {
	files, _ := os.ReadDir(place) // in the order of the names, which are UUIDs that begin with the time
	var attempts []string
	for _, f := range files {
		if attempt, ok := strings.CutSuffix(f.Name(), noteEnd); ok {
			attempts = append(attempts, attempt)
		}
	}
	return attempts
}

// HasMissed reports whether the folder dir has notes about runs.
func HasMissed(dir string) bool {
	return slices.ContainsFunc(missedPlaces(dir), func(place string) bool { return len(notesIn(place)) > 0 })
}

// recordNote calls record with the note at path, which has no extension.
func recordNote(path string, record func(m Missed, going bool) (stored bool, err error)) error {
	going := false // looked at before the note is read, because the end of the run may be added at any time
	if _, err := os.Stat(path + lockEnd); err == nil {
		held, err := locked(path + lockEnd)
		going = held || err != nil
	}
	m, err := readMissed(path + noteEnd)
	if err != nil {
		return nil // another process has removed the note, or it is not ours
	}
	if stored, err := record(m, going); !stored || going {
		return err
	}
	removeLog(path)
	os.Remove(path + lockEnd)
	os.Remove(path + noteEnd) // if this fails, the run is recorded once more, which changes nothing
	return nil
}

func readMissed(path string) (Missed, error) {
	var m Missed
	text, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, err
	}
	if m.Run.Attempt+noteEnd != filepath.Base(path) {
		return m, errors.New("the note has another name")
	}
	m.Path = path
	return m, nil
}
