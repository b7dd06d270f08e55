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

// These are the kinds of facts.
const (
	FactDocs      FactKind = "docs"      // documentation
	FactCode      FactKind = "code"      // source files
	FactGraph     FactKind = "graph"     // the architecture graph and its rules
	FactContracts FactKind = "contracts" // contracts between repositories
	FactDeps      FactKind = "deps"      // manifests of dependencies
)

// FactKinds are all kinds.
var FactKinds = []FactKind{FactDocs, FactCode, FactGraph, FactContracts, FactDeps}

// Snapshot describes the facts of one kind at a commit. The facts are files. A manifest lists the files, and is itself
// an object like a file. Commits with the same files share a manifest.
type Snapshot struct {
	Repo     string
	Commit   string // full hash
	Kind     FactKind
	Manifest string // SHA-256 of the manifest, hexadecimal
	Files    int
	Bytes    int64 // total size of the files

	Branch string // branch whose newest commit it was, "" for none
	Tag    string // tag of the commit, "" for none
	PR     int    // pull request whose newest commit it was, 0 for none
	// Fork is true if code of a fork sent these facts. Such facts are not trusted. Readers find these facts only by
	// their commit and their pull request, never by a branch or as the nearest facts of another commit.
	Fork bool
	// Verified is true if the sender proved that the facts belong to the commit. Such a snapshot replaces one that is
	// not verified.
	Verified  bool
	CreatedAt time.Time
}

// Object is content of a repository: a file or a manifest. Another repository with the same content has its own object,
// so a digest reveals nothing about the content of others.
type Object struct {
	Digest string // SHA-256 of the content, hexadecimal
	Size   int64
	Key    string // key in Blobs, never reused for another object
	At     time.Time
	Used   bool // adding it requires no sweep; only AddObjects reads this
}

// SnapshotReader reads the facts of commits.
type SnapshotReader interface {
	// NearestSnapshot returns the snapshot of a kind at a commit. If there is none, it returns the snapshot of the
	// nearest first-parent ancestor. It also returns the distance in commits. NotFound: there is no snapshot within
	// MaxDistance.
	NearestSnapshot(ctx context.Context, sc Scope, at SnapshotAt) (Snapshot, int, error)

	// FirstParents returns a commit and its known first-parent ancestors, nearest first, up to MaxDistance. For an
	// unknown commit, or a commit of another repository, it returns only the commit itself.
	FirstParents(ctx context.Context, sc Scope, repo, commit string) ([]string, error)

	// Snapshots returns snapshots, newest first.
	Snapshots(ctx context.Context, sc Scope, f SnapshotFilter) ([]Snapshot, error)

	// NamedCommit returns the full hash of the commit with the given name. NotFound: there is no such commit. Invalid:
	// the prefix of a hash is too short, or several commits match.
	NamedCommit(ctx context.Context, sc Scope, n CommitName) (string, error)

	// Objects returns the repository's objects with the given digests, by digest.
	Objects(ctx context.Context, sc Scope, repo string, digests []string) ([]Object, error)
}

// SnapshotRecorder stores the facts of commits.
type SnapshotRecorder interface {
	// AddObjects adds all objects or none. Their content must already be in Blobs. It returns the repository's objects
	// with these digests, by digest. If a returned key differs from the caller's key, the store already has the
	// content, and does not need the caller's copy. Invalid: see CheckObjects.
	AddObjects(ctx context.Context, repo string, objects []Object) ([]Object, error)

	// AddSnapshot adds a snapshot. objects holds the digests that the manifest lists. If the store lacks some of these
	// objects, AddSnapshot returns their digests and adds nothing. Without objects it adds the snapshot only if the
	// repository already has a snapshot with the same manifest. ancestors holds the first-parent ancestors of the
	// commit, nearest first. AddSnapshot returns an existing snapshot unchanged. Invalid: see Snapshot.Checked.
	// Conflict: the commit has a snapshot of the kind with another manifest.
	AddSnapshot(ctx context.Context, s Snapshot, ancestors, objects []string) (added Snapshot, missing []string, err error)
}

// SnapshotMaintainer removes objects that no snapshot needs. Prune removes the snapshots.
type SnapshotMaintainer interface {
	// Unswept returns up to limit repositories that may have unused objects. Such objects belong to no snapshot, and
	// nobody has requested them since the given time.
	Unswept(ctx context.Context, before time.Time, limit int) ([]string, error)

	// DropObjects drops objects of a repository that are not live, and that nobody has requested since the given time.
	// It returns their number, and their keys become garbage. live reports whether a digest is in use. The caller must
	// read the snapshots of the repository later than the given time, and earlier than this call.
	DropObjects(ctx context.Context, repo string, before time.Time, live func(digest string) bool) (int, error)
}

// SnapshotAt selects a snapshot.
type SnapshotAt struct {
	Repo   string
	Commit string // full hash
	Kind   FactKind
	Forks  bool // also select a snapshot that is not trusted, if it belongs to the commit itself
	Back   int  // min number of first parents from the commit back to the snapshot's commit
}

// MaxDistance is the max number of commits back for NearestSnapshot.
const MaxDistance = 1000

// SnapshotFilter selects snapshots. Zero fields select all snapshots.
type SnapshotFilter struct {
	Repo   string
	Commit string // full hash
	// Commits selects snapshots of these commits, by full hash; nil selects all.
	Commits []string
	Kind    FactKind
	Limit   int // 0 for no limit
}

// CommitName names a commit of a repository by a branch, a tag, a pull request or the first digits of its hash.
type CommitName struct {
	Repo   string
	Branch string
	Tag    string
	PR     int
	Prefix string // prefix of the hash, at least 4 characters
}

// Key returns the name as engines store it, or "" for a prefix of a hash.
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

// Trust returns how far a sender's data about commits is trusted: 0 for a fork, 2 if it is verified, and otherwise 1.
func (s Snapshot) Trust() int {
	switch {
	case s.Fork:
		return 0
	case s.Verified:
		return 2
	}
	return 1
}

// Checked returns the snapshot as AddSnapshot stores it. Invalid: it has no full commit, no digest of a manifest, or an
// unknown kind.
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

// checkSame checks that a snapshot can be added in the place of a stored one. It reports whether the snapshot replaces
// the stored snapshot. Conflict: the stored snapshot has another manifest, and is kept.
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

// CheckObjects checks that objects can be stored. Invalid: an object has no digest, key or size, or is listed twice.
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

// NoSnapshot returns the NotFound error for a commit without facts of a kind. The error does not reveal whether the
// repository exists.
func NoSnapshot(at SnapshotAt) error {
	return Hint(Errorf(NotFound, "no %s of commit %.12s, nor of those before it", at.Kind, at.Commit),
		"a job that has the commit sends them: blq facts push")
}

// NoCommit returns the NotFound error for a name without a commit.
func NoCommit(n CommitName) error {
	return Hint(Errorf(NotFound, "no facts of %s", n), "a job on it sends them: blq facts push")
}

// PickCommit returns the commit with the given prefix. found holds the first two commits that match. NotFound: no
// commit matches. Invalid: two commits match.
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

// These are the sizes of rows of facts in Usage, in addition to the content of objects. The size of an object's row
// also covers the unused rest of the object's last block in a file system. The size of a snapshot's row also covers the
// names of its commit.
const (
	SnapshotRow = 1024
	ObjectRow   = 2048
)

// touched is the time for which a recorded request for an object counts as recent. During that time, further pushes
// need not record a request.
const touched = 24 * time.Hour

// Stale returns the time before which a recorded request for an object is no longer recent.
func Stale(now time.Time) time.Time { return now.Add(-touched) }

// DefaultBranches are the usual names of the default branch, for repositories whose default branch is unknown.
var DefaultBranches = []string{"main", "master", "trunk"}

// SnapshotSQL lists the columns of the table snapshots s without the time, in SQL for all engines.
const SnapshotSQL = `s.repo, s.commit_hash, s.kind, s.manifest, s.files, s.bytes, s.branch, s.tag, s.pr, s.fork,
	s.verified`

// Columns returns pointers to scan the columns of SnapshotSQL into.
func (s *Snapshot) Columns() []any {
	return []any{&s.Repo, &s.Commit, &s.Kind, &s.Manifest, &s.Files, &s.Bytes, &s.Branch, &s.Tag, &s.PR, &s.Fork,
		&s.Verified}
}

// LineSQL is the beginning of a query over the first-parent line of a commit, in SQL for all engines. The table named
// line has the hash and the distance of each commit. The arguments are the commit, the repository, and MaxDistance.
const LineSQL = `
	WITH RECURSIVE line (hash, distance) AS (
		SELECT CAST($1 AS text), 0
		UNION ALL
		SELECT c.parent, l.distance + 1
		FROM line l
		JOIN commits c ON c.repo = $2 AND c.hash = l.hash
		WHERE c.parent <> '' AND l.distance < $3
	)`

// Edge is a commit and its first parent.
type Edge struct{ Hash, Parent string }

// Edges returns the commits that a snapshot reports, each with its first parent, which is "" if it is unknown. A fork
// reports only its own commit. Invalid: an ancestor is not the full hash of a commit.
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
