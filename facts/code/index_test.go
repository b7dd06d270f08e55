package code

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// files is a set in memory. It records the paths of the files that are read.
type files struct {
	list  []facts.File
	texts map[string]string
	reads []string
}

// newFiles returns a set with texts by path.
func newFiles(texts map[string]string) *files {
	s := &files{texts: texts}
	for path, text := range texts {
		s.list = append(s.list, facts.File{Path: path, Digest: facts.Digest([]byte(text)), Size: int64(len(text))})
	}
	slices.SortFunc(s.list, func(a, b facts.File) int { return cmp.Compare(a.Path, b.Path) })
	return s
}

func (s *files) Files() []facts.File { return s.list }

func (s *files) Digest() string {
	var all []string
	for _, f := range s.list {
		all = append(all, f.Path, f.Digest)
	}
	return facts.Digest([]byte(strings.Join(all, "\n")))
}

func (s *files) Read(_ context.Context, f facts.File) ([]byte, error) {
	text, ok := s.texts[f.Path]
	if !ok {
		return nil, store.Errorf(store.NotFound, "no %s", f.Path)
	}
	s.reads = append(s.reads, f.Path)
	return []byte(text), nil
}

func build(t *testing.T, set facts.Set, before *Index) *Index {
	t.Helper()
	x, err := Build(t.Context(), set, before)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// exact makes cmp compare unexported fields too.
var exact = godiff.AllowUnexported(Scan{}, mention{})

func TestOnlyChangedFilesAreReadAgain(t *testing.T) {
	texts := map[string]string{"go.mod": "module m\n", "a/a.go": "package a\nimport \"m/b\"\n", "b/b.go": "package b\n",
		"c.py": "import a\n", "README.md": "# no code\n"}
	first := build(t, newFiles(texts), nil)
	texts["b/b.go"] = "package b\nfunc New() {}\n"
	set := newFiles(texts)
	second := build(t, set, first)
	if diff := godiff.Diff([]string{"b/b.go", "go.mod"}, set.reads); diff != "" {
		t.Error(diff)
	}
	if diff := godiff.Diff(build(t, newFiles(texts), nil).Files(), second.Files(), exact); diff != "" {
		t.Error(diff)
	}
	delete(texts, "b/b.go")
	third := build(t, newFiles(texts), second)
	if got := targets(third.File("a/a.go")); got != "m/b\n" {
		t.Errorf("an import of a package that is gone leads to %q", got)
	}
}

// A path in the body of a function is an import as long as its first word is a crate or module of the repository. The
// file with the path is not read again.
func TestMentionedCratesComeAndGo(t *testing.T) {
	with := map[string]string{"a/Cargo.toml": "[package]\nname = \"a\"\n",
		"a/src/lib.rs": "fn f() { other::m::g(); std::f() }\n",
		"o/Cargo.toml": "[package]\nname = \"other\"\n", "o/src/lib.rs": "mod m;\n", "o/src/m.rs": "pub fn g() {}\n"}
	without := map[string]string{"a/Cargo.toml": with["a/Cargo.toml"], "a/src/lib.rs": with["a/src/lib.rs"]}
	var before *Index
	for range 2 {
		for want, texts := range map[string]map[string]string{"": without, "other::m::g > o/src/m.rs\n": with} {
			x := build(t, newFiles(texts), before)
			if got := targets(x.File("a/src/lib.rs")); got != want {
				t.Errorf("the imports of %d files are %q", len(texts), got)
			}
			var known bool
			if before, known = Open(x.Bytes()); !known {
				t.Fatal("the index cannot be read again")
			}
		}
	}
}

func TestFilesThatCannotBeReadAreErrors(t *testing.T) {
	set := newFiles(map[string]string{"a.go": "package a\n"})
	delete(set.texts, "a.go")
	if _, err := Build(t.Context(), set, nil); store.CodeOf(err) != store.NotFound {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, newFiles(map[string]string{"a.go": ""}), nil); err == nil {
		t.Error("a cancelled index was built")
	}
}

func TestAnIndexIsTheSameAfterItWasWritten(t *testing.T) {
	texts := map[string]string{"go.mod": "module m\n"}
	for _, c := range scans {
		texts["d/"+c.file] = c.src
	}
	x := build(t, newFiles(texts), nil)
	text := x.Bytes()
	again, ok := Open(text)
	if !ok {
		t.Fatal("the bytes of an index are none")
	}
	if diff := godiff.Diff(x.Files(), again.Files(), exact); diff != "" {
		t.Error(diff)
	}
	for i := range text {
		broken := slices.Clone(text)
		broken[i] ^= 0x41
		if _, ok := Open(broken); ok {
			t.Fatalf("byte %d of an index does not matter", i)
		}
		if _, ok := Open(text[:i]); ok {
			t.Fatalf("%d bytes of an index are enough", i)
		}
	}
}

// FuzzOpen checks that Open does not panic for any bytes. FuzzOpen adds the right checksum, so that Open reads the
// bytes.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("abc"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		text := append([]byte(packHead), binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b))...)
		Open(append(text, b...))
	})
}
