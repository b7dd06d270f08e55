package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// commitHash returns the hash of a commit.
func commitHash(n int) string { return fmt.Sprintf("%040x", n) }

// sha returns the digest of content n.
func sha(n int) string { return fmt.Sprintf("%064x", n) }

// line returns the hashes of a line of commits, newest first. The parameter from is the number of the newest commit.
// The parameter to is the number of the oldest commit.
func line(from, to int) []string {
	var hashes []string
	for n := from; n >= to; n-- {
		hashes = append(hashes, commitHash(n))
	}
	return hashes
}

// snapshot returns a snapshot of the docs of commit n, with manifest m.
func snapshot(n, m int, change ...func(*store.Snapshot)) store.Snapshot {
	s := store.Snapshot{Repo: "o/a", Commit: commitHash(n), Kind: store.FactDocs, Manifest: sha(m), Files: 1, Bytes: 7,
		Branch: "main", CreatedAt: start.Add(time.Duration(n) * time.Minute)}
	for _, c := range change {
		c(&s)
	}
	return s
}

func of(repo string) func(*store.Snapshot) { return func(s *store.Snapshot) { s.Repo = repo } }
func onTopic(s *store.Snapshot)            { s.Branch = "topic" }
func ofGraph(s *store.Snapshot)            { s.Kind = store.FactGraph }

// ofFork turns a snapshot into a snapshot of a fork's pull request.
func ofFork(pr int) func(*store.Snapshot) {
	return func(s *store.Snapshot) { s.Fork, s.PR = true, pr }
}

// object adds an object of a repository.
func (f fixture) object(repo string, n int) store.Object {
	f.Helper()
	*f.n++
	added, err := f.s.AddObjects(f.Context(), repo, []store.Object{{Digest: sha(n), Size: int64(n),
		Key: fmt.Sprint("facts/", *f.n), At: start}})
	f.ok(err)
	return added[0]
}

// tell adds a snapshot with its manifest and objects.
func (f fixture) tell(s store.Snapshot, ancestors []string, objects ...int) store.Snapshot {
	f.Helper()
	var m int
	_, err := fmt.Sscanf(s.Manifest, "%x", &m)
	f.ok(err)
	f.object(s.Repo, m)
	digests := []string{}
	for _, n := range objects {
		f.object(s.Repo, n)
		digests = append(digests, sha(n))
	}
	got, missing, err := f.s.AddSnapshot(f.Context(), s, ancestors, digests)
	f.ok(err)
	f.equal(missing, []string(nil))
	return got
}

// near returns the commit and the distance of the snapshot of docs that is nearest to commit n, or "none".
func (f fixture) near(n int, forks ...bool) string {
	f.Helper()
	s, distance, err := f.s.NearestSnapshot(f.Context(), store.Repos("o/a"),
		store.SnapshotAt{Repo: "o/a", Commit: commitHash(n), Kind: store.FactDocs, Forks: len(forks) > 0})
	if store.CodeOf(err) == store.NotFound {
		return "none"
	}
	f.ok(err)
	return fmt.Sprintf("%s-%d", strings.TrimLeft(s.Commit, "0"), distance)
}

// named returns the commit with the given name.
func (f fixture) named(n store.CommitName) string {
	f.Helper()
	n.Repo = "o/a"
	got, err := f.s.NamedCommit(f.Context(), store.Repos("o/a"), n)
	if store.CodeOf(err) == store.NotFound {
		return "none"
	}
	f.ok(err)
	return strings.TrimLeft(got, "0")
}

// kept returns the commits with snapshots, newest first.
func (f fixture) kept(sc store.Scope) []string {
	f.Helper()
	list, err := f.s.Snapshots(f.Context(), sc, store.SnapshotFilter{})
	f.ok(err)
	var commits []string
	for _, s := range list {
		commits = append(commits, s.Repo+" "+strings.TrimLeft(s.Commit, "0"))
	}
	return commits
}

var snapshotTests = map[string]func(f fixture){
	"what was added is read": func(f fixture) {
		want := snapshot(5, 0x100, func(s *store.Snapshot) { s.Tag, s.PR, s.Verified = "v1", 12, true })
		f.equal(f.tell(want, line(4, 1), 1, 2), want)
		f.equal(f.tell(want, line(4, 1), 1, 2), want)
		got, distance, err := f.s.NearestSnapshot(f.Context(), everything,
			store.SnapshotAt{Repo: "o/a", Commit: commitHash(5), Kind: store.FactDocs})
		f.ok(err)
		f.equal(got, want)
		f.equal(distance, 0)
		list, err := f.s.Snapshots(f.Context(), everything, store.SnapshotFilter{Repo: "o/a", Commit: commitHash(5),
			Kind: store.FactDocs, Limit: 3})
		f.ok(err)
		f.equal(list, []store.Snapshot{want})
		for _, other := range []struct {
			commits []string
			want    int
		}{{[]string{commitHash(5), commitHash(6)}, 1}, {[]string{commitHash(6)}, 0}, {[]string{}, 0}, {nil, 1}} {
			list, err := f.s.Snapshots(f.Context(), everything, store.SnapshotFilter{Repo: "o/a", Commits: other.commits})
			f.ok(err)
			f.equal(len(list), other.want)
		}
	},
	"a snapshot waits for its objects": func(f fixture) {
		s := snapshot(1, 0x100)
		_, missing, err := f.s.AddSnapshot(f.Context(), s, nil, nil)
		f.ok(err)
		f.equal(missing, []string{sha(0x100)})
		f.object("o/a", 0x100)
		f.object("o/a", 2)
		f.object("o/b", 1) // an object of another repository does not count
		_, missing, err = f.s.AddSnapshot(f.Context(), s, nil, []string{sha(3), sha(2), sha(1), sha(3)})
		f.ok(err)
		f.equal(missing, []string{sha(1), sha(3)})
		f.equal(f.near(1), "none")
		f.tell(s, nil, 1, 2, 3)
		f.equal(f.near(1), "1-0")
	},
	"an unchanged set takes one row and no object": func(f fixture) {
		f.tell(snapshot(1, 0x100), nil, 1, 2)
		before, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		same := snapshot(2, 0x100)
		same.Files, same.Bytes = 0, 0
		got, missing, err := f.s.AddSnapshot(f.Context(), same, line(1, 1), nil)
		f.ok(err)
		f.equal(missing, []string(nil))
		f.equal([]int64{int64(got.Files), got.Bytes}, []int64{1, 7})
		after, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		f.equal(after.Bytes-before.Bytes, int64(store.SnapshotRow))
	},
	"what was told first stays, unless it was not verified": func(f fixture) {
		f.tell(snapshot(1, 0x100), nil, 1)
		f.object("o/a", 0x200)
		other := snapshot(1, 0x200)
		_, _, err := f.s.AddSnapshot(f.Context(), other, nil, []string{sha(1)})
		f.refused(err, store.Conflict, "other docs")
		other.Verified = true
		_, missing, err := f.s.AddSnapshot(f.Context(), other, nil, []string{sha(9)})
		f.ok(err)
		f.equal(missing, []string{sha(9)})
		f.equal(f.tell(other, nil, 1), other)
		_, _, err = f.s.AddSnapshot(f.Context(), snapshot(1, 0x100), nil, []string{sha(1)})
		f.refused(err, store.Conflict)
		f.equal(f.kept(everything), []string{"o/a 1"})
	},
	"the nearest ancestor speaks for a commit without": func(f fixture) {
		f.tell(snapshot(3, 0x100), line(2, 1), 1)
		f.tell(snapshot(7, 0x101, ofGraph), line(6, 2), 1)
		f.equal([]string{f.near(3), f.near(5), f.near(7), f.near(2), f.near(8)},
			[]string{"3-0", "3-2", "3-4", "none", "none"})
		f.tell(snapshot(5, 0x102), line(4, 4), 1)
		f.equal([]string{f.near(7), f.near(5), f.near(4)}, []string{"5-2", "5-0", "3-1"})
	},
	"the line of a commit": func(f fixture) {
		f.tell(snapshot(3, 0x100), line(2, 1), 1)
		for _, tt := range []struct {
			sc   store.Scope
			n    int
			want []string
		}{
			{everything, 3, []string{commitHash(3), commitHash(2), commitHash(1)}}, {everything, 9, []string{commitHash(9)}},
			{store.Repos("o/a"), 2, []string{commitHash(2), commitHash(1)}}, {store.Repos("o/b"), 3, []string{commitHash(3)}},
		} {
			got, err := f.s.FirstParents(f.Context(), tt.sc, "o/a", commitHash(tt.n))
			f.ok(err)
			f.equal(got, tt.want)
		}
	},
	"the first parents of a verified sender count": func(f fixture) {
		f.tell(snapshot(1, 0x100), nil, 1)
		f.tell(snapshot(2, 0x101), nil, 1)
		f.tell(snapshot(4, 0x102, ofGraph), []string{commitHash(3), commitHash(2)}, 1)
		f.equal(f.near(4), "2-2")
		f.tell(snapshot(5, 0x102, ofGraph), []string{commitHash(3), commitHash(1)}, 1) // same trust, so the first stays
		f.equal(f.near(4), "2-2")
		f.tell(snapshot(6, 0x102, ofGraph, func(s *store.Snapshot) { s.Verified = true }),
			[]string{commitHash(3), commitHash(1)}, 1)
		f.equal(f.near(4), "1-2")
	},
	"a circle of ancestors ends": func(f fixture) {
		f.tell(snapshot(1, 0x100, ofGraph), []string{commitHash(2)}, 1)
		f.tell(snapshot(3, 0x100, ofGraph), []string{commitHash(2), commitHash(1)}, 1)
		f.equal(f.near(1), "none")
	},
	"names stand for the newest commit that has them": func(f fixture) {
		f.tell(snapshot(1, 0x100, func(s *store.Snapshot) { s.Tag = "v1" }), nil, 1)
		f.tell(snapshot(3, 0x100), line(2, 1), 1)
		f.tell(snapshot(2, 0x101, func(s *store.Snapshot) { s.PR = 12 }), line(1, 1), 1) // an older commit with a slower job
		f.equal([]string{f.named(store.CommitName{Branch: "main"}), f.named(store.CommitName{Tag: "v1"}),
			f.named(store.CommitName{PR: 12}), f.named(store.CommitName{Branch: "topic"})}, []string{"3", "1", "2", "none"})
		f.tell(snapshot(9, 0x101), line(1, 1), 1) // a force push
		f.equal(f.named(store.CommitName{Branch: "main"}), "9")
		f.tell(snapshot(9, 0x101, onTopic), line(1, 1), 1)
		f.equal(f.named(store.CommitName{Branch: "topic"}), "9")
	},
	"a commit is found by a prefix": func(f fixture) {
		f.tell(snapshot(0x1234, 0x100), []string{commitHash(0x1235)}, 1)
		f.tell(snapshot(0x12345, 0x100, of("o/b")), nil, 1)
		f.equal(f.named(store.CommitName{Prefix: commitHash(0x1234)}), "1234")
		f.equal(f.named(store.CommitName{Prefix: strings.ToUpper(commitHash(0x1235)[:40])}), "1235")
		f.equal(f.named(store.CommitName{Prefix: "ffff"}), "none")
		for _, short := range []string{"000", commitHash(0x1234)[:39]} {
			_, err := f.s.NamedCommit(f.Context(), everything, store.CommitName{Repo: "o/a", Prefix: short})
			f.refused(err, store.Invalid, short)
		}
	},
	"a fork speaks for its commit and pull request only": func(f fixture) {
		f.tell(snapshot(1, 0x100), nil, 1)
		f.tell(snapshot(5, 0x101, ofFork(12)), line(4, 1), 1)
		f.equal([]string{f.near(5), f.near(5, true), f.named(store.CommitName{Branch: "main"}),
			f.named(store.CommitName{PR: 12})}, []string{"none", "5-0", "1", "5"})
		f.tell(snapshot(1, 0x102, ofFork(13)), nil, 1) // stored next to the trusted snapshot
		f.equal(f.near(1, true), "1-0")
		s, _, err := f.s.NearestSnapshot(f.Context(), everything,
			store.SnapshotAt{Repo: "o/a", Commit: commitHash(1), Kind: store.FactDocs, Forks: true})
		f.ok(err)
		f.equal(s.Manifest, sha(0x100))
		f.tell(snapshot(6, 0x100, func(s *store.Snapshot) { s.PR = 14 }), line(5, 1), 1)
		f.equal(f.near(6), "6-0")
		f.tell(snapshot(7, 0x100, ofFork(14)), nil, 1) // from another pull request
		f.equal(f.named(store.CommitName{PR: 14}), "6")
		f.tell(snapshot(8, 0x100, ofGraph), line(7, 5), 1)
		f.equal(f.near(8, true), "6-2")
	},
	"others see nothing": func(f fixture) {
		f.tell(snapshot(1, 0x100), nil, 1)
		at := store.SnapshotAt{Repo: "o/a", Commit: commitHash(1), Kind: store.FactDocs}
		name := store.CommitName{Repo: "o/a", Branch: "main"}
		for _, sc := range []store.Scope{{}, store.Repos("o/b")} {
			_, _, err := f.s.NearestSnapshot(f.Context(), sc, at)
			f.equal(err.Error(), store.NoSnapshot(at).Error())
			_, err = f.s.NamedCommit(f.Context(), sc, name)
			f.equal(err.Error(), store.NoCommit(name).Error())
			_, err = f.s.NamedCommit(f.Context(), sc, store.CommitName{Repo: "o/a", Prefix: commitHash(1)[:8]})
			f.refused(err, store.NotFound)
			objects, err := f.s.Objects(f.Context(), sc, "o/a", []string{sha(1)})
			f.ok(err)
			f.equal(len(objects), 0)
			f.equal(len(f.kept(sc)), 0)
		}
		objects, err := f.s.Objects(f.Context(), store.Repos("o/b"), "o/b", []string{sha(1)})
		f.ok(err)
		f.equal(len(objects), 0)
	},
	"objects are those of a repository": func(f fixture) {
		one := f.object("o/a", 1)
		again := f.object("o/a", 1)
		f.equal(again, one)
		other := f.object("o/b", 1)
		if other.Key == one.Key {
			f.Error("two repositories share a key")
		}
		f.object("o/a", 2)
		got, err := f.s.Objects(f.Context(), everything, "o/a", []string{sha(2), sha(1), sha(3)})
		f.ok(err)
		f.equal([]string{got[0].Digest, got[1].Digest}, []string{sha(1), sha(2)})
		f.equal(got[0], one)
	},
	"bad snapshots and objects are refused": func(f fixture) {
		for name, change := range map[string]func(*store.Snapshot){
			"full hash": func(s *store.Snapshot) { s.Commit = "1234567" },
			"kind":      func(s *store.Snapshot) { s.Kind = "poems" },
			"SHA-256":   func(s *store.Snapshot) { s.Manifest = strings.ToUpper(sha(0xab)) },
			"-1 files":  func(s *store.Snapshot) { s.Files = -1 },
		} {
			_, _, err := f.s.AddSnapshot(f.Context(), snapshot(1, 0x100, change), nil, nil)
			f.refused(err, store.Invalid, name)
		}
		for _, ancestors := range [][]string{{"abc"}, {commitHash(2), commitHash(2)}, {commitHash(1)}} {
			_, _, err := f.s.AddSnapshot(f.Context(), snapshot(1, 0x100), ancestors, nil)
			f.refused(err, store.Invalid, "ancestor")
		}
		for _, o := range []store.Object{{Digest: "x", Key: "k"}, {Digest: sha(1)}, {Digest: sha(1), Key: "k", Size: -1}} {
			good := store.Object{Digest: sha(9), Key: "good"}
			_, err := f.s.AddObjects(f.Context(), "o/a", []store.Object{good, o})
			f.refused(err, store.Invalid)
		}
		twice := []store.Object{{Digest: sha(1), Key: "k"}, {Digest: sha(1), Key: "l"}}
		_, err := f.s.AddObjects(f.Context(), "o/a", twice)
		f.refused(err, store.Invalid)
		kept, err := f.s.Objects(f.Context(), everything, "o/a", []string{sha(1), sha(9)})
		f.ok(err)
		f.equal(kept, []store.Object(nil))
	},
	"objects that are there keep their keys": func(f fixture) {
		first := store.Object{Digest: sha(2), Size: 2, Key: "facts/first", At: start}
		again := store.Object{Digest: sha(2), Size: 2, Key: "facts/again", At: start.Add(time.Hour)}
		other := store.Object{Digest: sha(1), Size: 1, Key: "facts/other", At: start}
		_, err := f.s.AddObjects(f.Context(), "o/a", []store.Object{first})
		f.ok(err)
		got, err := f.s.AddObjects(f.Context(), "o/a", []store.Object{again, other})
		f.ok(err)
		first.At = again.At
		f.equal(got, []store.Object{other, first})
		kept, err := f.s.Objects(f.Context(), everything, "o/a", []string{sha(1), sha(2)})
		f.ok(err)
		f.equal(kept, got)
		used := store.Object{Digest: sha(3), Key: "facts/used", At: start, Used: true}
		_, err = f.s.AddObjects(f.Context(), "o/used", []store.Object{used})
		f.ok(err)
		unswept, err := f.s.Unswept(f.Context(), start.Add(2*time.Hour), 9)
		f.ok(err)
		f.equal(unswept, []string{"o/a"})
		none, err := f.s.AddObjects(f.Context(), "o/a", nil)
		f.ok(err)
		f.equal(len(none), 0)
	},
	"snapshots count for the repository and its owner": func(f fixture) {
		f.tell(snapshot(1, 0x100, of("Acme/shop")), nil, 1, 2)
		f.tell(snapshot(2, 0x100, of("Acme/shop")), nil, 1, 2) // needs only a row, and no new objects
		want := store.Usage{Bytes: 2*store.SnapshotRow + 3*store.ObjectRow + 0x100 + 1 + 2}
		f.used("Acme/shop", want, want)
		n, err := f.s.Recount(f.Context(), 0, 1)
		f.ok(err)
		f.equal(n, 0)
		f.prune(everything, store.Policy{All: true}, store.Pruned{Snapshots: 2})
		f.sweep("Acme/shop", start.Add(time.Hour))
		f.used("Acme/shop", store.Usage{}, store.Usage{})
		n, err = f.s.Recount(f.Context(), 0, 1)
		f.ok(err)
		f.equal(n, 0)
		f.equal(f.start("Acme/shop", "build").Serial, 1)
	},
}
