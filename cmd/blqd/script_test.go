package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv("BLQ_TEST_IS_BLQD") != "" {
		os.Exit(run())
	}
	testscript.Main(m, map[string]func(){
		"blqd":     func() { slowDatabase = time.Hour; os.Exit(run()) },
		"blqd-far": func() { slowDatabase = 0; os.Exit(run()) }, // its database counts as slow
	})
}

// Each script does what an operator may do, with the real commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	forge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/repos/acme/shop" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `{"id": 1296269, "full_name": "acme/shop", "default_branch": "trunk", "private": true}`)
	}))
	t.Cleanup(forge.Close) // the scripts run after this function
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			for _, v := range os.Environ() {
				if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "BLQ_") || strings.HasPrefix(name, "XDG_") {
					e.Setenv(name, "")
				}
			}
			e.Setenv("GITHUB_API", forge.URL)
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
	})
}
