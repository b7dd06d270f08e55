//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// graphAskings are questions about the architecture, for the command line and the tools. The field fails has a part of
// the error message; it is "" if the question succeeds.
var graphAskings = []struct{ line, tool, args, fails string }{
	{"graph context core", "get_context", `{"ref_id":"core"}`, ""},
	{"graph context core,web --depth 0", "get_context", `{"ref_id":["core","web"],"depth":0}`, ""},
	{"graph context core --depth 1 --max-nodes 2 --max-chunks 1", "get_context",
		`{"ref_id":"core","depth":1,"max_nodes":2,"max_chunks":1}`, ""},
	{"graph context core --at v1", "get_context", `{"ref_id":"core","at":"v1"}`, ""},
	{"graph context cor", "get_context", `{"ref_id":"cor"}`, "there is no node"},
	{"graph context core --depth 7", "get_context", `{"ref_id":"core","depth":7}`, "from 0 to 6"},
	{"graph show", "get_graph", `{}`, ""},
	{"graph show core --depth 1", "get_graph", `{"ref_id":"core","depth":1}`, ""},
	{"graph show --at v1", "get_graph", `{"at":"v1"}`, ""},
	{"graph show nosuch", "get_graph", `{"ref_id":"nosuch"}`, "there is no node"},
	{"graph list", "list_nodes", `{}`, ""},
	{"graph list domain", "list_nodes", `{"kind":"domain"}`, ""},
	{"graph list nosuch", "list_nodes", `{"kind":"nosuch"}`, ""},
	{"graph search price", "search", `{"query":"price"}`, ""},
	{"graph search table class --limit 1", "search", `{"query":"table class","limit":1}`, ""},
	{"graph search order --kind service", "search", `{"query":"order","kind":"service"}`, ""},
	{"graph search price --limit 51", "search", `{"query":"price","limit":51}`, "from 1 to 50"},
	{"graph sync", "sync_check", `{}`, ""},
	{"graph sync core --since v1", "sync_check", `{"ref_id":"core","since":"v1"}`, ""},
	{"graph sync --at v1", "sync_check", `{"at":"v1"}`, ""},
	{"graph sync web", "sync_check", `{"ref_id":"web"}`, ""},
	{"graph sync nosuch", "sync_check", `{"ref_id":"nosuch"}`, "there is no node"},
	{"graph sync --since HEAD~1", "sync_check", `{"since":"HEAD~1"}`, ""},
	{"graph sync --since nosuch", "sync_check", `{"since":"nosuch"}`, "nosuch"},
	{"graph status", "get_status", `{}`, ""},
	{"graph docs", "generate_docs", `{}`, ""},
	{"graph docs core", "generate_docs", `{"ref_id":"core"}`, ""},
	{"graph docs --limit 1 --offset 1", "generate_docs", `{"limit":1,"offset":1}`, ""},
	{"why core", "why", `{"ref_id":"core"}`, ""},
	{"why web/page.ts", "why", `{"ref_id":"web/page.ts"}`, ""},
	{"why docs/core.md", "why", `{"ref_id":"docs/core.md"}`, ""},
	{"why core --at v1", "why", `{"ref_id":"core","at":"v1"}`, ""},
	{"why nosuch", "why", `{"ref_id":"nosuch"}`, "there is no node"},
	{"", "lint", `{}`, ""},
	{"", "lint", `{"severity":"warn"}`, ""},
	{"", "lint", `{"at":"v1"}`, ""},
	{"graph diff", "", "", ""},
	{"graph diff v1", "diff", `{"since":"v1"}`, ""},
	{"graph diff HEAD", "diff", `{"since":"HEAD"}`, ""},
	{"graph diff HEAD~1", "diff", `{"since":"HEAD~1"}`, ""},
	{"graph diff nosuch", "diff", `{"since":"nosuch"}`, "Invalid git ref"},
}

// stamps matches times, which may differ.
var stamps = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// oldOfNewRule matches a violation that is older than its rule.
var oldOfNewRule = regexp.MustCompile(`"rule":"no-table"[^{}]*"status":"existing"`)

// A question about the architecture has the same answer on the command line, over stdio, and on servers with SQLite and
// with PostgreSQL. Only the times in the answers may differ.
func TestArchitectureIsEqualEverywhere(t *testing.T) {
	t.Parallel()
	dir := layered(t)
	far := []*service{newService(t, nil), newPostgresService(t)}
	for _, s := range far {
		for _, at := range []string{"v1", "main"} {
			if out, code := printed(t, to(blq(dir, "facts", "push", "docs", "graph", "code", "--at", at), s.URL)); code != 0 {
				t.Fatal(out)
			}
		}
	}
	session := way{"stdio", "2025-11-25", func() mcp.Transport {
		return &mcp.CommandTransport{Command: stdioServer(dir)}
	}}.connect(t)
	same := func(text string) string { return stamps.ReplaceAllString(text, "TIME") }
	for _, q := range graphAskings {
		want := ""
		if q.line != "" {
			args := append(strings.Fields(q.line), "--json")
			want = same(oneLine(t, blq(dir, args...)))
			for i, s := range far {
				if diff := cmp.Diff(want, same(oneLine(t, to(blq(dir, append(args, "--remote")...), s.URL)))); diff != "" {
					t.Errorf("%s (-here +on server %d):\n%s", q.line, i, diff)
				}
			}
			if failed := strings.HasPrefix(want, "blq: "); failed != (q.fails != "") || !strings.Contains(want, q.fails) {
				t.Errorf("%s: %.300s", q.line, want)
			}
		}
		if q.tool == "" {
			continue
		}
		text, failed := told(t, session, q.tool, q.args)
		text = same(text)
		if failed != (q.fails != "") || !strings.Contains(text, q.fails) {
			t.Errorf("%s %s: %s", q.tool, q.args, text)
		}
		if q.tool == "lint" && q.args == `{}` && !oldOfNewRule.MatchString(text) {
			t.Errorf("a violation that is older than its rule is new: %s", text)
		}
		if want != "" && !failed {
			if diff := cmp.Diff(want, text); diff != "" {
				t.Errorf("%s %s (-command +stdio):\n%s", q.tool, q.args, diff)
			}
		}
		for i, s := range far {
			got := same(s.tool(t, q.tool, q.args))
			if failed {
				if !strings.Contains(got, q.fails) {
					t.Errorf("%s %s on server %d: %s", q.tool, q.args, i, got)
				}
				continue
			}
			if diff := cmp.Diff(text, got); diff != "" {
				t.Errorf("%s %s (-stdio +tool of server %d):\n%s", q.tool, q.args, i, diff)
			}
		}
	}
}

// oneLine runs a command and returns its JSON without blanks, or the first line of its error.
func oneLine(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		line, _, _ := strings.Cut(said.String(), "\n")
		return line
	}
	var compact bytes.Buffer
	check(t, json.Compact(&compact, out))
	return compact.String()
}

// told calls a tool and returns the text. failed reports whether the call failed.
func told(t *testing.T, s *mcp.ClientSession, tool, args string) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	check(t, err)
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// layered makes a project with an architecture at two commits.
func layered(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "remote", "add", "origin", "https://github.com/acme/app.git")
	write(".gitignore", ".lq/\n")
	write("CODEOWNERS", "/web/ @acme/web\n")
	write("core/order.ts", "import { Table } from '../db/table'\nexport function place() {}\n")
	write("db/table.ts", "export class Table { insert() {} }\n")
	write("web/page.ts", "import { place } from '../core/order'\n")
	write(".beadloom/_graph/graph.yml", `nodes:
  - {ref_id: core, kind: domain, summary: "Orders \u202e<b>@all</b>", source: core/, docs: [docs/core.md]}
  - {ref_id: web, kind: service, summary: Pages, source: web/}
  - {ref_id: db, kind: service, summary: Tables, source: db/}
`)
	rules := `version: 3
rules:
  - {name: no-db, description: ask core, deny: {from: {ref_id: web}, to: {ref_id: db}}}
  - {name: parents, severity: warn, require: {for: {kind: service}, has_edge_to: {kind: domain}}}
`
	write(".beadloom/_graph/rules.yml", rules)
	write(
		"docs/core.md", "# Core\n\nWhat orders are.\n\n## API\n\nplace(order)\n\n## Invariants\n\nAn order has a price.\n")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "one")
	gitIn(t, dir, "tag", "v1")
	write("web/page.ts", "import { place } from '../core/order'\nimport { Table } from '../db/table'\n")
	write("mail/send.ts", "import { place } from '../core/order'\n")
	write("core/order.ts", "import { Table } from '../db/table'\nexport function place() {}\nexport class Item {}\n")
	write(".beadloom/_graph/graph.yml", `nodes:
  - {ref_id: core, kind: domain, summary: Orders and prices, source: core/, docs: [docs/core.md]}
  - {ref_id: web, kind: service, summary: Pages, source: web/}
  - {ref_id: mail, kind: service, summary: Mail, source: mail/, lifecycle: planned}
  - {ref_id: db, kind: service, summary: Tables, source: db/, tags: [data]}
edges:
  - {src: web, dst: core, kind: uses}
  - {src: web, dst: "@billing:invoice", kind: uses}
  - {src: core, dst: web, kind: uses}
`)
	write(".beadloom/_graph/rules.yml", rules+"  - {name: no-table, deny: {from: {ref_id: core}, to: {tag: data}}}\n")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "two")
	return dir
}
