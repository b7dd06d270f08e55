package mcptest

import "github.com/blq-ci/blq/query/querytest"

const (
	myCommit      = "1234567812345678123456781234567812345678"
	theirAncestor = "7777777777777777777777777777777777777776"
	theirNode     = "hidden-node"
)

// myFiles is the architecture of Mine.
var myFiles = querytest.Files{
	".beadloom/_graph/g.yml": `nodes:
- {ref_id: core, kind: domain, summary: what orders are, source: core/, docs: [docs/core.md]}
- {ref_id: web, kind: service, source: web/}
edges:
- {src: web, dst: core, kind: uses}
- {src: web, dst: '@vault:core', kind: uses}
`,
	".beadloom/_graph/rules.yml": "version: 1\nrules:\n- {name: r, forbid: {from: {ref_id: web}, to: {ref_id: core}}}\n",
	"go.mod":                     "module m\n",
	"core/a.go":                  "package core\nfunc A() {}\n",
	"web/b.go":                   "package web\nimport \"m/core\"\nfunc B() { core.A() }\n",
	"docs/core.md":               "# Core\n\nIt has A.\n",
}

// theirFiles is the architecture of Theirs. Some of its names also occur in Mine.
var theirFiles = querytest.Files{
	".beadloom/_graph/g.yml": `nodes:
- {ref_id: hidden-node, kind: hidden-kind, summary: hidden message, source: src/, docs: [docs/hidden_file.md]}
- {ref_id: core, kind: domain, summary: hidden message 2, source: core/, docs: [docs/core.md]}
edges:
- {src: core, dst: hidden-node, kind: uses}
`,
	".beadloom/_graph/rules.yml": "version: 1\nrules:\n" +
		"- {name: hidden-rule, forbid: {from: {ref_id: core}, to: {ref_id: hidden-node}}}\n",
	"src/hidden_file.c":   "int hidden_symbol(void) { return 1; }\n",
	"core/a.go":           "package core\nfunc HiddenSymbol() {}\n",
	"docs/hidden_file.md": "# Hidden message\n\nhidden message of the document\n",
	"docs/core.md":        "# Hidden message\n",
}

// theirEarlierFiles is the architecture of Theirs at an earlier commit.
var theirEarlierFiles = querytest.Files{
	".beadloom/_graph/g.yml": "nodes:\n- {ref_id: core, kind: domain, source: core/}\n",
	"core/a.go":              "package core\n",
}

// nodes holds names of nodes, files and events.
var nodes = []any{theirNode, "core", "web", "@vault:" + theirNode, "@" + theirRepo + ":" + theirNode,
	"@hidden/none:core",
	"@" + theirRepo + ":core", theirFile, "core/a.go", "docs/hidden_file.md", theirRef, theirRef + ":1",
	theirUUID, "build:5",
	"build:3:1", "7", theirRepo, theirCommit, "hidden-nod", []any{"core", theirNode},
	[]any{"@" + theirRepo + ":core", "core"}}
