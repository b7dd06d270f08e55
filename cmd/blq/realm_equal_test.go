//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"
)

// realmFiles are a realm and one of its members. The member's configuration has the path of the realm's clone.
const realmFiles = `
-- realm/realm.yaml --
name: aperture
-- realm/repos/blue.yaml --
name: blue
url: https://git.example.com/acme/app
-- realm/repos/fungal.yaml --
name: fungal
url: https://git.example.com/acme/fungal
-- realm/domains/s3/domain.yaml --
members: [blue, fungal]
-- realm/domains/s3/contracts/permissions.yaml --
version: 1.4.0
owner: blue
schema: {type: object, properties: {level: {enum: [low, high]}, size: {type: integer}}}
value: {level: "<low>"}
evolution: [{version: 1.3.0, changes: first}]
-- realm/domains/s3/bindings/blue.yaml --
exports: [permissions]
-- realm/domains/s3/bindings/fungal.yaml --
imports: [{contract: permissions, version: ">=2.0.0"}, missing]
-- app/.blue/config.yaml --
realm: {name: aperture, url: "https://git.example.com/acme/realm", path: ../realm}
repo: blue
-- app/.gitignore --
.lq/
`

// realmAskings are questions about realms, in the form of each front end.
var realmAskings = []struct{ line, tool, args string }{
	{"status", "realm_status", `{}`},
	{"check", "realm_check", `{}`},
	{"check|--strict", "realm_check", `{"strict":true}`},
	{"check|--realm|aperture", "realm_check", `{"realm":"aperture"}`},
	{"check|--at|topic", "realm_check", `{"at":"topic"}`},
	{"contract|s3|permissions", "contract_get", `{"domain":"s3","contract":"permissions"}`},
	{"contract|s3|permissions|--at|topic", "contract_get", `{"domain":"s3","contract":"permissions","at":"topic"}`},
	{"contract|s3|nothing", "contract_get", `{"domain":"s3","contract":"nothing"}`},
	{"contract|nowhere|nothing", "contract_get", `{"domain":"nowhere","contract":"nothing"}`},
	{"notifications", "notifications_list", `{}`},
	{"notifications|pending", "notifications_list", `{"state":"pending"}`},
	{"status|--at|nowhere", "realm_status", `{"at":"nowhere"}`},
	{"worktree|../x", "realm_worktree_create", `{"rfc":"../x"}`},
	{"worktree|x|--repos|nobody,../app", "realm_worktree_create", `{"rfc":"x","repos":["nobody","../app"]}`},
	{"pr-status|a..b", "realm_pr_status", `{"rfc":"a..b"}`},
}

// wherePath matches the path of a repository, which is a directory on a laptop and a URL on a server.
var wherePath = regexp.MustCompile(`"path":"[^"]*"`)

// realmEverywhere returns the directory of a realm's member, and servers that know this member: one with SQLite, one
// with PostgreSQL. It also returns an MCP session over stdio in the directory.
func realmEverywhere(t *testing.T) (dir string, far []*service, session *mcp.ClientSession) {
	t.Helper()
	top := t.TempDir()
	write := func(files []txtar.File) {
		for _, f := range files {
			name := filepath.Join(top, f.Name)
			check(t, os.MkdirAll(filepath.Dir(name), 0o755))
			check(t, os.WriteFile(name, f.Data, 0o644))
		}
	}
	write(txtar.Parse([]byte(realmFiles)).Files)
	for _, name := range []string{"realm", "app"} {
		dir := filepath.Join(top, name)
		gitIn(t, dir, "init", "-q", "-b", "main")
		gitIn(t, dir, "remote", "add", "origin", "https://git.example.com/acme/"+name+".git")
		gitIn(t, dir, "add", "-A")
		gitIn(t, dir, "commit", "-q", "-m", "one")
	}
	dir = filepath.Join(top, "app")
	gitIn(t, dir, "checkout", "-q", "-b", "topic")
	write([]txtar.File{{Name: "app/.blue/contracts/s3/permissions.yaml", Data: []byte(
		"version: 1.5.0\nschema: {type: object, properties: {level: {enum: [low]}}}\n")}})
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "narrower")
	gitIn(t, dir, "checkout", "-q", "main")
	far = []*service{newService(t, nil), newPostgresService(t)}
	for _, s := range far {
		for _, push := range [][2]string{{"realm", "main"}, {"app", "main"}, {"app", "topic"}} {
			cmd := to(blq(filepath.Join(top, push[0]), "facts", "push", "contracts", "--at", push[1], "--repo",
				"acme/"+push[0]), s.URL)
			if out, code := printed(t, cmd); code != 0 {
				t.Fatal(out)
			}
		}
	}
	session = way{"stdio", "2025-11-25", func() mcp.Transport {
		return &mcp.CommandTransport{Command: stdioServer(dir)}
	}}.connect(t)
	return dir, far, session
}

// A question has the same answer on a laptop, over stdio, and on servers with both databases.
func TestRealmIsEqualEverywhere(t *testing.T) {
	t.Parallel()
	dir, far, session := realmEverywhere(t)
	same := func(text string) string { return wherePath.ReplaceAllString(text, `"path":"…"`) }
	for _, q := range realmAskings {
		args := append(append([]string{"realm"}, strings.Split(q.line, "|")...), "--json")
		want := same(printedBy(dir, nil, args...))
		for i, s := range far {
			if diff := cmp.Diff(want, same(printedBy(dir, s, append(args, "--repo", "acme/app")...))); diff != "" {
				t.Errorf("%s (-here +on server %d):\n%s", q.line, i, diff)
			}
		}
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: q.tool, Arguments: json.RawMessage(q.args)})
		check(t, err)
		got := same(r.Content[0].(*mcp.TextContent).Text)
		if message, failed := strings.CutPrefix(want, "blq: "); failed {
			var e struct {
				Status, Message string
				NextSteps       []string `json:"next_steps"`
			}
			check(t, json.Unmarshal([]byte(got), &e))
			if e.Status != "error" || !strings.EqualFold(e.Message, message) || len(e.NextSteps) == 0 || !r.IsError {
				t.Errorf("%s: %s, want %s", q.line, got, message)
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-command +stdio):\n%s", q.line, diff)
		}
	}
	all := printedBy(dir, nil, "realm", "check", "--json") + printedBy(dir, nil, "realm", "check", "--at", "topic")
	for _, want := range []string{"BreakingWithoutMajor", "BindingBroken", "ValueInvalid", "EvolutionBehind",
		"VersionMismatch"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s: %s", want, all)
		}
	}
}
