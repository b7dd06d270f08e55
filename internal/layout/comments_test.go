package layout

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unlisted matches words for packages that a sentence does not name.
var unlisted = regexp.MustCompile(`whatever|same packages|the packages|such as`)

// A package comment may have a sentence with "package may import". This sentence must name exactly the packages that
// testdata/imports.txt allows. It may leave out packages if it has words for them, such as "the same packages".
func TestPackageCommentsNameTheirImports(t *testing.T) {
	t.Parallel()
	known, checked := allowed(t), 0
	for pkg, words := range list(t, "-f", "{{.ImportPath}} {{.Dir}} {{join .GoFiles \" \"}}", module+"...") {
		name := strings.TrimPrefix(pkg, module)
		for _, file := range words[1:] {
			tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(words[0], file), nil,
				parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			_, sentence, ok := strings.Cut(strings.ReplaceAll(tree.Doc.Text(), "\n", " "), "ackage may import ")
			if !ok {
				continue
			}
			checked++
			sentence, _, _ = strings.Cut(sentence, ". ")
			sentence, _, _ = strings.Cut(sentence, " never ")
			named := strings.FieldsFunc(sentence, func(r rune) bool { return strings.ContainsRune(" ,.:;", r) })
			named = slices.DeleteFunc(named, func(w string) bool { _, ok := known[w]; return !ok })
			for _, w := range named {
				if !slices.Contains(known[name], w) {
					t.Errorf("%s/%s says that the package may import %s, which testdata/imports.txt does not allow", name, file, w)
				}
			}
			if unlisted.MatchString(sentence) {
				continue
			}
			for _, w := range known[name] {
				if !slices.Contains(named, w) {
					t.Errorf("%s/%s does not say that the package may import %s", name, file, w)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d package comments say what the package may import", checked)
	}
}
