package docs_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
)

// memory is a set in memory: texts by path.
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

// folder returns the documents in a folder.
func folder(t testing.TB, root string) memory {
	t.Helper()
	m := memory{}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(path, "node_modules") ||
			!slices.Contains([]string{".md", ".mdx", ".rst", ".txt", ".adoc"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		m[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
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

// corpus returns generated Markdown of about so many lines.
func corpus(lines int) string {
	words := strings.Fields("the build runner tests module config option server client error value returns function " +
		"install package command line flag output request response timeout retry cache memory process file path string " +
		"number object array promise await async handler route plugin schema version release change default example")
	var b strings.Builder
	x := uint32(1)
	next := func(n int) int { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return int(x) % n & 0x7fffffff }
	for n := 0; n < lines; n++ {
		switch {
		case n%22 == 0:
			fmt.Fprintf(&b, "%s %s %s item%d\n", strings.Repeat("#", 1+next(4)), words[next(len(words))],
				words[next(len(words))], n/22)
		case n%22 == 1:
			b.WriteByte('\n')
		default:
			for range 6 {
				b.WriteString(words[next(len(words))] + " ")
				if next(6) == 0 {
					fmt.Fprintf(&b, "word%d ", next(20000))
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func BenchmarkIndex(b *testing.B) {
	for _, lines := range []int{100, 43_150, 400_000} {
		set := memory{"llms-full.txt": corpus(lines)}
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			b.SetBytes(int64(len(set["llms-full.txt"])))
			for b.Loop() {
				x := index(b, set, nil)
				b.ReportMetric(float64(len(x.Bytes()))/float64(len(set["llms-full.txt"])), "index/text")
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, lines := range []int{43_150, 400_000} {
		s := source(b, memory{"llms-full.txt": corpus(lines)})
		for _, q := range []string{
			"retry timeout", "item4", "how do I set the cache option of the server", `"memory process"`,
		} {
			b.Run(fmt.Sprintf("%d/%s", lines, q), func(b *testing.B) {
				for b.Loop() {
					if len(search(b, s, docs.Query{Text: q})) == 0 {
						b.Fatal("nothing found")
					}
				}
			})
		}
	}
}
