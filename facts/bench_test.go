package facts_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// BenchmarkAt finds the set of a commit with 10,000 files and reads one file, as a search does.
func BenchmarkAt(b *testing.B) {
	blobs, err := blob.OpenFile(b.TempDir())
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	check(err)
	s := sqlitetest.Open(b)
	text := []byte("# Title\n")
	var entries []facts.Entry
	for i := range 10_000 {
		entries = append(entries, facts.Entry{File: facts.File{Path: fmt.Sprintf("docs/%05d.md", i),
			Digest: facts.Digest(text), Size: int64(len(text))}})
	}
	m, manifest, err := facts.NewManifest(store.FactDocs, entries)
	check(err)
	set := facts.NewListed(m, manifest, func(context.Context, facts.File) ([]byte, error) { return text, nil })
	_, err = facts.Save(b.Context(), s, blobs, store.Snapshot{Repo: "o/a", Commit: hash(0xa1), Kind: store.FactDocs,
		Branch: "main", CreatedAt: now}, nil, set)
	check(err)
	for name, sets := range map[string]*facts.Sets{"kept": facts.NewSets(8 << 20), "read": nil} {
		source := facts.Stored{Store: s, Blobs: blobs, Scope: store.Repos("o/a"), Sets: sets}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				found, err := source.At(b.Context(), facts.Query{Kind: store.FactDocs})
				check(err)
				_, err = found.Read(b.Context(), found.Files()[77])
				check(err)
			}
		})
	}
}
