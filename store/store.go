// Package store holds the domain: runs, events, references, fingerprints,
// comparison, and the interfaces Store and Blobs that engines implement. It
// imports the standard library only.
package store

import (
	"context"
	"slices"
)

// Store keeps runs with their events and the index of their logs. Callers ask for the part of it that they need.
//
// Calls that create something are idempotent by a key that the client chose, so every call may be repeated. The
// effect of a call is durable when it returns without error. Reads take the Scope of the caller. What is outside
// of the scope does not exist for the caller. Errors carry a Code; each method names the codes that callers act
// on.
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

// Blobs keeps immutable objects: the chunks of logs.
type Blobs interface {
	// Put stores an object, durably when it returns. Putting the same bytes again succeeds. Conflict: the key holds
	// other bytes. Invalid: a bad key.
	Put(ctx context.Context, key string, data []byte) error
	// Get returns an object. NotFound: there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Delete removes an object. A missing object is not an error.
	Delete(ctx context.Context, key string) error
	// List returns the keys that start with prefix and follow after, sorted, up to limit, 0 for all.
	List(ctx context.Context, prefix, after string, limit int) ([]string, error)
}

// Scope is the set of repositories that a caller may see. The zero Scope is empty.
type Scope struct {
	all   bool
	repos []string
}

// Everything is the scope of the owner of the store.
func Everything() Scope { return Scope{all: true} }

// Repos is the scope of a caller who may see these repositories.
func Repos(names ...string) Scope { return Scope{repos: names} }

// All reports whether the scope has no bounds.
func (s Scope) All() bool { return s.all }

// Has reports whether a repository is in the scope.
func (s Scope) Has(repo string) bool { return s.all || slices.Contains(s.repos, repo) }

// Names returns the repositories of a bounded scope.
func (s Scope) Names() []string { return s.repos }
