package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/mcp/mcptest"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// hosted returns a function that calls a hosted server as a caller who may see the given repositories.
func hosted(t *testing.T, f *querytest.Fixture, change func(*mcp.Config), repos ...string) mcptest.Call {
	t.Helper()
	asker := *f.Asker
	asker.Root, asker.Git, asker.Scope = "", nil, store.Repos(repos...)
	c := mcp.Config{Ask: func(context.Context) (*query.Asker, error) { return &asker, nil }, Version: "test", Hosted: true}
	change(&c)
	s, err := mcp.New(c)
	querytest.Check(t, err)
	handler := s.Handler(mcp.HTTPConfig{})
	return func(method string, params any) string {
		message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		querytest.Check(t, err)
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", bytes.NewReader(message))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Body.String()
	}
}

func empty(t *testing.T) *querytest.Fixture {
	return &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
}

func TestNobodySeesForeignRepositories(t *testing.T) {
	t.Parallel()
	both, alone := empty(t), empty(t)
	mcptest.SeedMine(t, both)
	mcptest.SeedTheirs(t, both)
	mcptest.SeedMine(t, alone)
	for name, change := range map[string]func(*mcp.Config){
		"blq": func(*mcp.Config) {}, "lq": func(c *mcp.Config) { c.CompatLQ = true },
	} {
		t.Run(name, func(t *testing.T) {
			mcptest.Tenancy(t, hosted(t, both, change, mcptest.Mine), hosted(t, alone, change, mcptest.Mine),
				hosted(t, both, change, mcptest.Mine, mcptest.Theirs))
		})
	}
}

func TestCallersGetTheToolsTheyMayUse(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *mcp.Config) {
		c.Allow = func(_ context.Context, row questions.Row) error {
			if row.Scope == store.ScopeQuery {
				return store.Hint(store.Errorf(store.Forbidden, "the token has no scope query"), "ask for one")
			}
			return nil
		}
	})
	result, _ := s.request("tools/list", map[string]any{})
	if strings.Contains(string(result), `"name":"query"`) || !strings.Contains(string(result), `"name":"events"`) {
		t.Errorf("listed: %.300s", result)
	}
	text, isError := s.call("query", `{"sql": "SELECT 1"}`)
	if !isError || !strings.Contains(text, `"code":"forbidden"`) || !strings.Contains(text, "no scope query") {
		t.Errorf("query: %s", text)
	}
	if text, isError := s.call("status", `{}`); isError {
		t.Errorf("status: %s", text)
	}
}
