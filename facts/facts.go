// Package facts reads the facts of commits: which files of a kind a commit has, and what is in them. A Set is the files
// of one kind, and a Source finds the set of a commit by any of its names. Stored is the source that reads a store;
// package facts/worktree has the source for git and the work tree. The package may import store.
package facts

import (
	"context"
	"slices"
	"time"

	"github.com/blq-ci/blq/store"
)

// File is a file of a set.
type File struct {
	Path   string `json:"path"`   // in the repository, with slashes
	Digest string `json:"digest"` // SHA-256 of its content, hexadecimal
	Size   int64  `json:"size"`
}

// Set is the files of a kind that a commit or a work tree has.
type Set interface {
	// Files returns the files, sorted by path. The caller must not change them.
	Files() []File
	// Read returns the content of a file of the set. NotFound: it is not in the set, or not there any more. Conflict:
	// it has changed since the set was made.
	Read(ctx context.Context, f File) ([]byte, error)
	// Digest returns the SHA-256 of the manifest. Sets with the same files have the same.
	Digest() string
}

// Query says which facts are wanted.
type Query struct {
	Repo string // owner/name; "" for the only repository that there is
	// At is a branch, a tag, a commit or the beginning of its hash, PR#12, or the reference of a run. "" is the work
	// tree, or in a store the default branch.
	At   string
	Kind store.FactKind
	// Back is the number of first parents to go back from that commit; 0 for the commit itself.
	Back int
}

// Source finds facts.
type Source interface {
	// At returns the facts of a query. NotFound: nothing has the name, or there are no facts of that kind. Invalid: the
	// query cannot be understood, or names several things.
	At(ctx context.Context, q Query) (Found, error)
}

// Found is the set that a query found.
type Found struct {
	Set
	Repo   string
	Commit string // that the query names; "" for a work tree without commits
	// ResolvedFrom is the ancestor of Commit that has these facts, because Commit has none; "" if Commit has facts.
	ResolvedFrom string
	Distance     int       // commits from ResolvedFrom to Commit
	Dirty        bool      // they are of a work tree that differs from Commit
	Changed      []string  // paths of files that Commit does not have, or has with another content, sorted
	Untrusted    bool      // they were told by the code of a fork
	Told         time.Time // when they were sent; zero for facts of a work tree or from git
}

// Pin returns the commit that a citation of the set is pinned to.
func (f Found) Pin() string {
	if f.ResolvedFrom != "" {
		return f.ResolvedFrom
	}
	return f.Commit
}

// PinOf returns the commit that a citation of a file of the set is pinned to, "" for a file that no commit has.
func (f Found) PinOf(path string) string {
	if slices.Contains(f.Changed, path) {
		return ""
	}
	return f.Pin()
}
