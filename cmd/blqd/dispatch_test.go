//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/mcp/mcptest"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

const startable = `
[[command]]
repo = "acme/shop"
name = "test"
workflow = "ci.yml"
branches = ["feature/*"]
description = "the suite"
inputs = { path = "tests/", debug = "" }

[[command]]
repo = "acme/shop"
name = "lint"
workflow = "lint.yml"

[[command]]
repo = "other/web"
name = "test"
workflow = "ci.yml"

[[command]]
repo = "other/web"
name = "deploy"
workflow = "deploy.yml"
`

// forge is a world with a fake GitHub whose workflows can be started.
type forge struct {
	*world
	github *githubtest.GitHub
}

func newForge(t *testing.T, text string) *forge {
	t.Helper()
	g := githubtest.New(t)
	for id, repo := range map[int64]string{1: "acme/shop", 2: "other/web"} {
		g.Repo(repo, id)
		g.Writers(repo, "bot")
		g.Workflow(repo, "ci.yml", "path", "debug")
		g.Workflow(repo, "lint.yml")
		g.Workflow(repo, "deploy.yml")
	}
	g.Branches("acme/shop", "feature/x")
	file := filepath.Join(t.TempDir(), "dispatch.toml")
	check(t, os.WriteFile(file, []byte(text), 0o600))
	w := newWorldWith(t, "", func(c *Config) { c.GitHubAPI, c.Dispatch, c.DispatchKey = g.URL, file, g.Token("bot") })
	for id, repo := range map[int64]string{1: "acme/shop", 2: "other/web"} {
		_, err := w.places.store.EnrolRepo(t.Context(),
			store.EnrolledRepo{Host: strings.TrimPrefix(g.URL, "http://"), ID: id, Name: repo, EnrolledAt: time.Now()})
		check(t, err)
	}
	return &forge{w, g}
}

// with creates a token with a scope.
func (w *world) with(scope store.TokenScope, repos ...string) string {
	w.Helper()
	secret, t, err := auth.NewToken(
		store.Token{Name: "test", Scopes: []store.TokenScope{scope}, Repos: repos, CreatedAt: time.Now()})
	check(w.T, err)
	check(w.T, w.places.store.CreateToken(w.Context(), t))
	return secret
}

// answered is the part of a tool's answer that the tests read.
type answered struct {
	RunRef   string `json:"run_ref"`
	Status   string
	Warning  string
	Workflow *struct {
		Repo  string
		RunID string `json:"run_id"`
		URL   string
	} `json:"workflow_run"`
	Next     string `json:"next_step"`
	Error    string
	Code     string
	Commands []struct{ Repo, Name string }
	Runs     []answered
}

// tool calls a tool with a token.
func (w *world) tool(token, name string, arguments map[string]any) answered {
	w.Helper()
	text := w.overMCP(token)("tools/call", map[string]any{"name": name, "arguments": arguments})
	var message struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(text), &message); err != nil || len(message.Result.Content) != 1 {
		w.Fatalf("%s: %s", name, text)
	}
	var a answered
	check(w.T, json.Unmarshal([]byte(message.Result.Content[0].Text), &a))
	return a
}

func args(pairs ...any) map[string]any {
	a := map[string]any{"wait": 0}
	for i := 0; i+1 < len(pairs); i += 2 {
		a[pairs[i].(string)] = pairs[i+1]
	}
	return a
}

func TestCallersStartTheCommandsOfTheirRepositoriesAlone(t *testing.T) {
	t.Parallel()
	f := newForge(t, startable)
	f.github.Repo("acme/shop", 1, "bob")
	f.github.Writers("acme/shop", "ann", "bot")
	f.github.Public("other/web", 2)
	f.github.Writers("other/web", "bot")
	both := []string{"lint acme/shop", "test acme/shop", "deploy other/web", "test other/web"}
	shop, web := []string{"lint acme/shop", "test acme/shop"}, []string{"deploy other/web", "test other/web"}
	for name, tt := range map[string]struct {
		token        string
		knows        []string
		lint, deploy string // code of the refusal
	}{
		"who may start":           {f.with(store.ScopeRun, "acme/shop"), shop, "", "not_found"},
		"who may start elsewhere": {f.with(store.ScopeRun, "other/web"), web, "not_found", ""},
		"who may start both":      {f.with(store.ScopeRun, "acme/shop", "other/web"), both, "", ""},
		"who may read":            {f.with(store.ScopeRead, "acme/shop"), shop, "forbidden", "forbidden"},
		"who may query":           {f.with(store.ScopeQuery, "acme/shop"), shop, "forbidden", "forbidden"},
		"ann, who writes to one":  {f.github.Token("ann"), both, "", "forbidden"},
		"bob, who reads":          {f.github.Token("bob"), both, "forbidden", "forbidden"},
		"eve, who reads one":      {f.github.Token("eve"), web, "forbidden", "forbidden"},
		"an app":                  {f.github.Installation("ann"), both, "forbidden", "forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			var knows []string
			for _, c := range f.tool(tt.token, "commands", map[string]any{}).Commands {
				knows = append(knows, c.Name+" "+c.Repo)
			}
			slices.Sort(knows)
			slices.Sort(tt.knows)
			if diff := cmp.Diff(tt.knows, knows); diff != "" {
				t.Error(diff)
			}
			for command, code := range map[string]string{"lint": tt.lint, "deploy": tt.deploy} {
				repo := map[string]string{"lint": "acme/shop", "deploy": "other/web"}[command]
				before := len(f.github.Dispatches(repo))
				a := f.tool(tt.token, "run", args("command", command))
				if a.Code != code || code == "" && (a.Status != "RUNNING" || a.Workflow == nil || a.Workflow.Repo != repo) {
					t.Errorf("%s: %+v", command, a)
				}
				if n := len(f.github.Dispatches(repo)) - before; n != map[bool]int{true: 1, false: 0}[code == ""] {
					t.Errorf("%s: started %d times", command, n)
				}
			}
		})
	}
}

// A command of another repository gets the same answer as a command that does not exist.
func TestCommandsOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	f, alone := newForge(t, startable), newForge(t, startable[:strings.Index(startable, "[[command]]\nrepo = \"other")])
	mine, mineAlone := f.with(store.ScopeRun, "acme/shop"), alone.with(store.ScopeRun, "acme/shop")
	for _, call := range []map[string]any{
		{"name": "commands", "arguments": map[string]any{}},
		{"name": "run", "arguments": args("command", "deploy")},
		{"name": "run", "arguments": args("command", "deploy", "repo", "other/web")},
		{"name": "run", "arguments": args("command", "test", "repo", "other/web")},
		{"name": "run", "arguments": args("commands", []string{"lint", "deploy"})},
		{"name": "run", "arguments": args("command", "test", "args", map[string]string{"no": "x"})},
		{"name": "run", "arguments": args("command", "test", "branch", "main2")},
	} {
		want, got := alone.overMCP(mineAlone)("tools/call", call), f.overMCP(mine)("tools/call", call)
		if diff := cmp.Diff(want, got); diff != "" || strings.Contains(got, "deploy.yml") {
			t.Errorf("%v: -without them +with them\n%s", call, diff)
		}
	}
	if n := len(f.github.Dispatches("acme/shop")) + len(f.github.Dispatches("other/web")); n != 0 {
		t.Errorf("started %d", n)
	}
	for _, method := range []string{"resources/list", "resources/read", "prompts/get", "completion/complete"} {
		params := map[string]any{"uri": "blq://commands", "name": "fix-errors"}
		if got := f.overMCP(mine)(method, params); strings.Contains(got, "deploy") || strings.Contains(got, "other/web") {
			t.Errorf("%s: %s", method, got)
		}
	}
}

func TestStartedWorkflowAnswersWithItsFirstRun(t *testing.T) {
	t.Parallel()
	f := newForge(t, startable)
	var r store.Run
	f.github.OnDispatch(func(repo string, d githubtest.Dispatch) {
		arrives := func(at int, repo, id string) store.Run {
			return f.fixture().Add(t, querytest.Run{Repo: repo, Source: "test", At: at, Running: true, Log: "began\n",
				CI: &store.CI{Provider: "github", RunID: id}})
		}
		arrives(1, "other/web", fmt.Sprint(d.RunID))
		r = arrives(2, repo, fmt.Sprint(d.RunID))
		arrives(3, repo, fmt.Sprint(d.RunID+1))
	})
	mine := f.with(store.ScopeRun, "acme/shop")
	a := f.tool(mine, "run", map[string]any{"command": "test", "repo": "acme/shop", "branch": "feature/x",
		"args": map[string]string{"path": "a; b"}, "timeout": 5})
	if r.Serial == 0 || a.RunRef != r.Ref().String() || a.Status != "RUNNING" ||
		!strings.HasPrefix(a.Next, `info(ref="`+a.RunRef+`", wait=`) || !strings.Contains(a.Warning, "timeout") {
		t.Fatalf("%+v, the run is %s", a, r.Ref())
	}
	started := f.github.Dispatches("acme/shop")
	want := []githubtest.Dispatch{
		{Workflow: "ci.yml", Ref: "feature/x", By: "bot", Inputs: map[string]string{"path": "a; b"}, RunID: started[0].RunID}}
	if diff := cmp.Diff(want, started); diff != "" || a.Workflow.RunID != fmt.Sprint(want[0].RunID) ||
		!strings.Contains(a.Workflow.URL, a.Workflow.RunID) {
		t.Errorf("%+v %s", a.Workflow, diff)
	}
	if info := f.tool(mine, "info", map[string]any{"ref": a.RunRef}); info.Status != "RUNNING" {
		t.Errorf("%+v", info)
	}
}

func TestStartingRefusals(t *testing.T) {
	t.Parallel()
	f := newForge(t, startable)
	mine := f.with(store.ScopeRun, "acme/shop", "other/web")
	for _, tt := range []struct {
		arguments   map[string]any
		code, words string
	}{
		{args("command", "test"), "invalid", "several repositories have 'test': acme/shop, other/web"},
		{args("command", "tset"), "not_found", "'tset' is not a command that can be started"},
		{args("command", "lint", "args", map[string]string{"path": "x"}), "invalid",
			"lint of acme/shop has no parameter \"path\"; it has none"},
		{args("command", "lint", "extra", []string{"x"}), "invalid", "lint is a workflow"},
		{args("command", "lint", "branch", "feature/x"), "invalid", "lint of acme/shop runs on main, not on this branch"},
		{args("command", "test", "repo", "acme/shop", "branch", "feature/gone"), "invalid", "No ref found for: feature/gone"},
		{args("command", "test", "repo", "acme/shop", "branch", "feature/../x"), "invalid", "runs on main, feature/*"},
	} {
		if a := f.tool(mine, "run", tt.arguments); a.Code != tt.code || !strings.Contains(a.Error, tt.words) {
			t.Errorf("%v: %+v", tt.arguments, a)
		}
	}
	f.github.Repo("acme/shop", 1, "bot")
	if a := f.tool(mine, "run", args("command", "lint")); a.Code != "unavailable" || !strings.Contains(
		a.Error, "GitHub does not let this service start lint.yml of acme/shop") || strings.Contains(a.Error, "ghp_") {
		t.Errorf("%+v", a)
	}
	f.github.Fault("POST ", 1, githubtest.TooMany(600))
	if a := f.tool(mine, "run", args("command", "lint")); a.Code != "rate_limited" {
		t.Errorf("%+v", a)
	}
	f.github.Writers("acme/shop", "bot")
	f.github.OldServer()
	if a := f.tool(mine, "run", args("command", "lint")); a.Status != "RUNNING" ||
		!strings.Contains(a.Warning, "does not tell which run") || !strings.HasPrefix(a.Next, `status(repo="acme/shop")`) {
		t.Errorf("%+v", a)
	}
	batch := f.tool(mine, "run", args("commands", []string{"lint", "deploy"}))
	if len(batch.Runs) != 1 || batch.Runs[0].Status != "RUNNING" {
		t.Errorf("%+v", batch)
	}
}

func TestWithoutConfigurationNothingIsStarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	token := w.with(store.ScopeRun, mcptest.Mine)
	if list := w.overMCP(token)("tools/list", map[string]any{}); strings.Contains(list, `"name":"run"`) ||
		strings.Contains(list, `"name":"commands"`) {
		t.Error(list)
	}
	if a := w.tool(token, "run", args("command", "test")); a.Code != "forbidden" ||
		!strings.Contains(a.Error, "runs no commands") {
		t.Errorf("%+v", a)
	}
	f := newForge(t, startable)
	if list := f.overMCP(f.with(store.ScopeRead, "acme/shop"))("tools/list", map[string]any{}); strings.Contains(
		list, `"name":"run"`) || !strings.Contains(list, `"name":"commands"`) || strings.Contains(list, `"name":"exec"`) {
		t.Error(list)
	}
}
