package graph

import (
	"strings"
	"testing"
)

// An import between nodes that other imports already connect is another violation. An import that only moves is the
// same violation.
func TestEachImportAcrossLayersIsAViolation(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]string{
		"layers": "  - {name: m, layers: [{name: ui, tag: top}, {name: data, tag: bottom}], enforce: top-down, " +
			"edge_kind: depends_on}\n",
		"forbid": "  - {name: m, forbid: {from: {ref_id: db}, to: {ref_id: web}, edge_kind: depends_on}}\n",
	} {
		files := shop + rule
		count := func(text string) map[string]int {
			g, x, rules := load(t, text)
			prints := map[string]int{}
			for _, v := range Lint(g, x, rules, nil) {
				prints[v.Fingerprint]++
			}
			return prints
		}
		before := count(files)
		if len(before) != 1 {
			t.Fatalf("%s: %v", name, before)
		}
		more := count(strings.Replace(files, "-- old/o.ts\n",
			"-- db/d.ts\n\nimport { v } from '../web/b'\n-- web/b.ts\n-- old/o.ts\n", 1))
		moved := count(strings.Replace(files, "-- db/c.model.ts\nimport w from '../web/a'\n",
			"-- db/c.model.ts\n-- db/e.ts\n\n\nimport w from '../web/a'\n", 1))
		for print := range before {
			if len(more) != 2 || more[print] != 1 {
				t.Errorf("%s: another import: %v, before %v", name, more, before)
			}
			if len(moved) != 1 || moved[print] != 1 {
				t.Errorf("%s: a moved import: %v, before %v", name, moved, before)
			}
		}
	}
}
