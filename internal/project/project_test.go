package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

// env returns a getenv with one variable.
func env(key, value string) func(string) string {
	return func(name string) string {
		if name == key {
			return value
		}
		return ""
	}
}

var noEnv = env("", "")

// mkdirs creates directories below a new temporary directory, and returns the temporary directory.
func mkdirs(t *testing.T, names ...string) string {
	t.Helper()
	top := t.TempDir()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(top, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

// newProject creates a folder and opens it.
func newProject(t *testing.T) *Project {
	t.Helper()
	dir := filepath.Join(t.TempDir(), DirName)
	if _, err := Create(dir); err != nil {
		t.Fatal(err)
	}
	w, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func wantCode(t *testing.T, err error, code store.Code) {
	t.Helper()
	if store.CodeOf(err) != code {
		t.Errorf("error %v has code %q, want %q", err, store.CodeOf(err), code)
	}
}

func TestPlaceOfTheFolder(t *testing.T) {
	t.Parallel()
	top := mkdirs(t, "git/.git", "git/a/b", "git/a/.lq", "plain/sub", "elsewhere")
	for _, tt := range []struct{ from, env, find, place string }{
		{from: "git", place: "git/.lq"},
		{from: "git/a", find: "git/a/.lq", place: "git/a/.lq"},
		{from: "git/a/b", find: "git/a/.lq", place: "git/a/.lq"},
		{from: "plain/sub", place: "plain/sub/.lq"},
		{from: "git/a/b", env: "elsewhere", find: "elsewhere", place: "elsewhere"},
		{from: "plain", env: "not/there", place: "not/there"},
	} {
		getenv := noEnv
		if tt.env != "" {
			getenv = env("BLQ_DIR", filepath.Join(top, tt.env))
		}
		found, err := Find(filepath.Join(top, tt.from), getenv)
		if tt.find == "" {
			wantCode(t, err, store.NotFound)
		} else if want := filepath.Join(top, tt.find); err != nil || found != want {
			t.Errorf("Find(%s) with BLQ_DIR=%q = %s, %v, want %s", tt.from, tt.env, found, err, want)
		}
		if got, want := Place(filepath.Join(top, tt.from), getenv), filepath.Join(top, tt.place); got != want {
			t.Errorf("Place(%s) with BLQ_DIR=%q = %s, want %s", tt.from, tt.env, got, want)
		}
	}
}

func TestFileNamedLikeTheFolderIsNotTheFolder(t *testing.T) {
	t.Parallel()
	top := mkdirs(t, "sub")
	if err := os.WriteFile(filepath.Join(top, "sub", DirName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Find(filepath.Join(top, "sub"), noEnv)
	wantCode(t, err, store.NotFound)
	_, err = Create(filepath.Join(top, "sub", DirName))
	wantCode(t, err, store.Unavailable)
}

func TestCreateKeepsTheFolderOutOfGitAndIsRepeatable(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", DirName)
	for _, want := range []bool{true, false} {
		if made, err := Create(dir); made != want || err != nil {
			t.Errorf("Create = %v, %v, want %v", made, err, want)
		}
	}
	ignored, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil || !strings.Contains("\n"+string(ignored), "\n*\n") {
		t.Errorf(".gitignore is %q, %v", ignored, err)
	}
	if config, err := ReadConfig(filepath.Join(dir, ConfigName)); err != nil || len(config.Commands) != 0 {
		t.Errorf("the first configuration: %v, %v", config, err)
	}
}

func TestExamplesInTheFirstConfigurationAreRight(t *testing.T) {
	t.Parallel()
	_, examples, _ := strings.Cut(defaultConfig, "#\n")
	c, err := parseConfig("config.toml", []byte(strings.ReplaceAll("\n"+examples, "\n# ", "\n")))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.Names(), " "); got != "build test" || c.Retention.Days != 90 {
		t.Errorf("commands %s, retention %v", got, c.Retention)
	}
}

func TestRootIsBesideTheFolderUnlessNamed(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	if want := filepath.Dir(w.Dir); w.Root() != want {
		t.Errorf("Root = %s, want %s", w.Root(), want)
	}
	w.SetRoot("/somewhere")
	if w.Root() != "/somewhere" {
		t.Errorf("Root = %s after SetRoot", w.Root())
	}
}
