package ci_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/ci"
)

func TestTree(t *testing.T) {
	for _, versioned := range []bool{true, false} {
		root := t.TempDir()
		for file, text := range map[string]string{
			"main.go": "", "a/x.c": "", "b/x.c": "", "a/only.c": "", "node_modules/m/only.c": "",
			".gitignore": "node_modules\n", "go.mod": "module example.com/top\n",
			"tools/go.mod": "module example.com/top/tools\n",
		} {
			name := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if versioned {
			if out, err := exec.Command("git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		tree := ci.NewTree(root)
		if !tree.Has("a/x.c") || tree.Has("x.c") || tree.Has("a") || tree.Has("../x") {
			t.Errorf("versioned %v: what is there is not known", versioned)
		}
		if got := tree.Ending("x.c", ""); len(got) != 2 {
			t.Errorf("versioned %v: x.c is %q", versioned, got)
		}
		if diff := cmp.Diff([]string{"a/only.c"}, tree.Ending("only.c", "")); diff != "" {
			t.Errorf("versioned %v:\n%s", versioned, diff)
		}
		want := map[string]string{"example.com/top": root, "example.com/top/tools": filepath.Join(root, "tools")}
		got := map[string]string{}
		for _, m := range tree.Modules() {
			got[m.Path] = m.Dir
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("versioned %v:\n%s", versioned, diff)
		}
	}
}

var _ parse.Tree = ci.NewTree("")

func TestPackagesAreFoundByTheirNames(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"package.json":   `{"name": "top"}`,
		"a/package.json": `{"version": "1", "name": "@shop/cart"}`,
		"b/package.json": `{"name": "twice"}`, "c/package.json": `{"name": "twice"}`, "d/package.json": `{`,
		"pom.xml": `<project><artifactId> parent </artifactId></project>`,
		"core/pom.xml": `<project><parent><artifactId>parent</artifactId></parent>
			<artifactId>shop-core</artifactId></project>`,
		"Cargo.toml":            "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\n  \"crates/out\",\n]\n",
		"alone/Cargo.toml":      "[package]\n[workspace]\n",
		"crates/x/Cargo.toml":   "[package]\nversion = \"1\"\nname = \"my-x\"\n",
		"crates/out/Cargo.toml": "[package]\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree := ci.NewTree(root)
	for _, tt := range []struct{ manifest, name, dir string }{
		{"package.json", "top", ""}, {"package.json", "@shop/cart", "a"}, {"pom.xml", "parent", ""},
		{"pom.xml", "shop-core", "core"}, {"Cargo.toml", "my_x", "crates/x"},
	} {
		if dir, ok := tree.Package(tt.manifest, tt.name); dir != tt.dir || !ok {
			t.Errorf("%s %s is in %q, %v; want %q", tt.manifest, tt.name, dir, ok, tt.dir)
		}
	}
	for _, name := range []string{"twice", "nosuch", ""} {
		if dir, ok := tree.Package("package.json", name); ok {
			t.Errorf("%q is in %q", name, dir)
		}
	}
	for dir, want := range map[string]string{"": "", ".": "", "crates/x": "", "crates/x/src": "", "alone": "alone",
		"alone/src": "alone"} {
		if got, ok := tree.CargoRoot(dir); got != want || !ok {
			t.Errorf("the workspace of %q is %q, %v; want %q", dir, got, ok, want)
		}
	}
	for _, dir := range []string{"crates/out", "crates/out/src", "../elsewhere"} {
		if got, ok := tree.CargoRoot(dir); ok {
			t.Errorf("the workspace of %q is %q", dir, got)
		}
	}
}
