package query

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/blq-ci/blq/store"
)

// source reads the source lines around the place of an event. It reads the file at the run's commit. If the run had
// uncommitted changes, or the commit does not have the file, it reads the file in the work tree. Then the answer says
// whether the file has changed since the run. source returns nil if there is no such file.
func (a *Asker) source(ctx context.Context, r store.Run, e store.Event, digest string, n int) *SourceContext {
	root := a.root(r)
	if root == "" || e.File == "" || e.Line == 0 || !filepath.IsLocal(filepath.FromSlash(e.File)) {
		return nil
	}
	if commit := commitOf(r); commit != "" && a.Git != nil {
		if text, err := a.Git.Show(ctx, root, commit, e.File); err == nil {
			return a.sourceLines(bytes.NewReader(text), e, n)
		}
	}
	f, err := os.OpenInRoot(root, filepath.FromSlash(e.File))
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	c := a.sourceLines(f, e, n)
	if c != nil {
		c.Changed = err == nil && changedSince(r, digest, filepath.Join(root, filepath.FromSlash(e.File)), info)
	}
	return c
}

// commitOf returns the commit that has exactly the files of a run. It returns "" if the run had uncommitted changes.
func commitOf(r store.Run) string {
	if r.Git.Dirty {
		return ""
	}
	return r.Git.Commit
}

// changedSince reports whether a file has changed since the end of a run. digest is the digest of the file at the end
// of the run. If the digest is unknown, changedSince returns true for a file that was written after the run.
func changedSince(r store.Run, digest, path string, info os.FileInfo) bool {
	if digest == "" {
		return !r.FinishedAt.IsZero() && info.ModTime().After(r.FinishedAt)
	}
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	now, err := store.FileDigest(f)
	return err != nil || now != digest
}

// digest returns the digest of an event's file at the end of the event's run, or "" if the digest is unknown.
func (a *Asker) digest(ctx context.Context, r store.Run, e store.Event) (string, error) {
	digests, err := a.Store.FileDigests(ctx, a.Scope, r.Attempt)
	return digests[e.File], err
}

// blame returns the last change of the event's line before the run. It returns nil if the line was not committed, if
// git does not know the line, or if the run's commit is unknown and the file has changed since the run.
func (a *Asker) blame(ctx context.Context, r store.Run, e store.Event, digest string) *Blame {
	root, commit := a.root(r), commitOf(r)
	b, err := a.Git.Blame(ctx, root, commit, e.File, e.Line)
	if err != nil && commit != "" { // the commit is not in this repository
		commit = ""
		b, err = a.Git.Blame(ctx, root, commit, e.File, e.Line)
	}
	file := filepath.Join(root, filepath.FromSlash(e.File))
	info, statErr := os.Stat(file)
	if err != nil || commit == "" && (statErr != nil || changedSince(r, digest, file, info)) {
		return nil
	}
	b.Author = Clean(b.Author)
	return &b
}

// sourceLines returns the lines around the place of an event. It returns nil if the file has none of these lines.
func (a *Asker) sourceLines(text io.Reader, e store.Event, n int) *SourceContext {
	c := &SourceContext{File: Clean(e.File), Lines: []ContextLine{}}
	in := bufio.NewScanner(text)
	in.Buffer(nil, 1<<20)
	for line := 1; line <= e.Line+n && in.Scan(); line++ {
		if line >= e.Line-n {
			text := in.Text()
			if a.Hide != nil {
				text = a.Hide(text)
			}
			c.Lines = append(c.Lines, ContextLine{Line: line, Text: shown(text), IsError: line == e.Line})
		}
	}
	if len(c.Lines) == 0 {
		return nil
	}
	return c
}

// maxDirtyFiles is the max number of uncommitted files in an answer.
const maxDirtyFiles = 10

// dirty reports whether a run had uncommitted changes. If it had, dirty also returns the files with errors that now
// differ from the run's commit.
func (a *Asker) dirty(ctx context.Context, r store.Run) (bool, []string, error) {
	root := a.root(r)
	if !r.Git.Dirty || a.Git == nil || root == "" || r.Git.Commit == "" || r.Errors == 0 {
		return r.Git.Dirty, nil, nil
	}
	changed, err := a.Git.ChangedFiles(ctx, root, r.Git.Commit)
	if err != nil { // the commit is gone, so the files are unknown
		return true, nil, nil
	}
	var files []string
	for p, err := range a.prints(ctx, r, whole) {
		if err != nil {
			return true, nil, err
		}
		if slices.Contains(changed, p.File) && !slices.Contains(files, Clean(p.File)) {
			files = append(files, Clean(p.File))
		}
		if len(files) == maxDirtyFiles {
			break
		}
	}
	return true, files, nil
}
