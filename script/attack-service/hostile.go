//go:build linux

package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
)

// deliveries sends signed deliveries of one installation. All of them need work. Most are small, and some have the max
// size.
func (a *attacker) deliveries() {
	large := `"` + strings.Repeat("x", 24<<20) + `"`
	a.workers(32, func(int) {
		n := int(a.n.Add(1))
		more := `""`
		if n%50 == 0 {
			more = large
		}
		body := fmt.Appendf(nil, `{"action":"completed","installation":{"id":1},"repository":{"id":%d,`+
			`"full_name":"t0/app"},"more":%s,"workflow_job":{"id":%d,"run_id":%d,"run_attempt":1,`+
			`"conclusion":"failure"}}`, 1+n%100, more, n, n)
		mac := hmac.New(sha256.New, []byte(webhookSecret))
		mac.Write(body)
		a.call("", "POST", "/webhooks/github", body, "Content-Type", "application/json", "X-GitHub-Event",
			"workflow_job",
			"X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)), "X-GitHub-Delivery", fmt.Sprint(n))
	})
}

// patterns searches a long log with regular expressions that are expensive to compile or to match.
func (a *attacker) patterns() {
	list := []string{strings.Repeat(`\pL`, 330), `((a{0,30}){0,30})x`, `(?i)` + strings.Repeat(`[\pL\pN]?`, 100) + "z",
		strings.Repeat("(", 300) + "x" + strings.Repeat(")*", 300),
		strings.Repeat("x?", 400) + strings.Repeat("x", 150),
		`(.*)(.*)(.*)(.*)(.*)[0-9a-f]{16}zz`, `(\w+\s+){5}zz$`, `^(a|b|c|d|[e-z0-9 /._]){1,900}$`,
		strings.Repeat("a|", 499), `(?s)` + strings.Repeat(".", 900) + "q"}
	a.workers(16, func(worker int) {
		p := list[int(a.n.Add(1))%len(list)]
		if worker%4 == 0 {
			body, _ := json.Marshal(map[string]any{"params": map[string]any{"ref": "t0/app@build:1", "grep": p}})
			a.call(a.Tokens[0], "POST", "/v1/ask/output", body, "Content-Type", "application/json")
			return
		}
		a.call(a.Tokens[0], "GET", "/v1/output?"+url.Values{"ref": {"t0/app@build:1"}, "grep": {p}}.Encode(), nil)
	})
}

// hostile returns files that are small and expensive to read, by the kind of facts and by path.
func hostile() map[store.FactKind]map[string]string {
	repeat := strings.Repeat
	var aliases, messages, fragments, schemas strings.Builder
	aliases.WriteString("version: 1.0.0\na0: &a0 [x, x]\n")
	messages.WriteString("syntax = \"proto3\";\n")
	schemas.WriteString("openapi: 3.0.0\ninfo: {title: x, version: 1.0.0}\npaths: {}\ncomponents:\n  schemas:\n")
	for i := range 2000 {
		fmt.Fprintf(&aliases, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
		fmt.Fprintf(&messages, "message M%d { M%d a = 1; M%d b = 2; repeated M%d c = 3; }\n", i, (i+1)%2000,
			(i+7)%2000, i/2)
		fmt.Fprintf(&fragments, "type T%d { a: T%d b: T%d c(x: I): [T%d!]! }\n", i, (i+1)%2000, (i+7)%2000, i/2)
		fmt.Fprintf(&schemas, "    S%d: {allOf: [{$ref: '#/components/schemas/S%d'}, "+
			"{$ref: '#/components/schemas/S%d'}]}\n", i, (i+1)%2000, (i+7)%2000)
	}
	return map[store.FactKind]map[string]string{
		store.FactDocs: {
			"docs/quotes.md":   repeat(repeat(">", 1000)+" x\n", 500),
			"docs/lists.md":    repeat(repeat(" ", 900)+"- x\n", 500),
			"docs/brackets.md": repeat("[", 300_000),
			"docs/emphasis.md": repeat("**a_b_", 100_000),
			"docs/headings.md": repeat("# "+repeat("`", 200)+"[a](", 2000),
			"docs/links.md":    repeat("[a]: <b> 'c\n", 50_000),
			"docs/ticks.md":    ticks(700),
			"docs/html.md":     repeat("<!-- <x <![CDATA[ <?", 50_000),
			"docs/table.rst":   repeat("+-", 1000) + "+\n" + repeat("|x", 200_000),
			"docs/x.adoc":      repeat("====\n", 100_000),
			"docs/refs.rst":    repeat(".. _a: b_\n", 50_000),
			"docs/x.mdx":       repeat("{<a b={`${", 50_000),
		},
		store.FactContracts: {
			".blue/config.yaml":              "realm:\n  name: x\n  url: https://github.com/t0/realm\nrepo: app\n",
			".blue/contracts/d/aliases.yaml": aliases.String(),
			".blue/contracts/d/deep.yaml":    "version: 1.0.0\nschema: " + repeat("[", 100_000),
			".blue/contracts/d/flow.yaml":    "version: 1.0.0\nschema: " + repeat("{a: ", 50_000) + repeat("}", 50_000),
			".blue/contracts/d/keys.yaml":    repeat("? [a, b]\n: c\n", 50_000),
			"api/x.proto":                    messages.String(),
			"api/deep.proto":                 repeat("message A {", 50_000) + repeat("}", 50_000),
			"api/x.graphql":                  fragments.String(),
			"api/deep.graphql": "type A { a(x: " + repeat("[", 100_000) + "A" + repeat("]",
				100_000) + "): A }",
			"api/openapi.yaml": schemas.String(),
		},
		store.FactGraph: {
			".beadloom/_graph/a.yml": "nodes:\n" + repeat("  - {ref_id: x, kind: service, summary: y}\n", 50_000),
			".beadloom/_graph/b.yml": aliases.String(),
			".github/CODEOWNERS":     repeat(repeat("*/", 100)+"** @a\n", 5000),
		},
	}
}

// ticks returns runs of backticks of all lengths up to n, which never match each other.
func ticks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("a" + strings.Repeat("`", i+1))
	}
	return b.String()
}

// hostileFacts sends hostile files as facts of commits, and asks questions about them.
func (a *attacker) hostileFacts() {
	kinds := hostile()
	about := []string{"find", "docs_toc", "sync_check", "lint", "realm_check", "contract_get", "realm_status",
		"get_graph", "list_nodes", "search", "get_context", "docs_diff", "prime"}
	a.workers(16, func(worker int) {
		n := int(a.n.Add(1))
		if worker%2 > 0 {
			a.ask(a.Tokens[0], about[n%len(about)], `{"repo":"t0/app","query":"a b","source":"docs"}`)
			return
		}
		kind := []store.FactKind{store.FactDocs, store.FactContracts, store.FactGraph}[n%3]
		var entries []facts.Entry
		for path, text := range kinds[kind] {
			text += fmt.Sprintf("\n# %d\n", n)
			digest := facts.Digest([]byte(text))
			entries = append(entries, facts.Entry{File: facts.File{Path: path, Digest: digest, Size: int64(len(text))}})
			a.putObject(digest, encoder().EncodeAll([]byte(text), nil))
		}
		_, manifest, err := facts.NewManifest(kind, entries)
		if err != nil {
			a.note(err.Error())
			return
		}
		a.putObject(facts.Digest(manifest), encoder().EncodeAll(manifest, nil))
		body, _ := json.Marshal(api.Facts{Repo: "t0/app", Commit: fmt.Sprintf("%040x", n), Kind: kind, Branch: "main",
			Manifest: facts.Digest(manifest)})
		a.call(a.Tokens[0], "POST", "/v1/facts", body, "Content-Type", "application/json")
	})
}
