// Package store holds the domain: runs, events, references, fingerprints and comparisons. It also declares the
// interfaces Store and Blobs, which engines implement. It imports only the standard library.
package store

import (
	"context"
	"slices"
)

// Store stores runs with their events, and the index of their logs. Callers require only those parts of the interface
// that they need.
//
// Calls that create something take a key from the client. A repeated call with the same key changes nothing, so a
// caller may repeat every call. When a call returns without error, its effect is durable. Calls that read take the
// Scope of the caller. They behave as if data outside the scope did not exist. Errors have a Code. Each method
// documents the codes that callers may handle.
type Store interface {
	Reader
	Recorder
	Maintainer
	Meter
	Sources
	Notifications
	Attestations
	Sessions

	// Close releases the store.
	Close() error
}

// Blobs stores immutable objects: chunks of logs, files of facts and texts of sources.
type Blobs interface {
	// Put stores an object durably. If the object exists with the same bytes, Put succeeds. Conflict: the object exists
	// with other bytes. Invalid: the key is not valid.
	Put(ctx context.Context, key string, data []byte) error
	// Get returns an object. NotFound: there is no such object.
	Get(ctx context.Context, key string) ([]byte, error)
	// Delete removes an object. It returns no error if the object does not exist.
	Delete(ctx context.Context, key string) error
	// List returns keys in order, at most limit; 0 means all keys. It returns the keys that begin with prefix and sort
	// after the key in after.
	List(ctx context.Context, prefix, after string, limit int) ([]string, error)
}

// Scope is the set of repositories that a caller may see. The zero Scope is empty.
type Scope struct {
	all   bool
	repos []string
}

// Everything returns the scope of the store's owner.
func Everything() Scope { return Scope{all: true} }

// Repos returns the scope of a caller who may see these repositories.
func Repos(names ...string) Scope { return Scope{repos: names} }

// All reports whether the scope has all repositories.
func (s Scope) All() bool { return s.all }

// Has reports whether a repository is in the scope.
func (s Scope) Has(repo string) bool { return s.all || slices.Contains(s.repos, repo) }

// Names returns the repositories of a scope. It returns nil for a scope with all repositories.
func (s Scope) Names() []string { return s.repos }
