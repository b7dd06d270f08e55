// Package layout has tests of all packages together: their imports, their exported names, their comments, and their
// cost at the start of a command.
package layout

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/blq-ci/blq/"

// standardOnly are packages that import only the standard library and packages of this module.
var standardOnly = []string{"store", "ingest/parse", "ingest/parse/formats", "internal/redact"}

// service are the packages that may import the modules in forbidden. Other packages must not import these modules.
var service = []string{"store/postgres", "store/blob/gcs", "internal/pgtest", "script/attack-service",
	"script/bench-service"}

// forbidden are modules that must not be linked into cmd/blq.
var forbidden = []string{"github.com/jackc/pgx", "cloud.google.com/go", "google.golang.org/grpc"}

// serving are modules that the build for jobs leaves out.
var serving = []string{"github.com/modelcontextprotocol"}

// allowed returns the packages of this module that each package may import, from
// testdata/imports.txt.
func allowed(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/imports.txt")
	if err != nil {
		t.Fatal(err)
	}
	may := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if name, imports, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			may[name] = strings.Fields(imports)
		}
	}
	return may
}

func TestImportDirections(t *testing.T) {
	known := allowed(t)
	for pkg, imports := range list(t, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", module+"...") {
		name := strings.TrimPrefix(pkg, module)
		may, listed := known[name]
		for _, imp := range imports {
			inner, ours := strings.CutPrefix(imp, module)
			if ours && !slices.Contains(may, inner) {
				t.Errorf("%s imports %s; it may import %v (known package: %v)", name, inner, may, listed)
			}
			if !ours && strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") && slices.Contains(standardOnly, name) {
				t.Errorf("%s imports %s; it may import the standard library only", name, imp)
			}
		}
	}
}

func TestArchitectureNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 && strings.Contains(cells[1], "`") {
			for i, name := range strings.Split(cells[1], "`") {
				rows[name] = i%2 == 1 // the names are between backticks
			}
		}
	}
	known := allowed(t)
	for name := range known {
		if !rows[name] {
			t.Errorf("ARCHITECTURE.md has no row for %s", name)
		}
	}
	for name, isName := range rows {
		if _, ok := known[name]; isName && !ok {
			t.Errorf("ARCHITECTURE.md has a row for %s, which testdata/imports.txt does not know", name)
		}
	}
}

func TestBinaryLinksNoServerLibraries(t *testing.T) {
	for tags, modules := range map[string][]string{"": forbidden, "job": slices.Concat(forbidden, serving)} {
		for pkg := range list(t, "-tags", tags, "-deps", "-f", "{{.ImportPath}}", module+"cmd/blq") {
			for _, f := range modules {
				if strings.HasPrefix(pkg, f) {
					t.Errorf("cmd/blq with the tags %q links %s", tags, pkg)
				}
			}
		}
	}
}

func TestServerLibrariesStayWhereTheyAre(t *testing.T) {
	for pkg, imports := range list(t, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", module+"...") {
		for _, imp := range imports {
			for _, f := range forbidden {
				if name := strings.TrimPrefix(pkg, module); strings.HasPrefix(imp, f) && !slices.Contains(service, name) {
					t.Errorf("%s imports %s; only %v may", name, imp, service)
				}
			}
		}
	}
}

// list runs go list and returns the words of each line, keyed by the first word.
func list(t *testing.T, args ...string) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lines := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) > 0 {
			lines[words[0]] = words[1:]
		}
	}
	if len(lines) < 1 {
		t.Fatal("go list named no packages")
	}
	return lines
}
