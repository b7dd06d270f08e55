package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// shop is a project with a graph.
var shop = querytest.Files{
	".beadloom/_graph/graph.yml": `nodes:
  - {ref_id: core, kind: domain, summary: Orders, source: core/, docs: [docs/core.md]}
  - {ref_id: web, kind: service, summary: "Pages <b>@team</b>", source: web/}
  - {ref_id: db, kind: service, summary: Tables, source: db/}
edges:
  - {src: web, dst: core, kind: uses}
`,
	".beadloom/_graph/rules.yml": `version: 3
rules:
  - {name: no-db, description: ask core, deny: {from: {ref_id: web}, to: {ref_id: db}}}
`,
	"docs/core.md":  "# Core\n\nWhat orders are.\n\n## API\n\nplace(order)\n\n## Invariants\n\nAn order has a price.\n",
	"core/order.ts": "import { table } from '../db/table'\nexport function place() {}\n",
	"db/table.ts":   "export class Table {}\n",
	"web/page.ts":   "import { place } from '../core/order'\nimport { Table } from '../db/table'\n",
}

func serveGraph(t *testing.T, files querytest.Files, change ...func(*mcp.Config)) *server {
	t.Helper()
	f := querytest.New(t)
	f.Docs = querytest.Docs(t, f.Store.(store.Store), files)
	f.Graphs = architecture.InMemory{Cache: architecture.New(1<<20, nil)}
	return serveOn(t, f, append([]func(*mcp.Config){func(c *mcp.Config) { c.Also = []string{"graph"} }}, change...)...)
}

// maxGraph is the max size of the definitions of the architecture tools in bytes of JSON, about 2,800 tokens.
const maxGraph = 11_800

func TestToolsOfTheArchitectureCostLittle(t *testing.T) {
	t.Parallel()
	without, _ := serve(t).request("tools/list", nil)
	with, problem := serveGraph(t, shop).request("tools/list", nil)
	if problem != "" || len(with) <= len(without) || len(with)-len(without) > maxGraph {
		t.Errorf("%d bytes more, max %d; %s", len(with)-len(without), maxGraph, problem)
	}
	if strings.Contains(string(without), `"get_context"`) || strings.Contains(string(without), "HEAD~1") {
		t.Error("a project without a graph is offered its tools")
	}
}

func TestToolsOfTheArchitectureAnswer(t *testing.T) {
	t.Parallel()
	s := serveGraph(t, shop)
	for _, c := range []struct{ tool, arguments, want string }{
		{"get_context", `{"ref_id":"core","depth":1}`, `"section":"invariants","heading":"Invariants"`},
		{"get_context", `{"ref_id":["core","web"],"max_nodes":2,"depth":0}`, `"nodes":[{"ref_id":"core"`},
		{"get_graph", `{}`, `{"src":"web","dst":"db","kind":"depends_on"}`},
		{"get_graph", `{"ref_id":"db","depth":0}`, `"nodes":[{"ref_id":"db"`},
		{"list_nodes", `{"kind":"domain"}`, `{"nodes":[{"ref_id":"core","kind":"domain","summary":"Orders"}]`},
		{"list_nodes", `{"kind":"service"}`, `"summary":"Pages <b>@team</b>","findings":1`},
		{"search", `{"query":"price order"}`, `"ref_id":"core"`},
		{"search", `{"query":"price OR tables"}`, `"results":[]`},
		{"why", `{"ref_id":"core"}`,
			`"downstream":[{"ref_id":"web","kind":"service","summary":"Pages <b>@team</b>","edge_kind":"uses"}]`},
		{"why", `{"ref_id":"web/page.ts"}`, `"downstream":[],"impact_summary":{"downstream_direct":0,"downstream_transitive":0,"doc_coverage":100,"stale_count":0}`},
		{"lint", `{}`, `"rule":"no-db","severity":"error","rule_type":"deny","file_path":"web/page.ts","line_number":2,"from_ref_id":"web","to_ref_id":"db"`},
		{"lint", `{"severity":"warn"}`, `"violations":[],"summary":{"errors":0,"warnings":0,"rules_evaluated":1}`},
		{"get_status", `{}`, `"nodes_count":3,"edges_count":4,"docs_count":1,"chunks_count":3,"symbols_count":2,"stale_count":0,"doc_coverage":1,"doc_coverage_pct":33.3`},
		{"generate_docs", `{"ref_id":"web"}`, `n0[\"web\"]`},
		{"prime", `{}`, `"architecture":{"domains":1,"services":2,"features":0,"nodes":3,"symbols":2}`},
		{"update_node", `{"ref_id":"core","summary":"What is bought"}`, `summary: \"What is bought\"`},
	} {
		if text, isError := s.call(c.tool, c.arguments); isError || !strings.Contains(text, c.want) &&
			!strings.Contains(text, strings.ReplaceAll(c.want, `\"`, `\\\"`)) {
			t.Errorf("%s %s: %s", c.tool, c.arguments, text)
		}
	}
}

func TestErrorsOfTheArchitecture(t *testing.T) {
	t.Parallel()
	s := serveGraph(t, shop)
	for _, c := range []struct{ tool, arguments, want string }{
		{"get_context", `{}`, "needs ref_id"},
		{"get_context", `{}`, `"next_step":"get_context(ref_id=\"core\")   # an example"`},
		{"search", `{}`, `"next_step":"search(query=\"payment\")   # an example"`},
		{"get_context", `{"ref_id":"cor"}`, `"there is no node \"cor\""`},
		{"get_context", `{"ref_id":"core","depth":7}`, "from 0 to 6"},
		{"get_context", `{"ref_id":"core","max_nodes":201}`, "from 1 to 200"},
		{"get_context", `{"ref_id":"core","max_chunks":51}`, "from 1 to 50"},
		{"get_context", `{"ref_id":"@other:core"}`, "no repository other"},
		{"get_context", `{"ref_id":["core","@other:core"]}`, "two repositories"},
		{"search", `{"query":"a","limit":51}`, "from 1 to 50"},
		{"lint", `{"severity":"bad"}`, "all, error, warn"},
		{"why", `{"ref_id":"build:999:1"}`, "not_found"},
		{"why", `{"ref_id":" "}`, "why needs ref_id"},
		{"update_node", `{"ref_id":"core"}`, "nothing is to be changed"},
		{"update_node", `{"ref_id":"core","source":"../x"}`, "has to be a path in the repository"},
		{"update_node", `{"ref_id":"core","summary":"a\nb"}`, "one line"},
		{"diff", `{"since":"nosuch"}`, "Invalid git ref"},
		{"diff", `{"since":"main","run1":1}`, "not both"},
	} {
		if text, isError := s.call(c.tool, c.arguments); !isError || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %s", c.tool, c.arguments, text)
		}
	}
}

// Only a caller who already has the current answer gets a short answer.
func TestWhatTheCallerHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	s := serveGraph(t, shop)
	text, _ := s.call("get_context", `{"ref_id":"core"}`)
	_, rest, _ := strings.Cut(text, `"etag":"`)
	tag, _, _ := strings.Cut(rest, `"`)
	for arguments, cached := range map[string]bool{
		`{"ref_id":"core","if_none_match":"` + tag + `"}`: true, `{"ref_id":"core"}`: false,
		`{"ref_id":"web","if_none_match":"` + tag + `"}`: false, `{"ref_id":"core","if_none_match":"sha256:0"}`: false,
		`{"ref_id":"core","depth":1,"if_none_match":"` + tag + `"}`: false,
	} {
		if text, _ := s.call("get_context", arguments); strings.Contains(text, `"cached":true`) != cached ||
			strings.Contains(text, `"focus"`) == cached {
			t.Errorf("%s: %s", arguments, text)
		}
	}
}

// Prime fits into 2,000 tokens, even if the graph is large and hostile.
func TestPrimeIsShort(t *testing.T) {
	t.Parallel()
	var yaml, rules strings.Builder
	yaml.WriteString("nodes:\n")
	rules.WriteString("version: 3\nrules:\n")
	for i := range 2000 {
		fmt.Fprintf(&yaml, "- {ref_id: \"n%d %s\", kind: domain, summary: \"%s\"}\n", i, strings.Repeat("ü", 100),
			strings.Repeat("<script>", 40))
		if i < 100 {
			fmt.Fprintf(&rules, "- {name: \"r%d\", description: \"%s\", require: {for: {kind: domain}, has_edge_to: {}}}\n", i,
				strings.Repeat("why ", 50))
		}
	}
	s := serveGraph(
		t, querytest.Files{".beadloom/_graph/a.yml": yaml.String(), ".beadloom/_graph/rules.yml": rules.String()})
	text, isError := s.call("prime", `{}`)
	if isError || len(text) > 6500 || !strings.Contains(text, `"domains":2000`) ||
		!strings.Contains(text, `"left_out":"`) {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

// A project without a graph or source files has an empty architecture.
func TestEmptyArchitecture(t *testing.T) {
	t.Parallel()
	s := serveGraph(t, querytest.Files{"README.md": "# Shop\n"})
	for tool, want := range map[string]string{"list_nodes": `"nodes":[]`, "get_graph": `"nodes":[],"edges":[]`,
		"prime": `"nodes":0`, "get_status": `"nodes_count":0`, "lint": `"violations":[]`, "generate_docs": `"nodes":[]`} {
		if text, isError := s.call(tool, `{}`); isError || !strings.Contains(text, want) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}
