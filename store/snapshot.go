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

// Snapshot describes the facts of one kind at a commit. The facts are files, and a manifest lists them. The manifest is
// an object, too. Commits with the same files have the same manifest.
type Snapshot struct {
	Repo     string
	Commit   string // full hash
	Kind     FactKind
	Manifest string // SHA-256 of the manifest, hexadecimal
	Files    int
	Bytes    int64 // total size of the files

	Branch string // branch whose newest commit this was, "" for none
	Tag    string // tag of the commit, "" for none
	PR     int    // pull request whose newest commit this was, 0 for none
	// Fork is true if code of a fork sent the facts. Such facts are not trusted. Readers find them only by their commit
	// or their pull request, not by a branch or as the nearest facts of another commit.
	Fork bool
	// Verified is true if the sender proved that the facts belong to the commit. A verified snapshot replaces a
	// snapshot that is not verified.
	Verified  bool
	CreatedAt time.Time
}

// Object is content of a repository: a file or a manifest. If another repository has the same content, it has an object
// of its own. So a digest reveals nothing about other repositories.
type Object struct {
	Digest string // SHA-256 of the content, hexadecimal
	Size   int64
	Key    string // key in Blobs, never reused for another object
	At     time.Time
	Used   bool // the object is in use, so adding it gives no reason for a sweep; only AddObjects reads it
}

// SnapshotReader reads the facts of commits.
type SnapshotReader interface {
	// NearestSnapshot returns the snapshot of a kind at a commit. If there is none, it returns the snapshot at the
	// nearest first-parent ancestor. It also returns the distance in commits. NotFound: there is no snapshot within
	// MaxDistance.
	NearestSnapshot(ctx context.Context, sc Scope, at SnapshotAt) (Snapshot, int, error)

	// FirstParents returns a commit and its known first-parent ancestors, nearest first, up to MaxDistance. If the
	// commit is unknown, or belongs to another repository, it returns only the commit.
	FirstParents(ctx context.Context, sc Scope, repo, commit string) ([]string, error)

	// Snapshots returns snapshots, newest first.
	Snapshots(ctx context.Context, sc Scope, f SnapshotFilter) ([]Snapshot, error)

	// NamedCommit returns the full hash of the commit with the given name. NotFound: there is no such commit. Invalid:
	// the prefix of a hash is too short, or several commits match.
	NamedCommit(ctx context.Context, sc Scope, n CommitName) (string, error)

	// Objects returns the repository's objects with the given digests, sorted by digest. It leaves out missing
	// objects.
	Objects(ctx context.Context, sc Scope, repo string, digests []string) ([]Object, error)
}

// SnapshotRecorder stores the facts of commits.
type SnapshotRecorder interface {
	// AddObjects adds all objects, or none if there is an error. Their content must already be in Blobs. It returns the
	// repository's objects with these digests, sorted by digest. If a returned key differs from the caller's key, the
	// store already had the content, and the caller's copy is not needed. Invalid: see CheckObjects.
	AddObjects(ctx context.Context, repo string, objects []Object) ([]Object, error)

	// AddSnapshot adds a snapshot. objects holds the digests in the manifest. If the store lacks some of these objects,
	// AddSnapshot returns their digests and adds nothing. objects may be nil if the repository has a snapshot with the
	// same manifest. If it has none, nil objects make AddSnapshot return the digest of the manifest as missing.
	// ancestors holds the first-parent ancestors of the commit, nearest first. If the commit already has a snapshot
	// with the same manifest, AddSnapshot only updates the branch, the tag and Verified of the stored snapshot, and
	// returns it. Invalid: see Snapshot.Checked and Snapshot.Edges. Conflict: the commit has a snapshot of the same
	// kind with another manifest, and the new snapshot does not replace it (see Verified).
	AddSnapshot(ctx context.Context, s Snapshot, ancestors, objects []string) (added Snapshot, missing []string, err error)
}

// SnapshotMaintainer removes objects that no snapshot needs. It does not remove snapshots: Prune does.
type SnapshotMaintainer interface {
	// Unswept returns repositories that may have unused objects, at most limit. An object is unused if it belongs to no
	// snapshot and nobody has requested it since the given time.
	Unswept(ctx context.Context, before time.Time, limit int) ([]string, error)

	// DropObjects drops the objects of a repository that are not live and that nobody has requested since the given
	// time. Their keys become garbage. DropObjects returns the number of dropped objects. The function live reports
	// whether an object with a digest is in use. The caller must read the snapshots of the repository after the given
	// time and before this call.
	DropObjects(ctx context.Context, repo string, before time.Time, live func(digest string) bool) (int, error)
}

// SnapshotAt selects the snapshot of a kind at a commit, or at an ancestor of the commit.
type SnapshotAt struct {
	Repo   string
	Commit string // full hash
	Kind   FactKind
	Forks  bool // also select an untrusted snapshot if it belongs to the commit itself
	Back   int  // min number of first parents from the commit back to the snapshot's commit
}

// MaxDistance is the max number of commits that NearestSnapshot goes back.
const MaxDistance = 1000

// SnapshotFilter selects snapshots. Zero fields select all snapshots.
type SnapshotFilter struct {
	Repo   string
	Commit string // full hash
	// Commits selects snapshots of the commits with the given full hashes; nil selects snapshots of all commits.
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

// Key returns the name in the form that engines store. It returns "" if the name is the prefix of a hash.
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

// Names returns the names under which a snapshot stores its commit.
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

// Trust returns the level of trust in a sender's data about commits: 0 for a fork, 2 for verified data, and 1
// otherwise.
func (s Snapshot) Trust() int {
	switch {
	case s.Fork:
		return 0
	case s.Verified:
		return 2
	}
	return 1
}

// Checked returns the snapshot in the form that AddSnapshot stores. Invalid: the snapshot lacks a full commit or the
// digest of a manifest, its kind is unknown, or its number of files or bytes is negative.
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

// checkSame checks that the new snapshot s has the manifest of the stored snapshot, or may replace the stored snapshot.
// replaces is true if s replaces the stored snapshot. Conflict: the stored snapshot has another manifest and stays.
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

// CheckObjects checks that objects can be stored. Invalid: an object has no valid digest, has no key, has a negative
// size, or occurs twice in the list.
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

// PickCommit returns the commit with a prefix. matches holds the first two commits with the prefix. NotFound: no
// commit has the prefix. Invalid: two commits have it.
func PickCommit(n CommitName, matches []string) (string, error) {
	switch len(matches) {
	case 0:
		return "", NoCommit(n)
	case 1:
		return matches[0], nil
	}
	return "",
		Hint(Errorf(Invalid, "several commits begin with %s", n.Prefix), "such as %s; name more of the hash", matches[0])
}

// isCommit reports whether s is the full hash of a commit, in lower case.
func isCommit(s string) bool { return (len(s) == 40 || len(s) == 64) && isHex(s) }

// IsDigest reports whether s is a SHA-256, in lower case.
func IsDigest(s string) bool { return len(s) == 64 && isHex(s) }

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// These are the sizes in bytes that Usage counts for each row of facts. They do not include the content of objects. The
// size of an object's row includes the unused rest of the last block that the object takes in a file system. The size
// of a snapshot's row includes the names of its commit.
const (
	SnapshotRow = 1024
	ObjectRow   = 2048
)

// touched is the time for which a recorded request for an object counts as recent. During that time, further requests
// for the object need not be recorded.
const touched = 24 * time.Hour

// Stale returns the time before which a recorded request for an object is no longer recent.
func Stale(now time.Time) time.Time { return now.Add(-touched) }

// DefaultBranches are the usual names of a default branch. They are used if the default branch of a repository is
// unknown.
var DefaultBranches = []string{"main", "master", "trunk"}

// SnapshotSQL lists the columns of the table snapshots except id and created_at, in SQL for all engines. The alias of
// the table is s.
const SnapshotSQL = `s.repo, s.commit_hash, s.kind, s.manifest, s.files, s.bytes, s.branch, s.tag, s.pr, s.fork,
	s.verified`

// Columns returns pointers to scan the columns of SnapshotSQL into.
func (s *Snapshot) Columns() []any {
	return []any{&s.Repo, &s.Commit, &s.Kind, &s.Manifest, &s.Files, &s.Bytes, &s.Branch, &s.Tag, &s.PR, &s.Fork,
		&s.Verified}
}

// LineSQL is the beginning of a query over a commit and its first-parent ancestors, in SQL for all engines. It defines
// the table line, with the hash and the distance of each commit. The arguments are the commit, the repository, and
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

// Edge is a commit and its first parent.
type Edge struct{ Hash, Parent string }

// Edges returns the commits that a snapshot reports, each with its first parent. The parent is "" if it is unknown. A
// fork reports only its own commit. Invalid: an ancestor is not the full hash of a commit, or a commit occurs twice.
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
