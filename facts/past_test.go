package facts_test

import (
	"context"
	"slices"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// saveFiles saves the files of a kind for commit n of o/a.
func (f fixture) saveFiles(n int, kind store.FactKind, texts map[string]string, ancestors ...string) {
	f.Helper()
	var entries []facts.Entry
	for path, text := range texts {
		entries = append(entries, facts.Entry{File: facts.File{Path: path, Digest: facts.Digest([]byte(text)),
			Size: int64(len(text))}})
	}
	m, manifest, err := facts.NewManifest(kind, entries)
	f.ok(err)
	set := facts.NewListed(m, manifest, func(_ context.Context, file facts.File) ([]byte, error) {
		return []byte(texts[file.Path]), nil
	})
	_, err = facts.Save(f.Context(), f.store, f.blobs, store.Snapshot{Repo: "o/a", Commit: hash(n), Kind: kind,
		Branch: "main", CreatedAt: now}, ancestors, set)
	f.ok(err)
}

// was returns the state of a file when a document was changed.
func (f fixture) was(past facts.Past, doc, file string) string {
	f.Helper()
	w := past.Was(doc, file)
	switch {
	case w.Same:
		return "same"
	case !w.Existed:
		return "absent"
	}
	text, err := w.Read(f.Context())
	f.ok(err)
	return string(text)
}

func TestThePastOfSnapshots(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	type files = map[string]string
	f.saveFiles(0xa1, store.FactCode, files{"one.go": "1"})
	f.saveFiles(0xa1, store.FactDocs, files{"old.md": "old", "new.md": "new"})
	f.saveFiles(0xa3, store.FactCode, files{"one.go": "2"}, hash(0xa2), hash(0xa1))
	f.saveFiles(0xa3, store.FactDocs, files{"old.md": "old", "new.md": "newer"}, hash(0xa2), hash(0xa1))
	f.saveFiles(0xa4, store.FactCode, files{"one.go": "3", "two.go": "2"}, hash(0xa3))
	f.saveFiles(0xa4, store.FactDocs, files{"old.md": "old", "new.md": "newer", "last.md": "last"}, hash(0xa3))
	source := f.source(store.Repos("o/a"))
	found := map[store.FactKind]facts.Found{}
	for _, kind := range []store.FactKind{store.FactCode, store.FactDocs} {
		var err error
		found[kind], err = source.At(t.Context(), facts.Query{At: "main", Kind: kind})
		f.ok(err)
	}
	past, err := source.Past(t.Context(), found[store.FactCode], found[store.FactDocs],
		[]string{"old.md", "new.md", "last.md"})
	f.ok(err)
	for _, c := range []struct{ doc, file, want string }{
		{"old.md", "one.go", "1"}, {"old.md", "two.go", "absent"}, {"new.md", "one.go", "2"},
		{"new.md", "two.go", "absent"}, {"last.md", "one.go", "same"}, {"old.md", "none.go", "same"},
	} {
		if got := f.was(past, c.doc, c.file); got != c.want || !past.Knows(c.doc) {
			t.Errorf("%s when %s was changed: %q, want %q", c.file, c.doc, got, c.want)
		}
	}
	changed := past.Changed()
	slices.Sort(changed)
	f.equal(changed, []string{"one.go", "two.go"})
}
