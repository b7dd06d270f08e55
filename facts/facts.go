// Package facts reads the facts of commits: the files of a kind that a commit has, and their contents. A Set holds the
// files of one kind. A Source finds the set of a commit by any name of the commit. Stored is the Source that reads a
// store. Package facts/worktree has the Source for git and the work tree. The package may import store and
// internal/jsonsize.
package facts

import (
	"context"
	"slices"
	"time"

	"github.com/blq-ci/blq/store"
)

// File is a file of a set.
type File struct {
	Path   string `json:"path"`   // relative to the repository, with slashes
	Digest string `json:"digest"` // SHA-256 of its content, hexadecimal
	Size   int64  `json:"size"`
}

// Set is the set of files of one kind in a commit or a work tree.
type Set interface {
	// Files returns the files, sorted by path. The caller must not change them.
	Files() []File
	// Read returns the content of a file of the set. The error is NotFound if the file is not in the set or has been
	// removed since. The error is Conflict if the file has changed since the set was made.
	Read(ctx context.Context, f File) ([]byte, error)
	// Digest returns the SHA-256 of the manifest. Sets with the same files have equal digests.
	Digest() string
}

// Query selects facts.
type Query struct {
	Repo string // owner/name; "" for the only repository
	// At is a branch, a tag, a commit, the beginning of its hash, PR#12, or the reference of a run. An empty At is
	// the work tree. In a store, an empty At is the default branch.
	At   string
	Kind store.FactKind
	// Back is the number of first parents to go back from the commit of At; 0 for that commit itself.
	Back int
}

// Source finds facts.
type Source interface {
	// At returns the facts of a query. The error is NotFound if there is no such commit, or if it has no facts of the
	// kind. The error is Invalid if the query cannot be read or is ambiguous.
	At(ctx context.Context, q Query) (Found, error)
}

// Found is the set that a query found.
type Found struct {
	Set
	Repo   string
	Commit string // the named commit; "" for a work tree without commits
	// ResolvedFrom is the ancestor of Commit that the facts come from, if Commit has no facts. It is "" if Commit has
	// facts.
	ResolvedFrom string
	Distance     int       // commits from ResolvedFrom to Commit
	Dirty        bool      // the facts are of a work tree that differs from Commit
	Changed      []string  // sorted paths of files that are not in Commit or have other content there
	Links        []string  // symbolic links in place of files of the set, not read; only for work trees and git
	Untrusted    bool      // the facts were sent by code of a fork
	Told         time.Time // when the facts were sent; zero for facts of a work tree or from git
}

// Pin returns the commit to which citations of the set are pinned.
func (f Found) Pin() string {
	if f.ResolvedFrom != "" {
		return f.ResolvedFrom
	}
	return f.Commit
}

// PinOf returns the commit to which a citation of a file is pinned. It returns "" for a file that no commit has.
func (f Found) PinOf(path string) string {
	if slices.Contains(f.Changed, path) {
		return ""
	}
	return f.Pin()
}
