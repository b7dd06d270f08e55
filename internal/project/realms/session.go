package realms

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Work provides the sessions, work trees and pull requests of a project's realm. The session of a project is in the
// file .blue/session.
type Work struct {
	Project
	// Forge finds pull requests; it may be nil.
	Forge Forge
}

var _ query.RealmWork = Work{}

// These are the directory of session files in a project, the session file, and the file that hides it from git.
const (
	blueDir     = ".blue"
	sessionFile = blueDir + "/session"
	ignoreFile  = blueDir + "/.gitignore"
)

// maxSession is the max number of bytes of a session file.
const maxSession = 4 << 20

// in opens the caller's project. Nothing outside of the project is read or written, even through links.
func (w Work) in(at query.RealmAt) (*os.Root, error) {
	root, err := w.rootOf(at)
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(root)
}

// rootOf returns the top of the caller's project.
func (w Work) rootOf(at query.RealmAt) (string, error) {
	if at.Cwd == "" {
		return w.Root, nil
	}
	return w.other(at.Cwd)
}

// Session implements query.RealmWork.
func (w Work) Session(_ context.Context, at query.RealmAt) (store.Session, error) {
	dir, err := w.in(at)
	if err != nil {
		return store.Session{}, err
	}
	defer dir.Close()
	return read(dir)
}

// read reads the session of a project. The error is NotFound if there is none, or if its file is not valid.
func read(dir *os.Root) (store.Session, error) {
	if info, err := dir.Stat(sessionFile); err != nil || !info.Mode().IsRegular() {
		return store.Session{}, store.NoSession()
	}
	f, err := dir.Open(sessionFile)
	if err != nil {
		return store.Session{}, store.NoSession()
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSession))
	var s store.Session
	if err != nil || s.ReadBody(string(text)) != nil || s.ID == "" || s.StartedAt.IsZero() {
		return store.Session{}, store.NoSession()
	}
	return s, nil
}

// OpenSession implements query.RealmWork.
func (w Work) OpenSession(_ context.Context, at query.RealmAt, s store.Session) (store.Session, bool, error) {
	dir, err := w.in(at)
	if err != nil {
		return s, false, err
	}
	defer dir.Close()
	if err := ignore(dir); err != nil {
		return s, false, unwritable(err)
	}
	for range 3 { // three tries, because another process may start a session after an old session was removed
		err = write(dir, s, dir.Link)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		if open, err := read(dir); err == nil && !open.IsIdle(s.StartedAt) {
			return open, false, nil
		}
		if err := dir.Remove(sessionFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, false, unwritable(err)
		}
	}
	return s, err == nil, unwritable(err)
}

// unwritable returns the error for a session file that cannot be written.
func unwritable(err error) error {
	if err == nil {
		return nil
	}
	return store.Hint(store.Errorf(store.Unavailable, "%s cannot be written: %w", sessionFile, err),
		"it has to be a file in the project, in a directory that you may write to")
}

// write writes a session to a temporary file, and calls put to rename or link this file to the session file.
func write(dir *os.Root, s store.Session, put func(from, to string) error) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	temp := sessionFile + "." + strconv.Itoa(os.Getpid()) + s.ID
	defer func() { _ = dir.Remove(temp) }() // after a rename the file is gone
	if err := dir.WriteFile(temp, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return put(temp, sessionFile)
}

// ignore writes an ignore file that keeps the session file and itself out of commits. It keeps an existing ignore file.
func ignore(dir *os.Root) error {
	if err := dir.MkdirAll(blueDir, 0o755); err != nil {
		return err
	}
	f, err := dir.OpenFile(ignoreFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil // the project has its own ignore file
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("# written by blq\n/session*\n/.gitignore\n")
	return errors.Join(err, f.Close())
}

// TouchSession implements query.RealmWork. If the file cannot be written, the session keeps its old time.
func (w Work) TouchSession(_ context.Context, at query.RealmAt, s store.Session, now time.Time) error {
	dir, err := w.in(at)
	if err != nil {
		return err
	}
	defer dir.Close()
	s.ActiveAt = now.UTC()
	if is, err := read(dir); err == nil && is.ID == s.ID {
		_ = write(dir, s, dir.Rename) // if this fails, questions are still answered
	}
	return nil
}

// EndSession implements query.RealmWork.
func (w Work) EndSession(_ context.Context, at query.RealmAt, s store.Session) error {
	dir, err := w.in(at)
	if err != nil {
		return err
	}
	defer dir.Close()
	if is, err := read(dir); err != nil || is.ID != s.ID {
		return store.NoSession()
	}
	if err := dir.Remove(sessionFile); err != nil {
		return unwritable(err)
	}
	return nil
}

// ByID implements query.RealmWork.
func (w Work) ByID() bool { return false }

// HasRuns implements query.RealmWork.
func (w Work) HasRuns(at query.RealmAt) bool {
	root, err := w.rootOf(at)
	return err == nil && same(root, w.Root)
}

// Head implements query.RealmWork.
func (w Work) Head(ctx context.Context, at query.RealmAt, name string) (string, error) {
	root, err := w.rootOf(at)
	if err != nil {
		return "", err
	}
	if name == "" {
		name = "HEAD"
	}
	if name[0] == '-' {
		return "", nil
	}
	return commitAt(ctx, root, name), nil
}

// Commits implements query.RealmWork.
func (w Work) Commits(ctx context.Context, at query.RealmAt, from, to string) (int, error) {
	root, err := w.rootOf(at)
	if err != nil || commitAt(ctx, root, from) == "" {
		return 0, err // the history was rewritten, and the old commit is gone
	}
	return countIn(ctx, root, from, to, "--first-parent")
}
