package graph

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/code"
	"github.com/blq-ci/blq/store"
)

// library has a node with two documents, and a node with a missing document.
const library = `
-- .beadloom/_graph/graph.yml
nodes:
  - {ref_id: core, kind: domain, source: core/, docs: [docs/core.md, ./docs/more.md, docs/core.md]}
  - {ref_id: db, kind: domain, source: db/, docs: docs/gone.md}
  - {ref_id: web, kind: service, source: web/}
-- docs/core.md
# Core
An order has an ` + "`Item`" + `. See price-list.
-- docs/more.md
About Sum.
-- core/order.go
package core
type Item struct{}
func Sum() int { return 1 }
-- core/price_list.py
def price():
    return 1
-- core/odd.rs
fn unheard_of() {}
-- core/odd_test.go
package core
func TestOdd() {}
-- db/table.ts
export const table = {}
-- web/page.ts
export const page = {}
`

// sync compares a tree with an earlier tree.
func sync(t testing.TB, now, before tree, attested Attested) Synced {
	t.Helper()
	x, err := code.Build(t.Context(), now, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := Load(t.Context(), now, x)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := ReadDocuments(t.Context(), g, now)
	if err != nil {
		t.Fatal(err)
	}
	s := Sync{Graph: g, Index: x, Documents: docs, Past: facts.Since(now, now, before, before), Attested: attested}
	list, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// stale returns the stale pairs as lines.
func stale(list Synced) string {
	var b strings.Builder
	for _, p := range list.Pairs {
		if p.Status != OK {
			fmt.Fprintf(&b, "%s %s %s %s %s\n", p.Node, p.Doc, p.Code, p.Reason, p.Details)
		}
	}
	return b.String()
}

// always are the pairs of the library that are always stale.
const always = `
core docs/core.md core/odd.rs missing_modules no document of core mentions it
db docs/gone.md  missing_doc it is not there, or no document that blq reads
`

func TestPairsAreStale(t *testing.T) {
	for _, c := range []struct {
		name   string
		change tree
		want   string
	}{
		{"nothing has changed", nil, always},
		{"a body has changed", tree{"core/order.go": "package core\ntype Item struct{}\nfunc Sum() int { return 2 }\n"}, `
core docs/core.md core/odd.rs missing_modules no document of core mentions it
core docs/core.md core/order.go hash_changed 
core docs/more.md core/order.go hash_changed 
db docs/gone.md  missing_doc it is not there, or no document that blq reads
`},
		{"symbols have changed", tree{"core/price_list.py": "def cost():\n    return 1\n"}, `
core docs/core.md core/odd.rs missing_modules no document of core mentions it
core docs/core.md core/price_list.py symbols_changed +cost, -price
core docs/more.md core/price_list.py symbols_changed +cost, -price
db docs/gone.md  missing_doc it is not there, or no document that blq reads
`},
		{"a document has changed with the code", tree{"core/order.go": "package core\n", "docs/core.md": "Item, odd\n"}, `
core docs/core.md core/price_list.py missing_modules no document of core mentions it
core docs/more.md core/order.go symbols_changed -Item, -Sum
db docs/gone.md  missing_doc it is not there, or no document that blq reads
`},
		{"files were added and removed", tree{"core/price_list.py": "", "core/stock.kt": "class Stock"}, `
core docs/core.md core/odd.rs missing_modules no document of core mentions it
core docs/core.md core/price_list.py hash_changed it was removed
core docs/core.md core/stock.kt untracked_files it was added since the document was changed
core docs/more.md core/price_list.py hash_changed it was removed
core docs/more.md core/stock.kt untracked_files it was added since the document was changed
db docs/gone.md  missing_doc it is not there, or no document that blq reads
`},
		{"the code of others has changed", tree{"web/page.ts": "export const page = 2"}, always},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := newTree(library)
			now := maps.Clone(before)
			for path, text := range c.change {
				if now[path] = text; text == "" {
					delete(now, path)
				}
			}
			same(t, c.want, stale(sync(t, now, before, nil)))
		})
	}
}

func TestAnAttestationEndsWithAChange(t *testing.T) {
	before := newTree(library)
	now := maps.Clone(before)
	now["core/price_list.py"] = "def cost(): pass\n"
	said := map[[2]string]bool{}
	for _, p := range sync(t, now, before, nil).Pairs {
		said[[2]string{p.DocDigest, p.CodeDigest}] = true
	}
	attested := func(p Pair) (store.Attestation, bool) {
		return store.Attestation{By: "ann", At: time.Unix(0, 0)}, said[[2]string{p.DocDigest, p.CodeDigest}]
	}
	if got := stale(sync(t, now, before, attested)); strings.Contains(got, "core/") {
		t.Errorf("attested, and stale:\n%s", got)
	}
	now["core/price_list.py"] = "def cost(): pass # now\n"
	if got := stale(sync(t, now, before, attested)); !strings.Contains(got, "core/price_list.py symbols_changed") {
		t.Errorf("changed since it was attested:\n%s", got)
	}
}

func TestAPairKeepsItsFingerprint(t *testing.T) {
	before := newTree(library)
	prints := map[string]bool{}
	for _, text := range []string{"def a(): pass\n", "def a(): pass\ndef b(): pass\n"} {
		now := maps.Clone(before)
		now["core/price_list.py"] = text
		for _, p := range sync(t, now, before, nil).Pairs {
			if p.Reason == symbolsChanged {
				prints[store.Fingerprint(p.Event())] = true
			}
		}
	}
	if len(prints) != 2 { // one for each document
		t.Errorf("fingerprints %v", prints)
	}
}

func TestDocumentsCoverFiles(t *testing.T) {
	for share, want := range map[string]string{"0.6": "", "0.7": `
a cardinality warn .beadloom/_graph/graph.yml:2 core>: the documents of core mention less than 0.7 of its files
`, "0": ""} {
		set := newTree(library + "-- .beadloom/_graph/rules.yml\nversion: 3\nrules:\n- name: a\n" +
			"  check: {for: {ref_id: core}, min_doc_coverage: " + share + "}\n")
		x, err := code.Build(t.Context(), set, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, rules, err := Load(t.Context(), set, x)
		if err != nil || len(g.Problems) > 0 {
			t.Fatal(err, g.Problems)
		}
		docs, err := ReadDocuments(t.Context(), g, set)
		if err != nil {
			t.Fatal(err)
		}
		same(t, strings.TrimPrefix(want, "\n"), strings.TrimPrefix(violations(Lint(g, x, rules, docs)), "\n"))
	}
}

func TestARuleThatIsRemovedIsCheckedOnceMore(t *testing.T) {
	g, x, rules := load(t, shop+`
  - {name: d, deny: {from: {ref_id: web}, to: {ref_id: db}}}
  - {name: e, deny: {from: {ref_id: db}, to: {ref_id: core}}}
`)
	removed := RemovedRules(g, x, nil, rules[1:], rules)
	if len(removed) != 1 || removed[0].Name != "d" || len(removed[0].Violations) != 1 {
		t.Errorf("removed %+v", removed)
	}
}
