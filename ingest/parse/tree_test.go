package parse

import (
	"slices"
	"strings"
	"testing"
)

type files []string

func (f files) Has(file string) bool { return slices.Contains(f, file) }

func (f files) Ending(parts, dir string) []string {
	var found []string
	for _, file := range f {
		if (dir == "" || strings.HasPrefix(file, dir+"/")) && (file == parts || strings.HasSuffix(file, "/"+parts)) {
			found = append(found, file)
		}
	}
	return found[:min(2, len(found))]
}

func (f files) Modules() []GoModule { return nil }

func (f files) Package(string, string) (string, bool) { return "", false }

func (f files) CargoRoot(string) (string, bool) { return "", false }

func TestFilesAreFoundInTheWorkTree(t *testing.T) {
	tree := files{"main.go", "api/main.go", "web/main.go", "api/only.go", "web/src/app.ts", "a/x.c", "b/x.c", "top.c",
		"a/src/deep.c", "b/src/deep.c"}
	for _, tt := range []struct {
		name, dir, in string
		work          []string
		file, want    string
	}{
		{name: "in the directory of the command", file: "main.go", want: "main.go"},
		{name: "below the top", dir: "/w/api", file: "./main.go", want: "api/main.go"},
		{name: "after cd", work: []string{"api"}, file: "./main.go", want: "api/main.go"},
		{name: "after cd to an absolute directory", work: []string{"/w/api"}, file: "main.go", want: "api/main.go"},
		{name: "from the top after cd", work: []string{"api"}, file: "top.c", want: "top.c"},
		{name: "after cd, named from the top", work: []string{"api"}, file: "web/main.go", want: "web/main.go"},
		{name: "in one of two directories", work: []string{"api", "web"}, file: "only.go", want: "api/only.go"},
		{name: "in both directories", work: []string{"api", "web"}, file: "main.go", want: ""},
		{name: "the only one of that name", file: "app.ts", want: "web/src/app.ts"},
		{name: "one of two of that name", file: "x.c", want: ""},
		{name: "told by the tool", in: "b", file: "x.c", want: "b/x.c"},
		{name: "told by the tool in a shell that changed", work: []string{"api"}, in: "/w/b", file: "x.c", want: "b/x.c"},
		{name: "below the directory of the tool", in: "a", file: "deep.c", want: "a/src/deep.c"},
		{name: "below the directory of the command", dir: "/w/b", file: "deep.c", want: "b/src/deep.c"},
		{name: "a file that is gone", file: "gen/y.c", want: "gen/y.c"},
		{name: "above the directory", dir: "/w/api", file: "../web/src/app.ts", want: "web/src/app.ts"},
		{name: "absolute", file: "/w/a/x.c", want: "a/x.c"},
		{name: "outside", file: "/usr/include/x.c", want: "/usr/include/x.c"},
	} {
		p := newPaths(Options{Root: "/w", Dir: tt.dir, Tree: tree, WorkDirs: tt.work})
		if got := p.clean(tt.file, tt.in); got != tt.want {
			t.Errorf("%s: %q is %q, want %q", tt.name, tt.file, got, tt.want)
		}
	}
}

// modules is a work tree that has Go modules and no files.
type modules struct {
	files
	list []GoModule
}

func (m modules) Modules() []GoModule { return m.list }

// A package belongs to the innermost module of the work tree. A module whose path only begins with the same letters is
// another one.
func TestTheModuleOfAPackage(t *testing.T) {
	tree := modules{list: []GoModule{{"x", "/w"}, {"x/abc/tools", "/w/abc/tools"}}}
	s := &Scan{module: GoModule{"x/ab", "/w/ab"}, paths: paths{tree: tree}}
	for importPath, want := range map[string]string{
		"x/ab": "x/ab", "x/ab/p": "x/ab", "x/abc/p": "x", "x/abc/tools": "x/abc/tools", "x/abc/toolsmith": "x", "y/p": "x/ab",
	} {
		if got := s.GoModule(importPath); got.Path != want {
			t.Errorf("%s is in %s, want %s", importPath, got.Path, want)
		}
	}
}
