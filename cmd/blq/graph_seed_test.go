//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// documented are the 13 tools of the architecture as they are documented elsewhere: their parameters with defaults, and
// the fields of their answers. "a!" is a required parameter. "a.b" is a field of a. "a[].b" is a field of the items of
// a. If a question mark follows, only some of the items need to have the field.
var documented = []struct{ tool, args, params, fields string }{
	{"get_context", `{"ref_id":"core"}`, "ref_id! depth=2 max_nodes=20 max_chunks=10",
		`version focus.ref_id focus.kind focus.summary graph.nodes[].ref_id graph.nodes[].kind graph.nodes[].summary
		graph.edges[].src graph.edges[].dst graph.edges[].kind text_chunks[].doc_path text_chunks[].section
		text_chunks[].heading text_chunks[].content code_symbols[].file_path code_symbols[].symbol_name code_symbols[].kind
		code_symbols[].line_start code_symbols[].line_end sync_status.stale_docs sync_status.last_reindex constraints[].name`},
	{"get_context", `{"ref_id":"db","depth":0}`, "",
		"version focus graph.nodes graph.edges text_chunks code_symbols sync_status.stale_docs constraints"},
	{"get_graph", `{"ref_id":"core"}`, "ref_id depth=2",
		"nodes[].ref_id nodes[].kind nodes[].summary edges[].src edges[].dst edges[].kind etag"},
	{"list_nodes", `{"kind":"domain"}`, "kind", "nodes[].ref_id nodes[].kind nodes[].summary"},
	{"sync_check", `{"ref_id":"core"}`, "ref_id",
		"pairs[].status pairs[].ref_id pairs[].doc_path pairs[].code_path pairs[].reason pairs[].details"},
	{"sync_check", `{"ref_id":"web"}`, "", "pairs"},
	{"get_status", `{}`, "", `nodes_count edges_count docs_count chunks_count symbols_count stale_count doc_coverage
		last_reindex beadloom_version`},
	{"search", `{"query":"order"}`, "query! kind limit=10",
		"results[].ref_id results[].kind results[].summary results[].snippet results[].rank"},
	{"search", `{"query":"zebra"}`, "", "results"},
	{"generate_docs", `{"ref_id":"core"}`, "ref_id", `nodes[].ref_id nodes[].kind nodes[].summary nodes[].source
		nodes[].symbols nodes[].dependencies.depends_on nodes[].dependencies.used_by nodes[].existing_doc
		nodes[].symbol_changes architecture instructions`},
	{"prime", `{}`, "", `project version architecture.domains architecture.services architecture.features
		architecture.symbols health.stale_docs health.lint_violations health.last_reindex rules[].name rules[].type
		rules[].description? domains[].ref_id domains[].summary instructions`},
	{"why", `{"ref_id":"core"}`, "ref_id!", `ref_id upstream[].ref_id upstream[].kind upstream[].summary
		upstream[].edge_kind downstream[].ref_id downstream[].kind downstream[].summary downstream[].edge_kind
		impact_summary.downstream_direct impact_summary.downstream_transitive impact_summary.doc_coverage
		impact_summary.stale_count`},
	{"diff", `{"since":"v1"}`, "since", `since added_nodes[].ref_id added_nodes[].kind removed_nodes
		changed_nodes[].ref_id changed_nodes[].old_summary changed_nodes[].new_summary added_edges[].src added_edges[].dst
		added_edges[].kind removed_edges`},
	{"lint", `{}`, "severity=all", `violations[].rule violations[].severity violations[].rule_type
		violations[].file_path violations[].line_number violations[].from_ref_id violations[].to_ref_id?
		violations[].message summary.errors summary.warnings summary.rules_evaluated`},
	{"lint", `{"severity":"error"}`, "", "violations[].to_ref_id summary.errors"},
	{"mark_synced", `{"ref_id":"core"}`, "ref_id!", "ref_id pairs_synced"},
	{"mark_synced", `{"ref_id":"nosuch"}`, "", "ref_id pairs_synced"},
	{"update_node", `{"ref_id":"core","summary":"What is bought","source":"core"}`, "ref_id! summary source",
		"updated ref_id"},
}

// Every documented tool, parameter, default and field exists.
func TestDocumentedToolsOfTheArchitecture(t *testing.T) {
	t.Parallel()
	dir := layered(t)
	if out, code := printed(t, blq(dir, "init")); code != 0 {
		t.Fatal(out)
	}
	session := way{"stdio", "2025-11-25", func() mcp.Transport {
		return &mcp.CommandTransport{Command: stdioServer(dir)}
	}}.connect(t)
	list, err := session.ListTools(t.Context(), nil)
	check(t, err)
	schemas := map[string]*mcp.Tool{}
	for _, tool := range list.Tools {
		schemas[tool.Name] = tool
	}
	tools := map[string]bool{}
	for _, d := range documented {
		tools[d.tool] = true
		if schemas[d.tool] == nil {
			t.Errorf("there is no tool %s", d.tool)
			continue
		}
		for _, param := range strings.Fields(d.params) {
			if wrong := lacks(t, schemas[d.tool], param); wrong != "" {
				t.Errorf("%s: %s", d.tool, wrong)
			}
		}
		text, failed := told(t, session, d.tool, d.args)
		var answer any
		if err := json.Unmarshal([]byte(text), &answer); err != nil || failed {
			t.Errorf("%s %s: %s", d.tool, d.args, text)
			continue
		}
		for _, field := range strings.Fields(d.fields) {
			path, some := strings.CutSuffix(field, "?")
			if has, n := hasField(answer, strings.Split(path, "."), some); !has || n == 0 {
				t.Errorf("%s %s lacks %s: %s", d.tool, d.args, field, text)
			}
		}
	}
	if len(tools) != 13 {
		t.Errorf("%d tools are documented here, and 13 elsewhere", len(tools))
	}
}

// lacks returns a message if a tool lacks a parameter: NAME, NAME! if the parameter is required, or NAME=DEFAULT.
func lacks(t *testing.T, tool *mcp.Tool, param string) string {
	t.Helper()
	text, err := json.Marshal(tool.InputSchema)
	check(t, err)
	var schema struct {
		Properties map[string]struct {
			Default any `json:"default"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	check(t, json.Unmarshal(text, &schema))
	name, usual, hasDefault := strings.Cut(param, "=")
	name, required := strings.CutSuffix(name, "!")
	p, found := schema.Properties[name]
	switch {
	case !found:
		return "no parameter " + name
	case required != slices.Contains(schema.Required, name):
		return fmt.Sprintf("%s is required: %t", name, !required)
	case hasDefault && fmt.Sprint(p.Default) != usual:
		return fmt.Sprintf("the default of %s is %v, want %s", name, p.Default, usual)
	}
	return ""
}

// hasField reports whether a value has a field. The path of the field may lead through lists. Then all items must have
// the field. If some is true, items may lack the field. n is the number of items with the field.
func hasField(value any, path []string, some bool) (has bool, n int) {
	if len(path) == 0 {
		return true, 1
	}
	object, is := value.(map[string]any)
	name, listed := strings.CutSuffix(path[0], "[]")
	inner, found := object[name]
	if !is || !found || inner == nil {
		return false, 0
	}
	if !listed {
		return hasField(inner, path[1:], some)
	}
	items, _ := inner.([]any)
	has = true
	for _, item := range items {
		one, k := hasField(item, path[1:], some)
		has, n = has && one, n+k
	}
	return has || some, n
}
