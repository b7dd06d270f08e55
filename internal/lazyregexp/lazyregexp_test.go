package lazyregexp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/lazyregexp"
)

func TestMatching(t *testing.T) {
	re := lazyregexp.New(`(\w)(\d)`)
	if !re.MatchString("a1") || re.MatchString("a") || re.ReplaceAllString("a1 b2", "$2$1") != "1a 2b" {
		t.Error("it does not match as regexp does")
	}
	if got := re.FindStringSubmatch("a1 b2"); !slices.Equal(got, []string{"a1", "a", "1"}) {
		t.Errorf("the first match is %q", got)
	}
	if got := re.FindStringIndex("- a1"); !slices.Equal(got, []int{2, 4}) {
		t.Errorf("the first match is at %v", got)
	}
	if got := re.FindAllStringSubmatch("a1 b2", -1); len(got) != 2 || got[1][2] != "2" {
		t.Errorf("the matches are %q", got)
	}
}

// Each expression in the source is a literal, and regexp can compile it. The Go compiler does not check this.
func TestEveryExpressionCompiles(t *testing.T) {
	found := 0
	check := func(file string) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isNew(call.Fun) {
				return true
			}
			found++
			expr, ok := text(call.Args[0])
			if !ok {
				t.Errorf("%s: an expression is not a literal", file)
				return true
			}
			if _, err := regexp.Compile(expr); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			return true
		})
	}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() &&
			(d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".go") {
			check(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 20 {
		t.Errorf("only %d expressions were found", found)
	}
}

func isNew(fun ast.Expr) bool {
	s, ok := fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "New" {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && pkg.Name == "lazyregexp"
}

// text returns the value of a string literal, or of several literals joined by +.
func text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		left, ok := text(e.X)
		right, ok2 := text(e.Y)
		return left + right, e.Op == token.ADD && ok && ok2
	}
	return "", false
}
