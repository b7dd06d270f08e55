package dispatch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/dispatch"
	"github.com/blq-ci/blq/store"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "dispatch.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const full = `
[[command]]
repo = "acme/web"
name = "test"
workflow = "ci.yaml"

[[command]]
repo = "acme/shop"
name = "test"
workflow = "ci.yml"
branch = "next"
branches = ["feature/*"]
description = "the suite"
inputs = { path = "tests/", debug = "" }
`

func TestLoad(t *testing.T) {
	got, err := dispatch.Load(write(t, full))
	if err != nil {
		t.Fatal(err)
	}
	want := []dispatch.Command{
		{Repo: "acme/shop", Name: "test", Workflow: "ci.yml", Branch: "next", Branches: []string{"feature/*"},
			Description: "the suite", Inputs: map[string]string{"path": "tests/", "debug": ""}},
		{Repo: "acme/web", Name: "test", Workflow: "ci.yaml", Branch: "main"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	for text, words := range map[string]string{
		"":                           "has no command",
		"[[command]\n":               ":1: ",
		"[[command]]\nx = 1":         ":2: there is no setting command.x; there are repo, name, ",
		"[[command]]\nbrach = \"x\"": ":2: there is no setting command.brach; did you mean command.branch?",
		"[[comand]]\nname = \"x\"":   ":1: there is no setting comand; did you mean command?",
		"[[command]]\nname = \"test\"\nworkflow = \"ci.yml\"": "command 1 (test " +
			"of no repository): repo must be owner/name",
		"[[command]]\nrepo = \"acme/shop\"\nworkflow = \"ci.yml\"":                                   "it needs a name",
		"[[command]]\nrepo = \"acme/shop\"\nname = \"x\"\nworkflow = \"../ci.yml\"":                  `"../ci.yml" is not a file of .github/workflows`,
		"[[command]]\nrepo = \"acme/shop\"\nname = \"x\"\nworkflow = \"ci.yml\"\nbranch = \"a b\"":   `"a b" is not a branch`,
		"[[command]]\nrepo = \"acme/shop\"\nname = \"x\"\nworkflow = \"ci.yml\"\nbranches = [\"[\"]": `"[" is not a pattern`,
		full + strings.Replace(
			full, "next", "main", 1): "test of acme/web is there twice",
	} {
		file := write(t, text)
		_, err := dispatch.Load(file)
		if store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(), words) ||
			!strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v, want %q", text, err, words)
		}
	}
	if _, err := dispatch.Load("/nowhere"); store.CodeOf(err) != store.Invalid {
		t.Error(err)
	}
}
