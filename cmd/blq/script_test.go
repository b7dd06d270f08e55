package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv("BLQ_TEST_IS_BLQ") != "" {
		os.Exit(run())
	}
	testscript.Main(m, map[string]func(){"blq": func() { os.Exit(run()) }})
}

// Each script is the story of a user, told by the real commands.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
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
			for _, name := range []string{"CI", "GITHUB_ACTIONS", "GITLAB_CI", "AI_AGENT", "AGENT", "CLAUDECODE", "BLQ_DIR", "BLQ_TIMEOUT"} {
				e.Setenv(name, "")
			}
			return nil
		},
	})
}
