package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/blq-ci/blq/internal/capture"
)

// program is the path of the blq that tests start. This blq starts in half the time of the test program, because the
// test program also contains a service.
var program string

func TestMain(m *testing.M) {
	capture.Reexec()
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) { // the parent process ignores it, but commands under test must not
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	os.Exit(testWith(m))
}

// testWith builds the program and runs the tests.
func testWith(m *testing.M) int {
	dir, err := os.MkdirTemp("", "blq-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-tags", tags(), "-ldflags=-s -w", "-o", dir+string(filepath.Separator), ".")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "go build:", err)
		return 1
	}
	program = filepath.Join(dir, "blq")
	return m.Run()
}

// tags returns the build tags of the tests.
func tags() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			return s.Value
		}
	}
	return ""
}

// Each script does what a user may do, with the real commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"shape": shape,
			// service starts a server for the script, and sets variables with the server's URL and token.
			"service": func(ts *testscript.TestScript, _ bool, _ []string) {
				ts.Setenv("URL", newService(t, nil).URL)
				ts.Setenv("BLQ_TOKEN", testToken)
			},
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", filepath.Dir(program)+string(filepath.ListSeparator)+e.Getenv("PATH"))
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS"} {
				if v := os.Getenv(name); v != "" {
					e.Setenv(name, v)
				}
			}
			home, err := os.UserHomeDir()
			if err != nil {
				return err
			}
			if os.Getenv("GOCACHE") == "" {
				e.Setenv("GOCACHE", home+"/.cache/go-build")
			}
			e.Setenv("GOTOOLCHAIN", "local")
			for _, name := range []string{"CI", "GITHUB_ACTIONS", "GITLAB_CI", "AI_AGENT", "AGENT", "CLAUDECODE", "BLQ_DIR",
				"BLQ_TIMEOUT", "BLQ_SERVER", "BLQ_TOKEN", "BLQ_REPO", "ACTIONS_ID_TOKEN_REQUEST_URL", "NO_COLOR",
				"CLICOLOR_FORCE"} {
				e.Setenv(name, "")
			}
			return nil
		},
	})
}

// shape compares the fields in the JSON that the last command printed with the fields in a file. "errors[].ref" is a
// field of the objects in a list. A field that starts with "?" in the file may be missing.
func shape(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shape FILE")
	}
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	got := map[string]bool{}
	fields(v, "", got)
	for _, want := range strings.Fields(ts.ReadFile(args[0])) {
		name, optional := strings.CutPrefix(want, "?")
		if !got[name] && !optional {
			ts.Fatalf("no field %s", name)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		ts.Fatalf("fields that nobody expects: %v", slices.Sorted(maps.Keys(got)))
	}
}

func fields(v any, path string, seen map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			fields(inner, strings.TrimPrefix(path+"."+k, "."), seen)
		}
	case []any:
		if len(v) == 0 {
			seen[path+"[]"] = true
		}
		for _, inner := range v {
			fields(inner, path+"[]", seen)
		}
	default:
		seen[path] = true
	}
}
