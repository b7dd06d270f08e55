package graph

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/store"
)

// Documents holds the existing documents that nodes name.
type Documents struct {
	files map[string]facts.File
	words map[string]map[string]bool // words by path
}

// DocPaths returns the paths of the documents that nodes name, sorted.
func (g *Graph) DocPaths() []string {
	var list []string
	for i := range g.Nodes {
		for _, doc := range g.Nodes[i].Docs {
			list = append(list, docPath(doc))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ReadDocuments reads the documents that nodes name. Documents that the set lacks count as missing.
func ReadDocuments(ctx context.Context, g *Graph, set facts.Set) (*Documents, error) {
	d := &Documents{files: map[string]facts.File{}, words: map[string]map[string]bool{}}
	named := g.DocPaths()
	for _, f := range set.Files() {
		if _, is := slices.BinarySearch(named, f.Path); !is {
			continue
		}
		text, err := set.Read(ctx, f)
		if store.CodeOf(err) == store.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		d.files[f.Path], d.words[f.Path] = f, words(string(text))
	}
	return d, nil
}

// docPath returns the path of a document that a node names.
func docPath(doc string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.TrimSpace(doc)), "/")
}

// words returns the words of a text in lower case. The result also has each word with - or _ without these characters.
func words(text string) map[string]bool {
	list := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return r < 0x80 && r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}) {
		if word = strings.Trim(word, "-_"); word == "" || list[word] {
			continue
		}
		if list[word] = true; strings.ContainsAny(word, "-_") {
			list[plain.Replace(word)] = true
		}
	}
	return list
}

// plain removes the separators inside of a name.
var plain = strings.NewReplacer("-", "", "_", "")

// mention reports whether any of the documents mentions a file. A document may mention the file's name, its folder
// below the source of the node, or one of its symbols.
func (d *Documents) mention(docs []string, source string, f *code.File) bool {
	stem := strings.ToLower(path.Base(f.Path))
	stem, _, _ = strings.Cut(stem, ".")
	names := []string{plain.Replace(stem)}
	dir := strings.ToLower(path.Dir(strings.TrimPrefix(f.Path, sourceKey(source)+"/")))
	if dir != "." && sourceKey(source) != f.Path {
		names = append(names, plain.Replace(path.Base(dir)))
	}
	for _, doc := range docs {
		known := d.words[docPath(doc)]
		if slices.ContainsFunc(names, func(n string) bool { return known[n] }) {
			return true
		}
		if len(known) > 0 && slices.ContainsFunc(f.Symbols, func(s code.Symbol) bool {
			return len(s.Name) > 2 && known[strings.ToLower(s.Name)]
		}) {
			return true
		}
	}
	return false
}

// isModule reports whether the documents of a node should mention a file. Such a file defines symbols, and is neither a
// test nor a fixture.
func isModule(f *code.File) bool {
	if len(f.Symbols) == 0 {
		return false
	}
	base := strings.ToLower(path.Base(f.Path))
	stem, rest, _ := strings.Cut(base, ".")
	if strings.HasSuffix(stem, "_test") || strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_spec") ||
		strings.HasPrefix(rest, "test.") || strings.HasPrefix(rest, "spec.") || isCamelTest(path.Base(f.Path)) {
		return false
	}
	for part := range strings.SplitSeq(path.Dir(f.Path), "/") {
		switch part {
		case "test", "tests", "__tests__", "spec", "specs":
			return false
		}
	}
	return !isFixture(path.Dir(f.Path))
}

// isCamelTest reports whether a file has the name of a test in Java, Kotlin, Scala, C#, Swift or PHP.
func isCamelTest(base string) bool {
	stem, _, _ := strings.Cut(base, ".")
	for _, ending := range []string{"Test", "Tests", "Spec"} {
		if len(stem) > len(ending) && strings.HasSuffix(stem, ending) {
			return true
		}
	}
	return false
}
