package graph

import (
	"fmt"
	"strings"
	"testing"
)

// violations returns violations as lines.
func violations(list []Violation) string {
	var b strings.Builder
	for _, v := range list {
		fmt.Fprintf(&b, "%s %s %s %s:%d %s>%s: %s\n", v.Rule, v.Type, v.Severity, v.File, v.Line, v.From, v.To, v.Message)
	}
	return b.String()
}

// shop has four parts with imports between them.
const shop = `
-- .beadloom/_graph/graph.yml
nodes:
  - {ref_id: web, kind: service, source: web/, tags: [top]}
  - {ref_id: core, kind: domain, source: core/, tags: [middle]}
  - {ref_id: db, kind: domain, source: db/, tags: [bottom]}
  - {ref_id: old, kind: domain, source: old/, lifecycle: dead, tags: [top]}
edges:
  - {src: web, dst: core, kind: uses}
  - {src: web, dst: db, kind: uses}
  - {src: db, dst: core, kind: uses}
  - {src: db, dst: old, kind: uses}
  - {src: core, dst: web, kind: part_of}
-- web/a.ts
import { x } from '../core/b'
import y from '../db/c.model'
import '../old/o'
-- core/b.ts
import z from '../db/c.model'
-- db/c.model.ts
import w from '../web/a'
export const one = 1, two = 2
-- old/o.ts
-- old/p.py
import core.deep.thing
-- .beadloom/_graph/rules.yml
version: 3
tags:
  extra: [db]
rules:
`

func TestRules(t *testing.T) {
	for _, c := range []struct{ name, rules, want string }{
		{"deny", `
  - {name: d, description: use the core, deny: {from: {ref_id: web}, to: {tag: extra}}}
  - {name: e, deny: {from: {ref_id: web}, to: {kind: domain, exclude: [old]}, unless_edge: [uses]}}
  - {name: f, severity: warn, deny: {from: {kind: domain}, to: {kind: domain}}}
`, `
d deny error web/a.ts:2 web>db: web/a.ts imports ../db/c.model of db, which web must not: use the core
f deny warn core/b.ts:1 core>db: core/b.ts imports ../db/c.model of db, which core must not
`},
		{"require", `
  - {name: r, require: {for: {kind: domain, exclude: old}, has_edge_to: {}, edge_kind: part_of}}
`, `
r require error .beadloom/_graph/graph.yml:4 db>: db (domain) lacks the edge that it needs
`},
		{"forbid_import", `
  - {name: i, forbid_import: {from: "web/**", to: "../db/*.model"}}
  - {name: j, forbid_import: {from: "*", to: "core/b.ts"}}
  - {name: k, forbid_import: {from: "*.py", to: "core/deep/*"}}
`, `
i forbid_import error web/a.ts:2 >: web/a.ts imports ../db/c.model, which it must not
j forbid_import error web/a.ts:1 >: web/a.ts imports ../core/b, which it must not
k forbid_import error old/p.py:1 >: old/p.py imports core.deep.thing, which it must not
`},
		{"forbid", `
  - {name: g, forbid: {from: {tag: bottom}, to: {kind: service}}}
  - {name: h, forbid: {from: {ref_id: web}, to: {ref_id: db}, edge_kind: uses}}
`, `
g forbid error db/c.model.ts:1 db>web: db depends_on web, which is forbidden (imports ../web/a)
h forbid error .beadloom/_graph/graph.yml:8 web>db: web uses db, which is forbidden
`},
		{"layers", `
  - name: l
    layers: [{name: ui, tag: top}, {name: logic, tag: middle}, {name: data, tag: bottom}]
    enforce: top-down
  - name: m
    layers: [{name: ui, tag: top}, {name: logic, tag: middle}, {name: data, tag: bottom}]
    enforce: top-down
    allow_skip: false
    edge_kind: depends_on
`, `
l layer error .beadloom/_graph/graph.yml:9 db>core: db of layer data uses core of layer logic above it
m layer error db/c.model.ts:1 db>web: db of layer data depends_on web of layer ui above it (imports ../web/a)
m layer error web/a.ts:2 web>db: web of layer ui depends_on db of layer data, and skips a layer (imports ../db/c.model)
`},
		{"cycles", `
  - {name: c, forbid_cycles: {edge_kind: depends_on}}
  - {name: n, forbid_cycles: {edge_kind: [uses, part_of], max_depth: 2}}
`, `
c cycle error core/b.ts:1 core>db: circular dependency: core → db → web → core
c cycle error db/c.model.ts:1 db>web: circular dependency: db → web → db
n cycle error .beadloom/_graph/graph.yml:11 core>web: circular dependency: core → web → core
`},
		{"check", `
  - {name: s, check: {for: {kind: domain}, max_symbols: 1}}
  - {name: t, severity: error, check: {for: {ref_id: old}, max_files: 1}}
  - {name: u, check: {for: {tag: top}, max_files: 2, max_symbols: 5}}
`, `
s cardinality warn .beadloom/_graph/graph.yml:4 db>: db has more symbols than 1
t cardinality error .beadloom/_graph/graph.yml:5 old>: old has more files than 1
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, x, rules := load(t, shop+strings.TrimPrefix(c.rules, "\n"))
			same(t, "", problems(g))
			same(t, c.want, violations(Lint(g, x, rules, nil)))
		})
	}
}

// For "from a.b import c", the imported module is a.b.c, if it exists. "import a.b" imports no module below a.b.
func TestImportedModulesMatchAsTheyAreWritten(t *testing.T) {
	g, x, rules := load(t, `
-- .beadloom/_graph/graph.yml
nodes:
  - {ref_id: app, source: app/}
-- app/one.py
from lib.db import tables, version
import lib.db
from . import two
-- app/two.py
x = 1
-- src/lib/db/__init__.py
version = 1
-- src/lib/db/tables.py
x = 1
-- .beadloom/_graph/rules.yml
version: 3
rules:
  - {name: below, forbid_import: {from: "app/*", to: "lib.db.*"}}
  - {name: itself, forbid_import: {from: "app/*", to: "lib.db"}}
`)
	same(t, "", problems(g))
	same(t, `
below forbid_import error app/one.py:1 >: app/one.py imports lib.db, which it must not
itself forbid_import error app/one.py:1 >: app/one.py imports lib.db, which it must not
itself forbid_import error app/one.py:2 >: app/one.py imports lib.db, which it must not
`, violations(Lint(g, x, rules, nil)))
}

func TestMovedImportsAreNotNew(t *testing.T) {
	rule := "  - {name: d, deny: {from: {ref_id: web}, to: {ref_id: db}}}\n"
	g, x, rules := load(t, shop+rule)
	before := Lint(g, x, rules, nil)
	g, x, rules = load(t, strings.Replace(shop, "-- web/a.ts\n", "-- web/a.ts\n// a line\n\n", 1)+rule)
	after := Lint(g, x, rules, nil)
	if len(before) != 1 || len(after) != 1 {
		t.Fatalf("before %+v, after %+v", before, after)
	}
	if before[0].Line+2 != after[0].Line || before[0].Fingerprint != after[0].Fingerprint {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

// oneRule is a file with a rule.
func oneRule(rule string) string { return "version: 1\nrules: [{name: a, " + rule + "}]" }

func TestRulesThatAreWrong(t *testing.T) {
	const forms = `has to have exactly one of deny, require, forbid_cycles, forbid_import, forbid, layers and check`
	for _, c := range []struct{ name, text, want string }{
		{"version", "rules: []", `1: version is missing: write version: 3`},
		{"other version", "version: 4", `1: version "4" is not read: write 1, 2 or 3`},
		{"list", "- a", `1: the file has to be a mapping with keys such as nodes, edges and rules`},
		{"nothing", "# later", `1: version is missing: write version: 3`},
		{"not UTF-8", "version: 1 # \xe9", `1: this is not valid YAML: incomplete UTF-8 octet sequence`},
		{"rules twice", "version: 1\nrules: []\nrules: []", `3: rules is there twice, and only the first is read`},
		{"two documents", "version: 1\n---\nversion: 1", `3: only the first document of a file is read: write several files`},
		{"list for a text", oneRule("severity: [warn], forbid_import: {from: a, to: b}"), `2: severity has to be a text`},
		{"key", oneRule("deny: {from: {kind: domain}, to: {kind: domain}, unless_edges: [uses]}"),
			`2: unless_edges is not read; did you mean unless_edge?`},
		{"exclude", oneRule("deny: {from: {kind: domain, exclude: {a: b}}, to: {kind: domain}}"),
			`2: exclude has to be a list of texts`},
		{"no edge kinds", oneRule("forbid_cycles: {edge_kind: []}"), `2: rule "a": edge_kind names no kind of edges`},
		{"not a number", oneRule("check: {for: {kind: domain}, min_doc_coverage: nan}"),
			`2: rule "a": min_doc_coverage has to be from 0 to 1`},
		{"tags", "version: 1\ntags: {a: {b: c}}", `2: a has to be a list of texts`},
		{"rules", "version: 1\nrules: {}", `2: rules has to be a list`},
		{"item", "version: 1\nrules: [a]", `2: an item of rules has to be a mapping`},
		{"name", "version: 1\nrules: [{deny: {}}]", `2: a rule needs a name`},
		{"twice", "version: 1\nrules:\n- {name: a, forbid_import: {from: a, to: b}}\n- {name: a}",
			`4: there is another rule "a"`},
		{"no form", oneRule("x: y"), `2: rule "a" ` + forms},
		{"two forms", oneRule("forbid_import: {from: a, to: b}, layers: []"), `2: rule "a" ` + forms},
		{"severity", oneRule("severity: bad, forbid_import: {from: a, to: b}"),
			`2: rule "a": severity is "bad", and has to be error or warn`},
		{"matcher", oneRule("deny: {from: {}, to: {kind: domain}}"), `2: from needs a ref_id, a kind or a tag`},
		{"no matcher", oneRule("deny: {from: {kind: domain}}"), `2: to is missing, or no mapping`},
		{"kind", oneRule("deny: {from: {kind: planet}, to: {kind: domain}}"),
			`2: from: "planet" is not a kind of nodes; there is domain, feature, service, entity, adr, component`},
		{"edge kind", oneRule("forbid_cycles: {edge_kind: eats}"),
			`2: rule "a": "eats" is not a kind of edges; there is part_of, depends_on, uses, implements, ` +
				`touches_entity, ` +
				`touches_code`},
		{"no edge kind", oneRule("forbid_cycles: {}"), `2: rule "a": forbid_cycles needs an edge_kind`},
		{"depth", oneRule("forbid_cycles: {edge_kind: uses, max_depth: -1}"),
			`2: max_depth has to be a number that is not negative`},
		{"import", oneRule("forbid_import: {from: ' ', to: b}"),
			`2: rule "a": forbid_import needs the patterns from and to`},
		{"one layer", oneRule("layers: [{name: a, tag: b}], enforce: top-down"),
			`2: rule "a": layers has to be a list of at least two layers`},
		{"layer", oneRule("layers: [{name: a, tag: b}, {name: c}], enforce: top-down"),
			`2: rule "a": a layer needs a name and a tag`},
		{"enforce", oneRule("layers: [{name: a, tag: b}, {name: c, tag: d}], enforce: up"),
			`2: rule "a": enforce is "up", and has to be top-down`},
		{"skip", oneRule("layers: [{name: a, tag: b}, {name: c, tag: d}], enforce: top-down, allow_skip: x"),
			`2: rule "a": allow_skip has to be true or false`},
		{"check", oneRule("check: {for: {kind: domain}}"),
			`2: rule "a": check needs max_symbols, max_files or min_doc_coverage`},
		{"share", oneRule("check: {for: {kind: domain}, min_doc_coverage: 2}"),
			`2: rule "a": min_doc_coverage has to be from 0 to 1`},
		{"unknown node", oneRule("deny: {from: {ref_id: x}, to: {kind: domain}}"),
			`2: rule "a" names "x", which is not a node`},
		{"tags", "version: 3\ntags: {t: [x]}", `2: tag t names "x", which is not a node`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _, _ := load(t, "-- .beadloom/_graph/rules.yml\n"+c.text)
			same(t, RulesFile+":"+c.want+"\n", problems(g))
		})
	}
}

// A YAML file that is not valid, or that could take too much time or memory, is reported as a problem.
func TestHostileYAML(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1,
			c-1, c-1)
	}
	for name, text := range map[string]string{
		"bomb": bomb, "deep": strings.Repeat("[", 100_000), "deep map": strings.Repeat("{a: ", 100_000), "zeros": "\x00\x00",
		"merge": "x: &x {a: b}\nnodes:\n- <<: *x\n",
	} {
		g, _, _ := load(t, "-- .beadloom/_graph/a.yml\n"+text+"\n-- .beadloom/_graph/rules.yml\n"+text)
		if len(g.Problems) < 2 {
			t.Errorf("%s: problems %v", name, g.Problems)
		}
	}
}

// A file that is too large is not read, and the number of listed problems is limited. Both could take all memory.
func TestLargeYAMLIsNotRead(t *testing.T) {
	g, _, _ := load(t, "-- .beadloom/_graph/a.yml\nnodes: ["+strings.Repeat("a,", maxYAML/2)+"]\n"+
		"-- .beadloom/_graph/b.yml\nnodes:\n- ref_id: b\n")
	if len(g.Nodes) != 1 || len(g.Problems) != 1 || !strings.Contains(g.Problems[0].Message, "write several files") {
		t.Errorf("%d nodes, problems %.300v", len(g.Nodes), g.Problems)
	}
	edges := "edges:\n" + strings.Repeat("- {src: x, dst: y, kind: z}\n", 20_000)
	g, _, _ = load(t, "-- .beadloom/_graph/a.yml\nnodes:\n- ref_id: b\n"+edges+"-- .beadloom/_graph/b.yml\n"+edges)
	if n := len(g.Problems); n == 0 || n > 10_000 {
		t.Errorf("%d problems are listed", n)
	}
}

func TestCyclesAreBounded(t *testing.T) {
	const nodes = 400
	var b strings.Builder
	b.WriteString("-- .beadloom/_graph/a.yml\nnodes:\n")
	for i := range nodes {
		fmt.Fprintf(&b, "- {ref_id: n%03d}\n", i)
	}
	b.WriteString("edges:\n")
	for i := range nodes {
		for k := 1; k <= 20; k++ {
			fmt.Fprintf(&b, "- {src: n%03d, dst: n%03d, kind: uses}\n", i, (i+k*7)%nodes)
		}
	}
	b.WriteString("-- .beadloom/_graph/rules.yml\nversion: 1\n")
	b.WriteString("rules: [{name: c, forbid_cycles: {edge_kind: uses, max_depth: 50}}]\n")
	g, x, rules := load(t, b.String())
	list := Lint(g, x, rules, nil)
	if len(list) != maxCycles || strings.Count(violations(list), " more)\n") != 1 {
		t.Errorf("%d cycles: %s", len(list), violations(list))
	}
	for _, v := range list {
		if n := strings.Count(v.Message, "→"); n > 50 {
			t.Errorf("a cycle of %d nodes", n)
		}
	}
}
