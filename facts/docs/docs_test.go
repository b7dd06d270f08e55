package docs_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
)

// memory is a set in memory, with texts by path.
type memory map[string]string

func (m memory) Files() []facts.File {
	var all []facts.File
	for path, text := range m {
		all = append(all, facts.File{Path: path, Digest: digest(text), Size: int64(len(text))})
	}
	slices.SortFunc(all, func(a, b facts.File) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (m memory) Read(_ context.Context, f facts.File) ([]byte, error) {
	text, ok := m[f.Path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (m memory) Digest() string {
	all := ""
	for _, f := range m.Files() {
		all += f.Path + " " + f.Digest + "\n"
	}
	return digest(all)
}

func index(t testing.TB, set facts.Set, before *docs.Index) *docs.Index {
	t.Helper()
	x, err := docs.Build(t.Context(), set, before)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func source(t testing.TB, set facts.Set) *docs.Source {
	t.Helper()
	s, err := docs.NewSource("docs", "3f2c1e9", set, index(t, set, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func search(t testing.TB, s *docs.Source, q docs.Query) []docs.Hit {
	t.Helper()
	hits, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}
