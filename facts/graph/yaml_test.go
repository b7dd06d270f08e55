package graph

import (
	"reflect"
	"strings"
	"testing"
)

// Reading a file with the YAML library and reading it without the library give the same results, with the same line
// numbers. The library reads a file with a letter that is not ASCII.
func TestPlainFilesAreReadLikeOthers(t *testing.T) {
	t.Parallel()
	const text = `-- .beadloom/_graph/a.yml
# what there is
nodes:
  - ref_id: core
    kind: domain
    summary: "What orders are" # short
    source: src/core/
    tags: [layer-domain, x]
    owners: ["@core-team"]
  - {ref_id: web, kind: service, lifecycle: planned}
  - kind: domain
  - ref_id: core
edges:
- src: web
  dst: core
  kind: uses
- {src: web, dst: nosuch, kind: uses}
-- .beadloom/_graph/rules.yml
version: 3
rules:
  - name: no-cycles
    forbid_cycles: { edge_kind: [depends_on, uses], max_depth: 10 }
  - name: wrong
    deny: yes
`
	plain, _, rules := load(t, text)
	other := strings.NewReplacer("# what", "# \u00e9", "version: 3", "version: 3 # \u00e9").Replace(text)
	exact, _, others := load(t, other)
	if !reflect.DeepEqual(plain.Nodes, exact.Nodes) || !reflect.DeepEqual(plain.Edges, exact.Edges) ||
		!reflect.DeepEqual(plain.Problems, exact.Problems) || !reflect.DeepEqual(rules, others) {
		t.Errorf("%+v\n%+v\n%+v\n%+v", plain, rules, exact, others)
	}
	if len(plain.Nodes) != 2 || len(plain.Problems) < 3 || len(rules) != 1 {
		t.Errorf("%+v\n%+v\n%+v", plain.Nodes, plain.Problems, rules)
	}
}
