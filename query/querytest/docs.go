package querytest

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
)

// Files holds the facts of a project: the texts of files by path.
type Files map[string]string

// At implements facts.Source. There is only one commit.
func (f Files) At(_ context.Context, q facts.Query) (facts.Found, error) {
	if q.At != "" && q.At != Commit[:len(q.At)] && q.At != "main" {
		return facts.Found{}, store.Errorf(store.NotFound, "no facts of %s", q.At)
	}
	set, err := f.set(q.Kind)
	return facts.Found{Set: set, Repo: q.Repo, Commit: Commit}, err
}

// set returns the files of a kind.
func (f Files) set(kind store.FactKind) (facts.Set, error) {
	var entries []facts.Entry
	for path, text := range f {
		if (facts.Selection{Kind: kind}).Has(path) {
			entries = append(
				entries, facts.Entry{File: facts.File{Path: path, Digest: facts.Digest([]byte(text)), Size: int64(len(text))}})
		}
	}
	slices.SortFunc(entries, func(a, b facts.Entry) int { return cmp.Compare(a.Path, b.Path) })
	m, text, err := facts.NewManifest(kind, entries)
	return facts.NewListed(
		m, text, func(_ context.Context, file facts.File) ([]byte, error) { return []byte(f[file.Path]), nil }), err
}

// History holds the facts of several commits. Each commit is the first parent of the next commit.
type History []CommitFiles

// CommitFiles holds the facts of one commit. If Files is nil, the facts of the commit are unknown, and At returns the
// facts of the nearest earlier commit whose facts are known.
type CommitFiles struct {
	Hash  string
	Files Files
}

// At implements facts.Source. A question without a commit gets the newest commit.
func (h History) At(_ context.Context, q facts.Query) (facts.Found, error) {
	at := len(h) - 1
	if q.At != "" {
		at = slices.IndexFunc(h, func(c CommitFiles) bool { return strings.HasPrefix(c.Hash, q.At) })
	}
	if at -= q.Back; at < 0 || at >= len(h) {
		return facts.Found{}, store.Errorf(store.NotFound, "no facts of %s", q.At)
	}
	found := facts.Found{Repo: q.Repo, Commit: h[at].Hash}
	for ; at > 0 && h[at].Files == nil; at-- {
		found.ResolvedFrom, found.Distance = h[at-1].Hash, found.Distance+1
	}
	var err error
	found.Set, err = h[at].Files.set(q.Kind)
	return found, err
}

// Commit is the commit of Files.
const Commit = "0123456789abcdef0123456789abcdef01234567"

// Docs returns the documentation of a project with the given files. Texts may be fetched, as by a program on a laptop.
// They are stored in a temporary folder.
func Docs(t *testing.T, s store.Sources, files Files) *query.Docs {
	t.Helper()
	b, err := blob.OpenFile(filepath.Join(t.TempDir(), "texts"))
	Check(t, err)
	return &query.Docs{Facts: files, Sources: s, Blobs: b, Fetcher: &source.Fetcher{Policy: source.Local()}, Local: true}
}

// Save stores the files of a project as the facts of a commit on the branch main.
func (f Files) Save(t *testing.T, to *Fixture, repo, commit string, ancestors ...string) {
	t.Helper()
	for _, kind := range []store.FactKind{store.FactGraph, store.FactCode, store.FactDocs} {
		set, err := f.set(kind)
		Check(t, err)
		s := store.Snapshot{Repo: repo, Commit: commit, Kind: kind, Branch: "main", CreatedAt: epoch}
		_, err = facts.Save(t.Context(), to.Store.(store.SnapshotRecorder), to.Blobs.(facts.Putter), s, ancestors,
			set.(*facts.Listed))
		Check(t, err)
	}
}
