// Package layout holds the test that keeps the import directions.
package layout

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/blq-ci/blq/"

// allowed says which packages of this module a package may import. A package
// that is not here may import none: add it with its reason in ARCHITECTURE.md.
var allowed = map[string][]string{
	"store":                  {},
	"store/storetest":        {"store"},
	"store/sqlite":           {"store"},
	"store/postgres":         {"store", "store/sqlite"},
	"store/blob":             {"store"},
	"store/blob/blobtest":    {"store"},
	"store/blob/gcs":         {"store", "store/blob"},
	"internal/blobs":         {"store", "store/blob", "store/blob/gcs"},
	"store/chunk":            {"store"},
	"ingest/parse":           {"store"},
	"ask":                    {"store", "store/chunk", "ingest/parse"},
	"ask/asktest":            {"ask", "internal/facts", "store", "store/blob", "store/chunk", "store/sqlite"},
	"mcp":                    {"store", "ask", "internal/report", "internal/shellword", "internal/wire"},
	"mcp/mcptest":            {"store", "ask/asktest"},
	"internal/report":        {"store", "ask"},
	"ingest/api":             {"store"},
	"ingest":                 {"store", "store/chunk", "ingest/api", "internal/auth", "ask", "mcp", "ask/askhttp"},
	"ingest/ingesttest":      {"store", "store/chunk", "ingest", "ingest/api", "internal/auth", "ask", "mcp"},
	"ingest/client":          {"store", "store/chunk", "ingest/api"},
	"internal/auth":          {"store", "ingest/api"},
	"internal/upkeep":        {"store"},
	"internal/shellword":     {},
	"internal/capture":       {"store"},
	"internal/facts":         {"store"},
	"internal/workspace":     {"store", "store/blob", "store/sqlite", "internal/shellword"},
	"internal/record":        {"store", "store/chunk", "ingest/parse", "internal/capture", "internal/facts", "internal/workspace"},
	"internal/local":         {"store", "ask", "mcp", "ingest/parse", "internal/capture", "internal/facts", "internal/record", "internal/shellword", "internal/workspace"},
	"cmd/blq":                {"store", "ask", "mcp", "ingest/parse", "internal/capture", "internal/facts", "internal/local", "internal/record", "internal/report", "internal/shellword", "internal/workspace", "internal/clientconfig", "ingest/client", "ask/askhttp"},
	"cmd/blqd":               {"store", "store/sqlite", "store/postgres", "ask", "mcp", "ingest", "internal/auth", "internal/blobs", "internal/upkeep"},
	"e2e/conformance":        {"internal/wire"},
	"script/golden":          {},
	"script/bench-service":   {"store", "store/postgres", "store/chunk", "ingest/api", "internal/auth", "internal/blobs", "internal/pgtest"},
	"internal/wire":          {},
	"internal/pgtest":        {},
	"internal/clientconfig":  {"store"},
	"internal/auth/authtest": {},
	"ask/askhttp":            {"ask", "store", "internal/report"},
}

// standardOnly are the packages that import nothing from outside of Go.
var standardOnly = []string{"store", "ingest/parse"}

// service are the packages of ours that import these modules themselves. Who
// is to be linked into cmd/blq imports none of them.
var service = []string{"store/postgres", "store/blob/gcs", "internal/pgtest", "script/bench-service"}

// forbidden are modules that the binary which every job downloads must not link.
var forbidden = []string{"github.com/jackc/pgx", "cloud.google.com/go", "google.golang.org/grpc"}

func TestImportDirections(t *testing.T) {
	for pkg, imports := range list(t, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", module+"...") {
		name := strings.TrimPrefix(pkg, module)
		may, known := allowed[name]
		for _, imp := range imports {
			inner, ours := strings.CutPrefix(imp, module)
			if ours && !slices.Contains(may, inner) {
				t.Errorf("%s imports %s; it may import %v (known package: %v)", name, inner, may, known)
			}
			if !ours && strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") && slices.Contains(standardOnly, name) {
				t.Errorf("%s imports %s; it may import the standard library only", name, imp)
			}
		}
	}
}

func TestBinaryLinksNoServerLibraries(t *testing.T) {
	for pkg := range list(t, "-deps", "-f", "{{.ImportPath}}", module+"cmd/blq") {
		for _, f := range forbidden {
			if strings.HasPrefix(pkg, f) {
				t.Errorf("cmd/blq links %s", pkg)
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

// list runs go list and returns the words of each line, by the first.
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
