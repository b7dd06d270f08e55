//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

const (
	graphYAML = ".beadloom/_graph/graph.yml"
	// loudName would mention people and close issues if it stood in a commit message.
	loudName = "core @everyone fixes #1 `x` <img src=x>"
)

// proposing returns a world whose service may open pull requests, and its GitHub.
func proposing(t *testing.T, change func(*Config, *githubtest.GitHub)) *forge {
	t.Helper()
	text := "nodes:\n- {ref_id: core, kind: domain, summary: old, source: core/}\n- ref_id: " + `"` + loudName + `"` + "\n"
	g := githubtest.New(t)
	for id, repo := range map[int64]string{1: "acme/shop", 2: "other/web"} {
		g.Repo(repo, id)
		g.Writers(repo, "bot")
		g.File(repo, graphYAML, text)
	}
	w := newWorldWith(t, "", func(c *Config) {
		c.GitHubAPI, c.PullsKey = g.URL, g.Token("bot")
		change(c, g)
	})
	for _, repo := range []string{"acme/shop", "other/web"} {
		querytest.Files{graphYAML: text, "core/a.go": "package core\n"}.Save(t, w.fixture(), repo,
			strings.Repeat("ab", 20))
	}
	return &forge{w, g}
}

// updated is the answer of update_node.
type updated struct {
	Updated           bool
	Patch, Hint, Code string
	Pull              string `json:"pull_request"`
	Error             string
	Next              string `json:"next_step"`
}

func (f *forge) update(token string, arguments map[string]any) updated {
	f.Helper()
	text := f.overMCP(token)("tools/call", map[string]any{"name": "update_node", "arguments": arguments})
	var message struct {
		Result struct{ Content []struct{ Text string } }
	}
	check(f.T, json.Unmarshal([]byte(text), &message))
	var u updated
	if json.Unmarshal([]byte(message.Result.Content[0].Text), &u) != nil {
		u.Error = message.Result.Content[0].Text
	}
	return u
}

func TestUpdateNodeOpensOnePullRequest(t *testing.T) {
	t.Parallel()
	f := proposing(t, func(*Config, *githubtest.GitHub) {})
	token := f.with(store.ScopeGraphWrite, "acme/shop")
	change := map[string]any{"ref_id": "core", "summary": "new: \"quoted\" # not a comment", "source": "src/core/"}
	first, again := f.update(token, change), f.update(token, change)
	all := f.github.Pulls("acme/shop")
	if len(all) != 1 || first.Updated || first.Patch == "" || first != again ||
		!strings.HasSuffix(first.Pull, "/acme/shop/pull/1") {
		t.Fatalf("%+v, %+v, %+v", first, again, all)
	}
	want := "nodes:\n- {ref_id: core, kind: domain, summary: \"new: \\\"quoted\\\" # not a comment\", " +
		"source: \"src/core/\"}\n"
	if got := f.github.FileAt("acme/shop", all[0].HeadRef, graphYAML); !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
	if all[0].Title != "architecture: update core" || !strings.Contains(all[0].Body, "summary and source") {
		t.Errorf("%+v", all[0])
	}
	f.github.File("acme/shop", graphYAML, f.github.FileAt("acme/shop", all[0].HeadRef, graphYAML)) // merge it
	if u := f.update(token, change); u.Pull != "" || !strings.Contains(u.Hint, "has this change already") {
		t.Errorf("%+v", u)
	}
}

func TestWordsOfNodesAreNotAliveInPullRequests(t *testing.T) {
	t.Parallel()
	f := proposing(t, func(*Config, *githubtest.GitHub) {})
	u := f.update(f.with(store.ScopeGraphWrite, "acme/shop"),
		map[string]any{"ref_id": loudName, "summary": "closes #2 @all \u202e ![x](http://evil.example)"})
	all := f.github.Pulls("acme/shop")
	if len(all) != 1 || u.Pull == "" {
		t.Fatalf("%+v", u)
	}
	if all[0].Title != "architecture: update a node" ||
		!strings.Contains(all[0].Body, "the node ``core @everyone fixes #1 `x` <img src=x>`` in") ||
		strings.Contains(all[0].Body, "evil") {
		t.Errorf("%q: %q", all[0].Title, all[0].Body)
	}
}

func TestUpdateNodeAnswersAPatchWithoutTheScope(t *testing.T) {
	t.Parallel()
	f := proposing(t, func(*Config, *githubtest.GitHub) {})
	change := map[string]any{"ref_id": "core", "summary": "new"}
	for _, scope := range []store.TokenScope{store.ScopeRead, store.ScopeQuery, store.ScopeRun} {
		if u := f.update(f.with(scope, "acme/shop"), change); !strings.Contains(u.Patch, `+- {ref_id: core, kind: domain, `+
			`summary: "new", source: core/}`) || u.Pull != "" || u.Updated {
			t.Errorf("%s: %+v", scope, u)
		}
	}
	change["at"] = "main"
	if u := f.update(f.with(store.ScopeGraphWrite, "acme/shop"), change); u.Patch == "" || u.Pull != "" {
		t.Errorf("of a commit: %+v", u)
	}
	delete(change, "at")
	change["repo"] = "other/web"
	if u := f.update(f.with(store.ScopeGraphWrite, "acme/shop"), change); u.Error == "" {
		t.Errorf("of a foreign repository: %+v", u)
	}
	for _, path := range []string{"../x", "/etc", "a/../../b", "a\nb", `a\b`, ""} {
		if u := f.update(f.with(store.ScopeGraphWrite, "acme/shop"),
			map[string]any{"ref_id": "core", "source": path}); u.Error == "" {
			t.Errorf("source %q: %+v", path, u)
		}
	}
	if n := len(f.github.Pulls("acme/shop")) + len(f.github.Pulls("other/web")); n != 0 {
		t.Errorf("%d pull requests", n)
	}
	without := proposing(t, func(c *Config, _ *githubtest.GitHub) { c.PullsKey = "" })
	if u := without.update(without.with(store.ScopeGraphWrite, "acme/shop"),
		map[string]any{"ref_id": "core", "summary": "new"}); u.Patch == "" ||
		!strings.Contains(u.Hint, "this server opens no pull requests") {
		t.Errorf("%+v", u)
	}
}

func TestUpdateNodeSaysWhatGitHubRefuses(t *testing.T) {
	t.Parallel()
	f := proposing(t, func(c *Config, g *githubtest.GitHub) { c.PullsKey = g.Installation("app") })
	f.github.Repo("acme/shop", 1, "app")
	secret, made, err := auth.NewToken(store.Token{Name: "test", Scopes: []store.TokenScope{store.ScopeGraphWrite,
		store.ScopeRead}, Repos: []string{"acme/shop"}, CreatedAt: time.Now()})
	check(t, err)
	check(t, f.places.store.CreateToken(t.Context(), made))
	u := f.update(secret, map[string]any{"ref_id": "core", "summary": "new"})
	if !strings.Contains(u.Error, "GitHub does not let this service open pull requests of acme/shop") ||
		!strings.Contains(u.Next, "its token needs contents: write and pull-requests: write") {
		t.Errorf("%+v", u)
	}
}
