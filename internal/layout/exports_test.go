package layout

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unused are exported names that the other packages of this module use only in tests or not at all, with the reason.
var unused = map[string]string{
	"internal/auth.Operator": "ingesttest asks as one",
	"web.address.Type":       "gomponents calls it through an interface that it does not export",
	"query/questions.New":    "cmd/blq tests that a question needs no more than a row",
}

// early are packages that may export names that no other package uses yet, with the reason.
var early = map[string]string{
	"facts/docs": "the docs tools are built on it next",
}

// forTests reports whether a package is only for tests.
func forTests(path string) bool { return strings.HasSuffix(path, "test") }

// conventional are methods that the standard library calls through interfaces. This module need not name these
// interfaces.
var conventional = []string{"As", "Is", "Unwrap", "String", "GoString", "LogValue", "Timeout", "Temporary",
	"MarshalText", "UnmarshalText"}

// sources are the packages of this module by path, type-checked without their tests.
type sources struct {
	files    map[string][]string // Go files
	exports  map[string]string   // compiled packages of other modules
	packages map[string]*types.Package
	uses     map[types.Object]bool    // objects of other packages that a package uses
	methods  map[string][]*types.Func // methods of interfaces by name
	fset     *token.FileSet
	others   types.Importer
}

func TestExportedNamesAreUsedElsewhere(t *testing.T) {
	t.Parallel()
	s := load(t)
	idle := map[string]bool{}
	waits := map[string]bool{}
	for path, p := range s.packages {
		if forTests(path) || p.Name() == "main" {
			continue
		}
		for _, o := range s.exported(p) {
			name := strings.TrimPrefix(path, module)
			switch {
			case s.uses[o]:
			case early[name] != "":
				waits[name] = true
			default:
				idle[full(o)] = true
			}
		}
	}
	for name := range early {
		if !waits[name] {
			t.Errorf("all that %s exports is used: it needs no exception", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(idle)) {
		if unused[name] == "" {
			t.Errorf("only tests use %s outside of its package: make it unexported, or delete it", name)
		}
	}
	for name := range unused {
		if !idle[name] {
			t.Errorf("%s is used, or gone: it needs no exception", name)
		}
	}
}

// load type-checks the packages of this module.
func load(t *testing.T) *sources {
	t.Helper()
	s := &sources{
		files: map[string][]string{}, exports: map[string]string{}, packages: map[string]*types.Package{},
		uses: map[types.Object]bool{}, methods: map[string][]*types.Func{}, fset: token.NewFileSet(),
	}
	var others []string
	for path, words := range list(t, "-deps", "-f", "{{.ImportPath}} {{.Dir}} {{join .GoFiles \" \"}}", module+"...") {
		if !strings.HasPrefix(path, module) {
			others = append(others, path)
			continue
		}
		for _, f := range words[1:] {
			s.files[path] = append(s.files[path], filepath.Join(words[0], f))
		}
	}
	// This module is read from its sources. Nothing of it is compiled here.
	args := append([]string{"-export", "-f", "{{.ImportPath}} {{or .Export `-`}}"}, others...)
	for path, words := range list(t, args...) {
		s.exports[path] = words[0]
	}
	s.others = importer.ForCompiler(s.fset, "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(s.exports[path]) })
	for path := range s.files {
		if _, err := s.Import(path); err != nil {
			t.Fatal(err)
		}
	}
	imported := map[*types.Package]bool{}
	for _, p := range s.packages {
		for _, i := range p.Imports() {
			imported[i] = true
		}
	}
	for p := range imported {
		for _, name := range p.Scope().Names() {
			s.addMethods(p.Scope().Lookup(name).Type())
		}
	}
	return s
}

// Import implements types.Importer. It type-checks a package of this module. For other packages, it reads export data.
func (s *sources) Import(path string) (*types.Package, error) {
	if s.files[path] == nil {
		return s.others.Import(path)
	}
	if p := s.packages[path]; p != nil {
		return p, nil
	}
	var parsed []*ast.File
	for _, name := range s.files[path] {
		f, err := parser.ParseFile(s.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	p, err := (&types.Config{Importer: s}).Check(path, s.fset, parsed, info)
	if err != nil {
		return nil, err
	}
	for _, o := range info.Uses {
		if f, ok := o.(*types.Func); ok {
			o = f.Origin() // of a generic type
		}
		if o.Pkg() != p && !forTests(path) {
			s.uses[o] = true
		}
	}
	for e, v := range info.Types {
		if _, ok := e.(*ast.InterfaceType); ok {
			s.addMethods(v.Type)
		}
	}
	s.packages[path] = p
	return p, nil
}

// full returns the full name of an object: its package, its type if it is a method, and its name.
func full(o types.Object) string {
	name := strings.TrimPrefix(o.Pkg().Path(), module) + "."
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		name += named(f.Signature().Recv().Type()).Obj().Name() + "."
	}
	return name + o.Name()
}

// named returns the named type of a type or of a pointer's target.
func named(t types.Type) *types.Named {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := t.(*types.Named)
	return n
}

// addMethods records the methods of an interface type.
func (s *sources) addMethods(t types.Type) {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return
	}
	for m := range i.Methods() {
		s.methods[m.Name()] = append(s.methods[m.Name()], m)
	}
}

// answers reports whether a method may be called through an interface.
func (s *sources) answers(m *types.Func) bool {
	return slices.ContainsFunc(s.methods[m.Name()], func(of *types.Func) bool {
		return types.Identical(of.Signature(), m.Signature())
	})
}

// exported returns the exported names of a package. It leaves out types that occur in the declaration of another name,
// enumeration values, conventional methods, and methods that an interface has.
func (s *sources) exported(pkg *types.Package) []types.Object {
	var names []types.Object
	shown := map[*types.TypeName]bool{}
	for _, name := range pkg.Scope().Names() {
		show(pkg.Scope().Lookup(name), shown)
	}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		n := named(o.Type())
		tn, isType := o.(*types.TypeName)
		if _, isConst := o.(*types.Const); o.Exported() && !(isType && shown[tn]) && !(isConst && n != nil) {
			names = append(names, o)
		}
		if !isType || n == nil {
			continue
		}
		for m := range n.Methods() {
			if m.Exported() && !slices.Contains(conventional, m.Name()) && !s.answers(m) {
				names = append(names, m)
			}
		}
	}
	return names
}

// show records the types that an exported object consists of, and the types that an unexported struct embeds.
func show(o types.Object, shown map[*types.TypeName]bool) {
	if !o.Exported() {
		if t, ok := o.Type().Underlying().(*types.Struct); ok {
			for f := range t.Fields() {
				if f.Embedded() {
					note(f.Type(), shown)
				}
			}
		}
		return
	}
	if _, isType := o.(*types.TypeName); !isType {
		note(o.Type(), shown)
		return
	}
	note(o.Type().Underlying(), shown)
	if n := named(o.Type()); n != nil {
		for m := range n.Methods() {
			if m.Exported() {
				note(m.Type(), shown)
			}
		}
	}
}

// note records the named types in a type.
func note(t types.Type, shown map[*types.TypeName]bool) {
	switch t := t.(type) {
	case *types.Named:
		shown[t.Obj()] = true
	case *types.Pointer:
		note(t.Elem(), shown)
	case *types.Slice:
		note(t.Elem(), shown)
	case *types.Array:
		note(t.Elem(), shown)
	case *types.Chan:
		note(t.Elem(), shown)
	case *types.Map:
		note(t.Key(), shown)
		note(t.Elem(), shown)
	case *types.Signature:
		note(t.Params(), shown)
		note(t.Results(), shown)
	case *types.Tuple:
		for v := range t.Variables() {
			note(v.Type(), shown)
		}
	case *types.Struct:
		for f := range t.Fields() {
			note(f.Type(), shown)
		}
	case *types.Interface:
		for m := range t.Methods() {
			note(m.Type(), shown)
		}
	}
}
