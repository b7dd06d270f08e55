//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"

	"github.com/blq-ci/blq/internal/github/githubtest"
)

// apertureFiles are the files of the realm in the documented examples, of its provider and of its consumer.
const apertureFiles = `
-- realm/realm.yaml --
name: aperture
-- realm/repos/blue.yaml --
name: blue
url: https://git.example.com/acme/blue
path: ../blue
-- realm/repos/fungal.yaml --
name: fungal
url: https://git.example.com/acme/fungal
path: ../fungal
-- realm/domains/s3-access/domain.yaml --
members: [blue, fungal]
-- realm/domains/s3-access/contracts/s3-permissions.yaml --
version: 1.0.0
owner: blue
compatibility: {backwards: true, forwards: false}
schema: {type: object, properties: {level: {enum: [low, high]}}}
value: {level: low}
evolution: [{version: 1.0.0, changes: Initial release}]
-- realm/domains/s3-access/bindings/blue.yaml --
exports: [s3-permissions]
-- realm/domains/s3-access/bindings/fungal.yaml --
imports: [{contract: s3-permissions, version: ">=1.0.0"}]
-- blue/.blue/config.yaml --
realm: {name: aperture, url: "https://git.example.com/acme/realm", path: ../realm}
repo: blue
-- blue/.gitignore --
.lq/
-- fungal/.blue/config.yaml --
realm: {name: aperture, url: "https://git.example.com/acme/realm", path: ../realm}
repo: fungal
-- fungal/.gitignore --
.lq/
-- alone/README.md --
In no realm.
`

// asDocumented are the answers of the eight tools as they are documented elsewhere. A text with … stands for any text
// with the same beginning and end. Answers may have further fields.
var asDocumented = []struct{ repo, tool, args, answer string }{
	{"blue", "realm_status", `{"cwd":"CWD"}`, `{"status":"success","realm":"aperture","current_repo":"blue",
		"repos":[{"name":"blue","path":"/…/blue","is_current":true},
		{"name":"fungal","path":"/…/fungal","is_current":false}],
		"domains":[{"name":"s3-access","members":["blue","fungal"],
		"contracts":[{"name":"s3-permissions","version":"1.0.0","owner":"blue"}],
		"bindings":[{"repo":"blue","role":"Provider","exports":1,"imports":0},
		{"repo":"fungal","role":"Consumer","exports":0,"imports":1}]}],
		"notifications":[],"next_steps":["Start a session with session_start to track your work","…"]}`},
	{"blue", "realm_check", `{"cwd":"CWD","realm":"aperture"}`, `{"status":"success","realm":"aperture",
		"current_repo":"blue","valid":true,"errors":[],"warnings":[],"schema_hashes":[{"domain":"s3-access",
		"contract":"s3-permissions","version":"1.0.0","schema_hash":"…","owner":"blue"}],"notifications":[],
		"next_steps":["All checks passed. Ready to proceed."]}`},
	{"blue", "contract_get", `{"cwd":"CWD","domain":"s3-access","contract":"s3-permissions"}`, `{"status":"success",
		"realm":"aperture","domain":"s3-access","contract":{"name":"s3-permissions","version":"1.0.0","owner":"blue",
		"compatibility":{"backwards":true,"forwards":false},
		"schema":{"type":"object","properties":{"level":{"enum":["low","high"]}}},"value":{"level":"low"},
		"evolution":[{"version":"1.0.0","changes":"Initial release"}]},
		"bindings":[{"repo":"blue","role":"Provider","relationship":"exports"},
		{"repo":"fungal","role":"Consumer","relationship":"imports","version_req":">=1.0.0"}],"current_repo":"blue",
		"next_steps":["You own this contract. You can modify it."]}`},
	{"blue", "session_start", `{"cwd":"CWD","active_rfc":"rfc-0042-new-api"}`, `{"status":"success",
		"message":"Session started","session":{"id":"sess-…","realm":"aperture","repo":"blue","started_at":"20…Z",
		"active_rfc":"rfc-0042-new-api","active_domains":["s3-access"],"contracts_modified":[],
		"contracts_watched":[]},
		"next_steps":["Use session_stop when done to get a summary"]}`},
	{"blue", "session_start", `{"cwd":"CWD"}`, `{"status":"warning","message":"…","session":{"id":"sess-…"},
		"next_steps":["…session_stop…"]}`},
	{"blue", "session_stop", `{"cwd":"CWD"}`, `{"status":"success","message":"Session ended after …s","summary":{
		"id":"sess-…","realm":"aperture","repo":"blue","started_at":"20…Z","ended_at":"20…Z","duration":"…s",
		"active_rfc":"rfc-0042-new-api","active_domains":["s3-access"],"contracts_modified":[],
		"contracts_watched":[]},
		"next_steps":["Start a new session with session_start when ready"]}`},
	{"blue", "session_stop", `{"cwd":"CWD"}`, `{"status":"error","message":"No active session. Nothing to stop.",
		"next_steps":["…"]}`},
	{"blue", "realm_worktree_create", `{"cwd":"CWD","rfc":"rfc-0042-new-api"}`, `{"status":"success",
		"rfc":"rfc-0042-new-api","realm":"aperture","reason":"Domain peers via s3-access","created":["blue","fungal"],
		"paths":{"blue":"/…/.blue/worktrees/aperture/rfc-0042-new-api/blue",
		"fungal":"/…/.blue/worktrees/aperture/rfc-0042-new-api/fungal"},"errors":[],
		"next_steps":["cd /…/.blue/worktrees/aperture/rfc-0042-new-api/blue to start working",
		"Use session_start to track your work"]}`},
	{"blue", "realm_worktree_create", `{"cwd":"CWD","rfc":"rfc-0043","repos":["fungal"]}`,
		`{"status":"success","reason":"Repos as requested","created":["fungal"]}`},
	{"blue", "realm_worktree_create", `{"cwd":"CWD","rfc":"../x"}`, `{"status":"error","message":"…",
		"next_steps":["…"]}`},
	{"blue", "realm_pr_status", `{"cwd":"CWD","rfc":"rfc-0042-new-api"}`, `{"status":"success","realm":"aperture",
		"current_repo":"blue","rfc":"rfc-0042-new-api","repos":[{"name":"blue","path":"/…/blue","is_current":true,
		"uncommitted_changes":0,"commits_ahead":2,"pr":{"number":42,"state":"OPEN",
		"url":"https://…/acme/blue/pull/42",
		"title":"RFC 0042: New API"},"ready":false},{"name":"fungal","path":"/…/fungal","is_current":false,
		"uncommitted_changes":3,"commits_ahead":0,"pr":null,"ready":false}],
		"summary":{"all_clean":false,"all_pushed":false,"ready_for_pr":false},
		"next_steps":["Commit changes in repos with uncommitted files","Push commits to remote branches","…","…"]}`},
	{"fungal", "notifications_list", `{"cwd":"CWD","state":"pending"}`, `{"status":"success","realm":"aperture",
		"current_repo":"fungal","filter":"pending","notifications":[{"id":"notif-…","realm":"aperture",
		"domain":"s3-access",
		"contract":"s3-permissions","from_repo":"blue","change_type":"VersionChanged",
		"changes":{"old_version":"1.0.0","new_version":"1.1.0"},"created_at":"20…Z","state":"pending"}],
		"summary":{"total":1,"pending":1,"seen":0,"expired_cleaned":0},
		"next_steps":["1 pending notification to review","…"]}`},
	{"fungal", "notifications_list", `{"cwd":"CWD"}`, `{"filter":"all","notifications":[{"state":"seen"}],
		"summary":{"total":1,"pending":0,"seen":1,"expired_cleaned":0},"next_steps":["…"]}`},
	{"fungal", "contract_get", `{"cwd":"CWD","domain":"s3-access","contract":"none"}`,
		`{"status":"error","message":"…","next_steps":["…"]}`},
	{"alone", "realm_status", `{"cwd":"CWD"}`, `{"status":"error","message":"Not in a realm repo…",
		"next_steps":["…"]}`},
}

// apertureOn creates the realm and its repositories, each with an origin, in a new folder.
func apertureOn(t *testing.T) (top string) {
	t.Helper()
	top = t.TempDir()
	for _, f := range txtar.Parse([]byte(apertureFiles)).Files {
		name := filepath.Join(top, f.Name)
		check(t, os.MkdirAll(filepath.Dir(name), 0o755))
		check(t, os.WriteFile(name, f.Data, 0o644))
	}
	for _, name := range []string{"realm", "blue", "fungal", "alone"} {
		dir, origin := filepath.Join(top, name), filepath.Join(top, name+".git")
		gitIn(t, top, "init", "-q", "--bare", "-b", "main", origin)
		gitIn(t, dir, "init", "-q", "-b", "main")
		gitIn(t, dir, "remote", "add", "origin", origin)
		gitIn(t, dir, "add", "-A")
		gitIn(t, dir, "commit", "-q", "-m", "one")
		gitIn(t, dir, "push", "-q", "-u", "origin", "main")
		gitIn(t, dir, "remote", "set-head", "origin", "main")
	}
	return top
}

// Every documented tool, parameter and field exists, with the values of the examples.
func TestDocumentedToolsOfRealms(t *testing.T) {
	t.Parallel()
	top := apertureOn(t)
	forge := githubtest.New(t)
	forge.Repo("acme/blue", 1)
	forge.Repo("acme/fungal", 2)
	forge.Writers("acme/blue", "ann")
	forge.Writers("acme/fungal", "ann")
	forge.AddPull("acme/blue", githubtest.Pull{Number: 42, HeadRef: "rfc-0042-new-api", Title: "RFC 0042: New API"})
	sessions := map[string]*mcp.ClientSession{}
	for _, name := range []string{"blue", "fungal", "alone"} {
		server := stdioServer(filepath.Join(top, name), "--toolsets", "all")
		server.Env = append(server.Env, "HOME="+filepath.Join(top, "home"), "GITHUB_API_URL="+forge.URL,
			"GITHUB_TOKEN="+forge.Token("ann"))
		sessions[name] = way{"stdio", "2025-11-25", func() mcp.Transport {
			return &mcp.CommandTransport{Command: server}
		}}.connect(t)
	}
	told(t, sessions["fungal"], "notifications_list", `{}`) // later notifications come after this
	tools, worked := map[string]bool{}, false
	for _, d := range asDocumented {
		switch {
		case d.tool == "realm_pr_status":
			workOn(t, top, forge.URL)
		case d.tool == "notifications_list" && !worked:
			worked = true
			raise(t, filepath.Join(top, "realm"))
		}
		tools[d.tool] = true
		args := strings.Replace(d.args, "CWD", filepath.Join(top, d.repo), 1)
		text, _ := told(t, sessions[d.repo], d.tool, args)
		var got, want any
		check(t, json.Unmarshal([]byte(d.answer), &want))
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s %s: %s", d.tool, d.args, text)
			continue
		}
		if lacking := differs(got, want, "answer"); lacking != "" {
			t.Errorf("%s %s: %s: %s", d.tool, d.args, lacking, text)
		}
	}
	if len(tools) != 8 {
		t.Errorf("%d tools are documented here, and 8 elsewhere", len(tools))
	}
	schemas := map[string]*mcp.Tool{}
	list, err := sessions["blue"].ListTools(t.Context(), nil)
	check(t, err)
	for _, tool := range list.Tools {
		schemas[tool.Name] = tool
	}
	for tool, params := range map[string]string{"realm_status": "cwd", "realm_check": "cwd realm",
		"contract_get": "cwd domain! contract!", "session_start": "cwd active_rfc", "session_stop": "cwd",
		"realm_worktree_create": "cwd rfc! repos", "realm_pr_status": "cwd rfc",
		"notifications_list": "cwd state=all"} {
		for _, param := range strings.Fields(params) {
			if wrong := lacks(t, schemas[tool], param); wrong != "" {
				t.Errorf("%s: %s", tool, wrong)
			}
		}
	}
}

// workOn makes the work trees equal to those of the example. The provider's branch has two commits that are not pushed.
// The consumer's work tree has three uncommitted files. The origins of both are at the forge.
func workOn(t *testing.T, top, forge string) {
	t.Helper()
	_, host, _ := strings.Cut(forge, "://")
	for _, name := range []string{"blue", "fungal"} {
		tree := filepath.Join(top, "home/.blue/worktrees/aperture/rfc-0042-new-api", name)
		gitIn(t, tree, "push", "-q", "-u", "origin", "HEAD")
		gitIn(t, tree, "remote", "set-url", "origin", "https://"+host+"/acme/"+name+".git")
		for i := range 3 {
			if name == "fungal" {
				check(t, os.WriteFile(filepath.Join(tree, fmt.Sprint("new", i)), nil, 0o644))
			} else if i < 2 {
				gitIn(t, tree, "commit", "-q", "--allow-empty", "-m", "more")
			}
		}
	}
}

// raise increases the version of the contract, and pushes the change.
func raise(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, "domains/s3-access/contracts/s3-permissions.yaml")
	text, err := os.ReadFile(name)
	check(t, err)
	check(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(text), "1.0.0", "1.1.0")), 0o644))
	gitIn(t, dir, "commit", "-q", "-a", "-m", "1.1.0")
	gitIn(t, dir, "push", "-q")
}

// differs says where an answer differs from its documentation, or returns "". An answer may have further fields.
func differs(got, want any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			value, there := object[name]
			if !there {
				return at + "." + name + " is missing"
			}
			if wrong := differs(value, want[name], at+"."+name); wrong != "" {
				return wrong
			}
		}
		return ""
	case []any:
		list, _ := got.([]any)
		if list == nil || len(list) != len(want) {
			return fmt.Sprintf("%s has %d items, want %d", at, len(list), len(want))
		}
		for i := range min(len(list), len(want)) {
			if wrong := differs(list[i], want[i], fmt.Sprintf("%s[%d]", at, i)); wrong != "" {
				return wrong
			}
		}
		return ""
	case string:
		pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".+")
		text, is := got.(string)
		if !is || !regexp.MustCompile("^"+pattern+"$").MatchString(text) {
			return fmt.Sprintf("%s is %q, want %q", at, got, want)
		}
		return ""
	}
	if got != want {
		return fmt.Sprintf("%s is %v, want %v", at, got, want)
	}
	return ""
}
