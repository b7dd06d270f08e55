//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/mcp/mcptest"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// world is a service in this process, with its store.
type world struct {
	*testing.T
	url    string
	places *places
}

// newWorld starts a service on SQLite, or on the database at a URL.
func newWorld(t *testing.T, database string) *world {
	t.Helper()
	return newWorldWith(t, database, func(*Config) {})
}

func newWorldWith(t *testing.T, database string, change func(*Config)) *world {
	t.Helper()
	c := defaults()
	c.Data, c.Database, c.Auth, c.GitHubAPI = t.TempDir(), database, authRequired, ""
	c.Limits.Requests, c.Limits.RequestsBurst = 1_000_000, 1_000_000 // all requests of a test have the same caller
	change(&c)
	a := &app{stdout: io.Discard, stderr: io.Discard, config: c}
	p, err := a.open(t.Context())
	check(t, err)
	t.Cleanup(func() { p.Close() })
	s, err := newService(&a.config, p, slog.New(slog.DiscardHandler))
	check(t, err)
	server := s.unstarted()
	server.Start()
	t.Cleanup(server.Close)
	return &world{t, server.URL, p}
}

func (w *world) fixture() *querytest.Fixture {
	return &querytest.Fixture{Asker: &query.Asker{Store: w.places.store, Blobs: w.places.blobs}}
}

// token creates a token for questions about repositories.
func (w *world) token(repos ...string) string {
	w.Helper()
	secret, t, err := auth.NewToken(
		store.Token{Name: "test", Scopes: []store.TokenScope{store.ScopeQuery}, Repos: repos, CreatedAt: time.Now()})
	check(w.T, err)
	check(w.T, w.places.store.CreateToken(w.Context(), t))
	return secret
}

// overMCP returns a function that sends messages of MCP with a token.
func (w *world) overMCP(token string) mcptest.Call {
	return func(method string, params any) string {
		message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		check(w.T, err)
		return w.send("POST", "/mcp", token, message)
	}
}

// overHTTP returns a function that calls read-only tools with GET, and sends everything else over MCP.
func (w *world) overHTTP(token string) mcptest.Call {
	mcp := w.overMCP(token)
	return func(method string, params any) string {
		call, _ := params.(map[string]any)
		if method != "tools/call" || call["name"] == "update_node" { // GET only reads
			return mcp(method, params)
		}
		q := url.Values{}
		for name, v := range call["arguments"].(map[string]any) {
			list, ok := v.([]any)
			if !ok {
				list = []any{v}
			}
			for _, item := range list {
				q.Add(name, fmt.Sprint(item))
			}
		}
		answer := w.send("GET", "/v1/"+call["name"].(string)+"?"+q.Encode(), token, nil)
		if strings.Contains(answer, "call it over MCP") {
			return mcp(method, params)
		}
		return answer
	}
}

// send sends a request and returns the body of the answer. A status other than 200 stands before the body.
func (w *world) send(method, path, token string, body []byte) string {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, w.url+path, bytes.NewReader(body))
	check(w.T, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(r)
	check(w.T, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	check(w.T, err)
	if resp.StatusCode == http.StatusTooManyRequests {
		w.Fatalf("%s: too many requests", path)
	}
	if resp.StatusCode == http.StatusOK {
		return string(text)
	}
	return fmt.Sprint(resp.StatusCode, " ", string(text))
}

// In each case one engine has a foreign repository, and the other one does not. So the test also shows that both
// engines give the same answers. Package mcp tests SQLite alone.
func TestNobodySeesForeignRepositories(t *testing.T) {
	t.Parallel()
	sqlite, postgres := func(*testing.T) string { return "" }, func(t *testing.T) string { return pgtest.Copy(t, migrated) }
	for _, tt := range []struct {
		name        string
		both, alone func(*testing.T) string // the databases with and without the foreign repository
		over        func(*world, string) mcptest.Call
	}{
		{"sqlite", sqlite, postgres, (*world).overMCP},
		{"postgres", postgres, sqlite, (*world).overHTTP},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			both, alone := newWorld(t, tt.both(t)), newWorld(t, tt.alone(t))
			mcptest.SeedMine(t, both.fixture())
			mcptest.SeedTheirs(t, both.fixture())
			mcptest.SeedMine(t, alone.fixture())
			mcptest.Tenancy(t, tt.over(both, both.token(mcptest.Mine)), tt.over(alone, alone.token(mcptest.Mine)),
				tt.over(both, both.token(mcptest.Mine, mcptest.Theirs)))
		})
	}
}
