//go:build unix && browser

package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/mcp/mcptest"
	"github.com/blq-ci/blq/store"
)

// A script opens the service in a real browser, signs in at a fake GitHub, and makes attacks. The command make ui-check
// sets BLQ_UI_CHECK to the script and its arguments.
func TestBrowsersLookAtTheService(t *testing.T) {
	script := os.Getenv("BLQ_UI_CHECK")
	if script == "" {
		t.Fatal("BLQ_UI_CHECK names no script: run make ui-check")
	}
	o := newOffice(t, "")
	o.enrol(mcptest.Mine, "ann", "bob")
	o.enrol(mcptest.Theirs, "bob")
	mcptest.SeedMine(t, o.fixture())
	mcptest.SeedTheirs(t, o.fixture())
	about, err := json.Marshal(map[string]string{"front": o.front.URL, "api": o.url, "control": o.control(t),
		"mine": mcptest.Mine, "theirs": mcptest.Theirs, "token": o.sender(mcptest.Mine)})
	check(t, err)
	c := exec.CommandContext(t.Context(), "node", strings.Fields(script)...)
	c.Env = append(os.Environ(), "UI_SERVICE="+string(about), "NODE_TLS_REJECT_UNAUTHORIZED=0", "NODE_NO_WARNINGS=1")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		t.Errorf("%s: %v", script, err)
	}
}

// control returns a URL for the script. With requests to this URL, the script chooses the person who is signed in at
// GitHub, and whether the service can be reached.
func (o *office) control(t *testing.T) string {
	var gone atomic.Bool
	to, err := url.Parse(o.url)
	check(t, err)
	service := httputil.NewSingleHostReverseProxy(to)
	o.front.Config.ErrorLog = log.New(io.Discard, "", 0) // browsers complain about the certificate
	o.front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			panic(http.ErrAbortHandler) // like a server that does not exist
		}
		service.ServeHTTP(w, r)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch what, value, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); what {
		case "browses":
			o.github.Browses(value)
		case "gone":
			gone.Store(value == "true")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// sender creates a token for sending runs of a repository and asking about them.
func (o *office) sender(repo string) string {
	secret, token, err := auth.NewToken(store.Token{Name: "sender", Repos: []string{repo}, CreatedAt: time.Now(),
		Scopes: []store.TokenScope{store.ScopeIngest, store.ScopeRead, store.ScopeQuery}})
	check(o.T, err)
	check(o.T, o.places.store.CreateToken(o.Context(), token))
	return secret
}
