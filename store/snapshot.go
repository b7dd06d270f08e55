package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FactKind is a kind of facts of a commit.
type FactKind string

// These are the kinds.
const (
	FactDocs      FactKind = "docs"      // documentation
	FactCode      FactKind = "code"      // source files
	FactGraph     FactKind = "graph"     // the architecture graph and its rules
	FactContracts FactKind = "contracts" // contracts between repositories
	FactDeps      FactKind = "deps"      // manifests of dependencies
)

// FactKinds are all kinds.
var FactKinds = []FactKind{FactDocs, FactCode, FactGraph, FactContracts, FactDeps}

// Snapshot says which facts of a kind a commit has. They are files. A manifest, which is an object like the files,
// lists them; commits that have the same files share it.
type Snapshot struct {
	Repo     string
	Commit   string // full hash
	Kind     FactKind
	Manifest string // SHA-256 of the manifest, hexadecimal
	Files    int
	Bytes    int64 // of the files

	Branch string // that the commit was the head of, "" for none
	Tag    string // of the commit, "" for none
	PR     int    // that the commit was the head of, 0 for none
	// Fork says that code of a fork told these facts, so they are not trusted. They are found by their commit and their
	// pull request only, never by a branch or from another commit.
	Fork bool
	// Verified says that the sender proved to be about the commit. Such a snapshot replaces one that was not verified.
	Verified  bool
	CreatedAt time.Time
}

// Object is content that a repository has: a file or a manifest. Another repository with the same content has an
// object of its own, so nobody can learn from a digest what others have.
type Object struct {
	Digest string // SHA-256 of the content, hexadecimal
	Size   int64
	Key    string // in Blobs, never used for another object
	At     time.Time
	Used   bool // it does not make its repository one that is to be swept; only AddObjects reads it
}

// SnapshotReader answers questions about the facts of commits.
type SnapshotReader interface {
	// NearestSnapshot returns the snapshot of a kind at a commit. If there is none, it returns that of the nearest
	// first-parent ancestor that has one, and how many commits back that is. NotFound: none is near.
	NearestSnapshot(ctx context.Context, sc Scope, at SnapshotAt) (Snapshot, int, error)

	// FirstParents returns a commit and its first-parent ancestors, nearest first, as far as they are known, and
	// MaxDistance at most. The commit of another repository, or one that is not known, is alone.
	FirstParents(ctx context.Context, sc Scope, repo, commit string) ([]string, error)

	// Snapshots returns snapshots, newest first.
	Snapshots(ctx context.Context, sc Scope, f SnapshotFilter) ([]Snapshot, error)

	// NamedCommit returns the full hash of the commit that a name stands for. NotFound: there is none. Invalid: the
	// prefix of a hash is too short, or several commits have it.
	NamedCommit(ctx context.Context, sc Scope, n CommitName) (string, error)

	// Objects returns those objects with one of the digests that the repository has, by digest.
	Objects(ctx context.Context, sc Scope, repo string, digests []string) ([]Object, error)
}

// SnapshotRecorder stores the facts of commits.
type SnapshotRecorder interface {
	// AddObjects adds objects whose content is in Blobs already, all or none, and returns the objects of those digests
	// that the repository has then, by digest. Where the key is another one, the caller's copy is not needed. Invalid:
	// see CheckObjects.
	AddObjects(ctx context.Context, repo string, objects []Object) ([]Object, error)

	// AddSnapshot adds a snapshot, unless objects are missing: then it returns their digests and adds nothing. The
	// snapshot needs its manifest and the objects, which are those that the manifest lists. Without objects it is
	// added only if the repository has a snapshot with the same manifest already. Ancestors are the first-parent
	// ancestors of the commit, nearest first. A snapshot that exists is returned as it is. Invalid: see
	// Snapshot.Checked. Conflict: the commit has a snapshot of the kind with another manifest.
	AddSnapshot(ctx context.Context, s Snapshot, ancestors, objects []string) (added Snapshot, missing []string, err error)
}

// SnapshotMaintainer removes objects that no snapshot needs. Prune removes the snapshots.
type SnapshotMaintainer interface {
	// Unswept returns the repositories that may have objects without a snapshot that nobody has asked for since a time,
	// up to limit.
	Unswept(ctx context.Context, before time.Time, limit int) ([]string, error)

	// DropObjects drops objects of a repository that nobody has asked for since a time and that are not live, and
	// returns their number. Their keys become garbage. Live is called with digests. The repository's snapshots have to
	// be read after before and ahead of the call.
	DropObjects(ctx context.Context, repo string, before time.Time, live func(digest string) bool) (int, error)
}

// SnapshotAt says which snapshot is wanted.
type SnapshotAt struct {
	Repo   string
	Commit string // full hash
	Kind   FactKind
	Forks  bool // also one that is not trusted, if the commit itself has it
	Back   int  // only of commits that are at least so many first parents before it
}

// MaxDistance is how many commits back NearestSnapshot looks.
const MaxDistance = 1000

// SnapshotFilter selects snapshots. Zero fields select all.
type SnapshotFilter struct {
	Repo   string
	Commit string // full hash
	// Commits selects snapshots of these commits, by full hashes; nil for all.
	Commits []string
	Kind    FactKind
	Limit   int // 0 for no limit
}

// CommitName names a commit of a repository by one of the other fields.
type CommitName struct {
	Repo   string
	Branch string
	Tag    string
	PR     int
	Prefix string // of its hash, at least 4 characters
}

// Key returns the form in which engines store the name, "" for a prefix of a hash.
func (n CommitName) Key() string {
	switch {
	case n.Branch != "":
		return "branch:" + n.Branch
	case n.Tag != "":
		return "tag:" + n.Tag
	case n.PR > 0:
		return "pr:" + strconv.Itoa(n.PR)
	}
	return ""
}

// String returns the name for messages.
func (n CommitName) String() string {
	switch {
	case n.Branch != "":
		return "branch " + n.Branch
	case n.Tag != "":
		return "tag " + n.Tag
	case n.PR > 0:
		return "PR#" + strconv.Itoa(n.PR)
	}
	return "commit " + n.Prefix
}

// Names returns the names that a snapshot gives its commit.
func (s Snapshot) Names() []CommitName {
	var names []CommitName
	if s.Branch != "" && !s.Fork {
		names = append(names, CommitName{Repo: s.Repo, Branch: s.Branch})
	}
	if s.Tag != "" && !s.Fork {
		names = append(names, CommitName{Repo: s.Repo, Tag: s.Tag})
	}
	if s.PR > 0 {
		names = append(names, CommitName{Repo: s.Repo, PR: s.PR})
	}
	return names
}

// Trust is how far what a sender says about commits is believed: 0 for a fork, 1, or 2 if it is verified.
func (s Snapshot) Trust() int {
	switch {
	case s.Fork:
		return 0
	case s.Verified:
		return 2
	}
	return 1
}

// Checked returns the snapshot as AddSnapshot stores it. Invalid: it has no full commit, an unknown kind, or no digest
// of a manifest.
func (s Snapshot) Checked() (Snapshot, error) {
	switch {
	case !isCommit(s.Commit):
		return s, Errorf(Invalid, "%.80q is not the full hash of a commit", s.Commit)
	case !slices.Contains(FactKinds, s.Kind):
		return s,
			Hint(Errorf(Invalid, "%.40q is not a kind of facts", s.Kind),
				"the kinds are docs, code, graph, contracts and deps")
	case !IsDigest(s.Manifest):
		return s, Errorf(Invalid, "%.80q is not the SHA-256 of a manifest", s.Manifest)
	case s.Files < 0 || s.Bytes < 0:
		return s, Errorf(Invalid, "a snapshot of %d files with %d bytes", s.Files, s.Bytes)
	}
	s.Verified = s.Verified && !s.Fork
	s.CreatedAt = s.CreatedAt.UTC().Truncate(time.Microsecond)
	return s, nil
}

// checkSame checks that a snapshot can be added where another one is, and reports whether it replaces that. Conflict:
// the other one has another manifest and stays.
func (s Snapshot) checkSame(stored Snapshot) (replaces bool, err error) {
	switch {
	case s.Manifest == stored.Manifest:
		return false, nil
	case s.Verified && !stored.Verified:
		return true, nil
	}
	return false, Hint(Errorf(Conflict, "commit %.12s has other %s already", s.Commit, s.Kind),
		"what was stored first stays: the lines that were cited do not change")
}

// CheckObjects checks that objects can be stored. Invalid: one has no digest, key or size, or is listed twice.
func CheckObjects(objects []Object) error {
	seen := make(map[string]bool, len(objects))
	for _, o := range objects {
		if !IsDigest(o.Digest) || o.Key == "" || o.Size < 0 || seen[o.Digest] {
			return Errorf(Invalid, "object %.80q with the key %q and %d bytes", o.Digest, o.Key, o.Size)
		}
		seen[o.Digest] = true
	}
	return nil
}

// NoSnapshot returns the NotFound of a commit without facts of a kind. It does not tell whether the repository exists.
func NoSnapshot(at SnapshotAt) error {
	return Hint(Errorf(NotFound, "no %s of commit %.12s, nor of those before it", at.Kind, at.Commit),
		"a job that has the commit sends them: blq facts push")
}

// NoCommit returns the NotFound of a name that stands for no commit.
func NoCommit(n CommitName) error {
	return Hint(Errorf(NotFound, "no facts of %s", n), "a job on it sends them: blq facts push")
}

// PickCommit returns the commit of a prefix from the first two that have it.
func PickCommit(n CommitName, found []string) (string, error) {
	switch len(found) {
	case 0:
		return "", NoCommit(n)
	case 1:
		return found[0], nil
	}
	return "",
		Hint(Errorf(Invalid, "several commits begin with %s", n.Prefix), "such as %s; name more of the hash", found[0])
}

// isCommit reports whether s is the full hash of a commit, in lower case.
func isCommit(s string) bool { return (len(s) == 40 || len(s) == 64) && isHex(s) }

// IsDigest reports whether s is a SHA-256, in lower case.
func IsDigest(s string) bool { return len(s) == 64 && isHex(s) }

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// These are the bytes that rows of facts take in Usage, besides the content of objects. That of an object also stands
// for the rest of the last block that it takes of a file system, and that of a snapshot for the names of its commit.
const (
	SnapshotRow = 1024
	ObjectRow   = 2048
)

// touched is how long an object counts as asked for just now, so that not each push writes all of its rows.
const touched = 24 * time.Hour

// Stale returns the time before which an object has to be marked as asked for now.
func Stale(now time.Time) time.Time { return now.Add(-touched) }

// DefaultBranches are the usual names of the default branch, for repositories that do not say it.
var DefaultBranches = []string{"main", "master", "trunk"}

// SnapshotSQL are the columns of a snapshot in the table snapshots s, in the SQL of all engines, except for the time.
const SnapshotSQL = `s.repo, s.commit_hash, s.kind, s.manifest, s.files, s.bytes, s.branch, s.tag, s.pr, s.fork,
	s.verified`

// Columns returns where the columns of SnapshotSQL are scanned to.
func (s *Snapshot) Columns() []any {
	return []any{&s.Repo, &s.Commit, &s.Kind, &s.Manifest, &s.Files, &s.Bytes, &s.Branch, &s.Tag, &s.PR, &s.Fork,
		&s.Verified}
}

// LineSQL is a query of the commits that begins with the first-parent line of a commit, in the SQL of all engines: the
// table line has the hash of each commit and its distance. The arguments are the commit, the repository, and
// MaxDistance.
const LineSQL = `
	WITH RECURSIVE line (hash, distance) AS (
		SELECT CAST($1 AS text), 0
		UNION ALL
		SELECT c.parent, l.distance + 1
		FROM line l
		JOIN commits c ON c.repo = $2 AND c.hash = l.hash
		WHERE c.parent <> '' AND l.distance < $3
	)`

// Edge is a commit with its first parent.
type Edge struct{ Hash, Parent string }

// Edges returns the commits that a snapshot reports, each with its first parent, "" where it is not told. A fork
// reports its own commit only. Invalid: an ancestor is not the full hash of a commit.
func (s Snapshot) Edges(ancestors []string) ([]Edge, error) {
	edges := []Edge{{Hash: s.Commit}}
	seen := map[string]bool{s.Commit: true}
	for _, a := range ancestors {
		if !isCommit(a) || seen[a] {
			return nil, Errorf(Invalid, "%.80q is not an ancestor: a full hash, once each", a)
		}
		seen[a] = true
		edges[len(edges)-1].Parent = a
		edges = append(edges, Edge{Hash: a})
	}
	if s.Fork {
		return []Edge{{Hash: s.Commit}}, nil
	}
	return edges, nil
}
