package docs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/store"
)

// counted counts the documents that are read.
type counted struct {
	memory
	read *atomic.Int64
}

func (c counted) Read(ctx context.Context, f facts.File) ([]byte, error) {
	c.read.Add(1)
	return c.memory.Read(ctx, f)
}

func TestIndexDoesNotDependOnEarlierOnes(t *testing.T) {
	first := memory{}
	for i := range 30 {
		text := fmt.Sprintf("# Page %d\n\n%s\n\n## Option --opt-%d\n\nsnake_%d\n", i, corpus(40), i, i)
		first[fmt.Sprintf("%02d.md", i)] = text
	}
	old := index(t, first, nil)
	for name, change := range map[string]func(memory){
		"nothing":            func(memory) {},
		"a new document":     func(m memory) { m["05b.md"] = "# New\n\nwords that were not there\n" },
		"a changed document": func(m memory) { m["07.md"] += "# More\n\nmore\n" },
		"a removed document": func(m memory) { delete(m, "00.md") },
		"a moved document":   func(m memory) { m["99.md"] = m["03.md"]; delete(m, "03.md") },
		"all": func(m memory) {
			for path := range m {
				m[path] += "x\n"
			}
		},
		"no document": func(m memory) { clear(m) },
	} {
		set := counted{maps.Clone(first), new(atomic.Int64)}
		change(set.memory)
		changed := 0
		for path, text := range set.memory {
			if first[path] != text {
				changed++
			}
		}
		again := index(t, set, old)
		if n := int(set.read.Load()); n != changed {
			t.Errorf("%s: %d documents were read, want %d", name, n, changed)
		}
		if fresh := index(t, set.memory, nil); !bytes.Equal(fresh.Bytes(), again.Bytes()) {
			t.Errorf("%s: the index of %d bytes differs from a new one of %d", name, len(again.Bytes()), len(fresh.Bytes()))
		}
	}
}

func TestIndexIsOpenedAsItWasWritten(t *testing.T) {
	set := memory{"a.md": guide, "b.rst": "B\n=\n\ntext\n"}
	x := index(t, set, nil)
	y, err := docs.Open(bytes.Clone(x.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(x.Stats(), y.Stats()); diff != "" || x.Set() != y.Set() {
		t.Errorf("%s (-written +opened):\n%s", y.Set(), diff)
	}
	want := docs.Stats{Documents: 2, Lines: 28, Headings: 5, Text: int64(len(guide) + 10), Bytes: len(x.Bytes())}
	if diff := cmp.Diff(want, y.Stats()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBrokenIndex(t *testing.T) {
	set := memory{"a.md": guide}
	whole := index(t, set, nil).Bytes()
	broken := map[string][]byte{
		"nothing": nil, "other": []byte("# A\n"),
		"other version": append([]byte("blq docs index 0\n"), whole[17:]...),
	}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 0x40
		broken[fmt.Sprint("byte ", i)] = b
		broken[fmt.Sprint("cut at ", i)] = whole[:i]
	}
	for name, b := range broken {
		_, err := docs.Open(b)
		if code, _ := docs.CodeOf(err); code != docs.BadIndex || store.NextOf(err) == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	x := index(t, set, nil)
	if _, err := docs.NewSource("docs", "", memory{"a.md": "# Other\n"}, x, nil); err == nil {
		t.Error("an index of other documents is used")
	}
}

// TestForgedIndex opens indexes with a correct checksum and wrong content. They must not crash the program.
func TestForgedIndex(t *testing.T) {
	set := memory{"a.md": guide}
	whole := index(t, set, nil).Bytes()
	opened := 0
	for i := 21; i < len(whole); i++ {
		for _, with := range []byte{0, 1, 0x7f, 0xff, whole[i] + 1} {
			b := bytes.Clone(whole)
			b[i] = with
			x, err := docs.Open(docs.Sign(b))
			if err != nil {
				continue
			}
			opened++
			s, err := docs.NewSource("docs", "", set, x, nil)
			if err != nil {
				continue
			}
			for _, query := range []string{"test runner installation", `"test runner"`} {
				_, _ = s.Search(t.Context(), docs.Query{Text: query})
			}
			_, _ = s.Headings("")
			_, _ = s.Snippets(t.Context(), cite(t, "docs:3"), docs.Context{Mode: docs.Symmetric})
			x.Stats()
		}
	}
	if opened < 100 {
		t.Errorf("only %d were opened", opened)
	}
}

func TestTextsAreReadOnce(t *testing.T) {
	set := counted{memory{}, new(atomic.Int64)}
	for i := range 30 {
		set.memory[fmt.Sprintf("%02d.md", i)] = fmt.Sprintf("# Page %d\n\nneedle\n", i)
	}
	x := index(t, set, nil)
	set.read.Store(0)
	for range 3 {
		s, err := docs.NewSource("docs", "", set, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		if hits := search(t, s, docs.Query{Text: "needle", Max: 20}); len(hits) != 20 || hits[19].Snippet != "needle" {
			t.Errorf("%d hits", len(hits))
		}
	}
	if n := set.read.Load(); n != 20 {
		t.Errorf("20 documents with hits were read %d times", n)
	}
}

func TestDocumentsThatCannotBeRead(t *testing.T) {
	set := memory{"a.md": "# A\n\nneedle\n", "b.md": "# B\n\nneedle\n"}
	s := source(t, set)
	delete(set, "b.md")
	if _, err := s.Search(t.Context(), docs.Query{Text: "needle"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	set["b.md"] = "# B\n\nneedle\n\nmore\n"
	_, err := s.Snippets(t.Context(), cite(t, "docs/b.md:1"), docs.Context{})
	if code, _ := docs.CodeOf(err); code != docs.BadIndex {
		t.Errorf("a document with other lines: %v", err)
	}
}
