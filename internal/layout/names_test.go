package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ordinary are common English words. If a comment uses such a word as the name of a parameter or a result, a reader
// takes the word for prose.
var ordinary = strings.Fields(`above after again all at away before below both by done each few first found given has
	held here in is kept known last late left less like made many may more most next of off on only other others out
	over own past read said same seen since soon taken then there to under was what whole why with within without`)

// announced matches text that shows that the next word is a name: "the parameter last", from..to, text[at:].
var announced = regexp.MustCompile(`(parameters?|results?|argument|function|callback|map|list|value|reader|writer|` +
	`field|number|memory|index) $|[.][.]$|\[\w*:?$`)

// noun matches text that often follows a noun, and rarely follows a preposition or an adjective.
const noun = `( (is|are|was|has|have|holds|says|names|reports|returns|begins|must|contains|lacks)\b|[.,;:)]|$)`

func TestCommentsUseNoOrdinaryWordAsAName(t *testing.T) {
	t.Parallel()
	for _, words := range list(t, "-f", "{{.ImportPath}} {{.Dir}} {{join .GoFiles \" \"}}", module+"...") {
		for _, file := range words[1:] {
			checkNames(t, filepath.Join(words[0], file))
		}
	}
}

// checkNames checks the comments of the functions in a file. It reports each parameter or result that a comment uses
// like an ordinary word.
func checkNames(t *testing.T, path string) {
	t.Helper()
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil {
			for _, name := range misread(f) {
				t.Errorf("%s: the comment on %s uses its parameter or result %q like an ordinary word; give it "+
					"another name, or write \"the parameter %s\"", files.Position(f.Pos()), f.Name.Name, name, name)
			}
		}
	}
}

// misread returns the parameters and results whose names the comment of the function uses like ordinary words.
func misread(f *ast.FuncDecl) []string {
	doc := strings.Join(strings.Fields(f.Doc.Text()), " ")
	var found []string
	for _, list := range []*ast.FieldList{f.Type.Params, f.Type.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				if slices.Contains(ordinary, name.Name) && isProse(doc, name.Name) {
					found = append(found, name.Name)
				}
			}
		}
	}
	return found
}

// isProse reports whether a comment uses a word like a noun, although the text before the word does not show that the
// word is a name.
func isProse(doc, word string) bool {
	for _, at := range regexp.MustCompile(`\b`+word+noun).FindAllStringIndex(doc, -1) {
		if before := doc[:at[0]]; !strings.HasSuffix(before, `"`) && !announced.MatchString(before) {
			return true
		}
	}
	return false
}

func TestMisread(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]bool{
		"// f reads a list. If last is 0, it returns nil.":          true,
		"// f adds runs to last, oldest first.":                     true,
		"// f returns the lines up to last.":                        true,
		"// f returns the last line.":                               false,
		"// f reads a list. If the parameter last is 0, f is done.": false,
		"// f reads a list. \"last\" is its last line.":             false,
	} {
		tree, err := parser.ParseFile(token.NewFileSet(), "f.go", "package f\n"+comment+"\nfunc f(last int) {}",
			parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := misread(tree.Decls[0].(*ast.FuncDecl)); (len(got) > 0) != want {
			t.Errorf("%s: got %q", comment, got)
		}
	}
}
