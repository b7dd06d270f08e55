package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// called are methods that Go and libraries call through interfaces of their own.
var called = strings.Fields(`MarshalJSON UnmarshalJSON MarshalText UnmarshalText Unwrap
	BestIndex Disconnect Eof Rowid
	CompletePromptArgument CompleteResourceArgument
	Initialize Initialized NotificationChannel SessionID`)

// others are folders without code of ours.
var others = []string{"testdata", "node_modules", "examples", "demo"}

// TestExportedNamesAreUsedElsewhere finds functions, variables, constants and methods that no other
// directory names. It reads names, not types: a name is used where any package says x.Name, or has
// it in an interface. Constants with a type belong to it, and stay.
func TestExportedNamesAreUsedElsewhere(t *testing.T) {
	exported := map[string]map[string]string{} // by name: where it is declared, by directory
	users := map[string]map[string]bool{}      // by name: directories that name it
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(others, d.Name()) || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		use := func(id *ast.Ident, where string) {
			if users[id.Name] == nil {
				users[id.Name] = map[string]bool{}
			}
			users[id.Name][where] = true
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				use(n.Sel, dir)
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					for _, name := range m.Names {
						use(name, "an interface")
					}
				}
			}
			return true
		})
		if strings.HasSuffix(path, "_test.go") || file.Name.Name == "main" {
			return nil
		}
		for _, name := range declared(file) {
			if exported[name] == nil {
				exported[name] = map[string]string{}
			}
			exported[name][dir] = path
		}
		return nil
	})
	if err != nil || len(exported) < 300 {
		t.Fatal(len(exported), err)
	}
	for name, places := range exported {
		for dir, path := range places {
			used := slices.Contains(called, name)
			for user := range users[name] {
				used = used || user != dir
			}
			if !used {
				t.Errorf("%s: no other package uses %s: unexport it, or delete it", path, name)
			}
		}
	}
}

// declared returns the exported functions, methods, variables and untyped constants of a file.
func declared(file *ast.File) []string {
	var names []string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && v.Names[0].IsExported() && (d.Tok == token.VAR || v.Type == nil && v.Values != nil) {
					names = append(names, v.Names[0].Name)
				}
			}
		}
	}
	return names
}
