//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
)

// documented is the number of tenants with documents.
const documented = 10

// prose returns about one MiB of Markdown.
func prose(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	var b bytes.Buffer
	for n := 1; b.Len() < 1<<20-1000; n++ {
		fmt.Fprintf(&b, "## Section %d\n\n", n)
		for range 12 {
			for range 12 {
				fmt.Fprintf(&b, "%s ", word(r.IntN(50_000)))
			}
			b.WriteString("\n")
		}
	}
	return b.Bytes()
}

// documents stores documents of the first tenants.
func (f *filler) documents() error {
	if err := os.MkdirAll(f.dir+"/logs", 0o700); err != nil {
		return err
	}
	blobs, err := blob.OpenFile(f.dir + "/logs")
	if err != nil {
		return err
	}
	for tenant := range documented {
		texts := map[string][]byte{}
		var entries []facts.Entry
		for n := range f.DocsMB {
			text := prose(uint64(tenant*1000 + n))
			file := facts.File{Path: fmt.Sprintf("docs/page-%d.md", n), Digest: facts.Digest(text), Size: int64(len(text))}
			texts[file.Path] = text
			entries = append(entries, facts.Entry{File: file})
		}
		m, manifest, err := facts.NewManifest(store.FactDocs, entries)
		if err != nil {
			return err
		}
		set := facts.NewListed(m, manifest,
			func(_ context.Context, file facts.File) ([]byte, error) { return texts[file.Path], nil })
		if _, err := facts.Save(f.ctx, f.d, blobs, store.Snapshot{Repo: fmt.Sprintf("t%d/app", tenant),
			Commit: fmt.Sprintf("%040x", 1), Kind: store.FactDocs, Branch: "main"}, nil, set); err != nil {
			return err
		}
	}
	return f.run("t0/app", 50)
}

// sendFacts sends documents, manifests of many files, and files of the max size.
func (a *attacker) sendFacts() {
	pages := [][]byte{prose(1), prose(2), prose(3)}
	placeholder := strings.Repeat("f", 64)
	one, many := manifestOf(1, placeholder), manifestOf(20_000, placeholder)
	a.workers(16, func(worker int) {
		n := int(a.n.Add(1))
		commit := fmt.Sprintf("%040x", n)
		text, manifest := append([]byte(commit+"\n"), pages[n%3]...), one
		switch n % 8 {
		case 0: // this body is small
			text = bytes.Repeat([]byte(commit[24:]), facts.MaxFile/16)
		case 2, 4, 6:
			text, manifest = []byte(commit), many
		}
		digest := facts.Digest(text)
		manifest = bytes.ReplaceAll(manifest, []byte(placeholder), []byte(digest))
		manifest = bytes.ReplaceAll(manifest, []byte(`"size":0`), fmt.Appendf(nil, `"size":%d`, len(text)))
		a.putObject(digest, encoder().EncodeAll(text, nil))
		a.putObject(facts.Digest(manifest), encoder().EncodeAll(manifest, nil))
		body, _ := json.Marshal(api.Facts{Repo: "t0/app", Commit: commit, Kind: store.FactDocs, Branch: "main",
			Manifest: facts.Digest(manifest)})
		a.call(a.Tokens[0], "POST", "/v1/facts", body, "Content-Type", "application/json")
	})
}

// manifestOf returns a manifest of empty files with the given digest.
func manifestOf(files int, digest string) []byte {
	entries := make([]facts.Entry, files)
	for i := range entries {
		entries[i].File = facts.File{Path: fmt.Sprintf("%s/%d.md", strings.Repeat("d", 100), i), Digest: digest}
	}
	_, manifest, err := facts.NewManifest(store.FactDocs, entries)
	if err != nil {
		panic(err) // the files are within the limits
	}
	return manifest
}

func (a *attacker) putObject(digest string, body []byte) {
	a.call(a.Tokens[0], "PUT", "/v1/facts/objects/"+digest+"?repo=t0/app", body, "Content-Type",
		"application/octet-stream", "Content-Encoding", "zstd")
}

// readFacts asks about long documents of many tenants.
func (a *attacker) readFacts() {
	var many []string
	for n := range 1000 {
		many = append(many, fmt.Sprintf("docs/page-%d.md:1-%d,5000-9000", n%max(1, a.DocsMB), 1+n))
	}
	long := strings.Repeat("bcd \"xyz abc\" ", 70)
	finds := []map[string]any{
		{"query": word(4711), "contextMode": "all", "maxResults": 50},
		{"query": long}, {"query": "# " + long}, {"query": "a* (b|c)+ [d-f]{9} \\ \"", "linePadding": 50},
		{"snippets": many}, {"snippets": many[:50], "contextMode": "all"}, {"snippets": []string{strings.Join(many, ",")}},
		{"query": word(99), "source": strings.Repeat("docs,", 5000)}, {"query": word(12345), "headingsOnly": true},
		{"query": word(5), "at": "PR#1"}, {"query": word(6), "at": strings.Repeat("0", 39) + "2"},
	}
	for _, find := range finds {
		if find["query"] != nil && find["source"] == nil {
			find["source"] = "docs"
		}
	}
	a.workers(32, func(worker int) {
		n := int(a.n.Add(1))
		tenant := n % documented
		token, find := a.Tokens[tenant], finds[n/documented%len(finds)]
		params, _ := json.Marshal(find)
		switch worker % 4 {
		case 0:
			body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": map[string]any{
				"name": "find", "arguments": find}})
			a.call(token, "POST", "/mcp/docs", body, "Content-Type", "application/json", "Accept",
				"application/json, text/event-stream")
		case 1:
			a.ask(token, []string{"docs_toc", "docs_diff", "run-command"}[n%3], []string{`{"source":"docs"}`,
				`{"source":"docs","since":"main"}`, `{"command":"validate"}`}[n%3])
		case 2:
			q := url.Values{"query": {word(n % 50_000)}, "source": {"docs"}, "maxResults": {"50"}}
			a.call(token, "GET", "/v1/find?"+q.Encode(), nil)
		default:
			a.ask(token, "find", string(params))
		}
	})
}

// addSources adds sources on hosts that the service must not contact.
func (a *attacker) addSources() {
	list := []string{"http://127.0.0.1/", "http://169.254.169.254/latest/meta-data", "https://example.com/llms.txt",
		"file:///etc/passwd", "http://[::1]:8080/", a.URL + "/v1/status"}
	a.workers(32, func(int) {
		n := int(a.n.Add(1))
		params, _ := json.Marshal(map[string]any{"alias": fmt.Sprint("s", n), "url": list[n%len(list)]})
		a.ask(a.Tokens[0], "source-add", string(params))
	})
}
