//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asking is a question about documentation, in the form of each front end.
type asking struct {
	line string // command line without blq docs; "" for none
	tool string // name of the tool; "" for none
	args string // arguments of the tool as JSON
	code int64  // code of the error, 0 for an answer
}

// askings use the parameters of the questions, and make many kinds of mistakes. PIN stands for the commit, @SITE for
// the version of the source site, and URL for the address of the site.
var askings = []asking{
	{"find install", "find", `{"query":"install","source":"docs"}`, 0},
	{"find install|--snippets|docs/README.md:1-3", "find",
		`{"query":"install","source":"docs","snippets":["docs/README.md:1-3"]}`, 0},
	{"find # install|--headings|--limit|3", "find",
		`{"query":"# install","source":"docs","headingsOnly":true,"maxResults":3}`, 0},
	{`find "make install"`, "find", `{"query":"\"make install\"","source":"docs"}`, 0},
	{`find "install make"`, "find", `{"query":"\"install make\"","source":"docs"}`, 0},
	{"find #include", "find", `{"query":"#include","source":"docs"}`, 0},
	{"find api schluessel", "find", `{"query":"api schluessel","source":"docs"}`, 0},
	{"find nothing of this", "find", `{"query":"nothing of this","source":"docs"}`, 0},
	{"find use|--source|all", "find", `{"query":"use","source":"all"}`, 0},
	{"find use|--source|site,gone,docs", "find", `{"query":"use","source":"site,gone,docs"}`, 0},
	{"find lock|--at|v1", "find", `{"query":"lock","source":"docs","at":"v1"}`, 0},
	{"get docs/README.md:7", "find", `{"snippets":["docs/README.md:7"]}`, 0},
	{"get docs/README.md:7|--context|symmetric", "find",
		`{"snippets":["docs/README.md:7"],"contextMode":"symmetric"}`, 0},
	{"get docs/README.md:7|--context|all", "find", `{"snippets":["docs/README.md:7"],"contextMode":"all"}`, 0},
	{"get docs/README.md:7|--lines|2", "find", `{"snippets":["docs/README.md:7"],"linePadding":2}`, 0},
	{"get docs/README.md:9-99", "find", `{"snippets":["docs/README.md:9-99"]}`, 0},
	{"get docs/guide.md:3|docs/docs/guide.md:3", "find",
		`{"snippets":["docs/guide.md:3","docs/docs/guide.md:3"]}`, 0},
	{"get docs@PIN/README.md:1-3", "find", `{"snippets":["docs@PIN/README.md:1-3"]}`, 0},
	{"get docs@v1/README.md:1-3", "find", `{"snippets":["docs@v1/README.md:1-3"]}`, 0},
	{"get site:1-2,4|site@SITE:3", "find", `{"snippets":["site:1-2,4","site@SITE:3"]}`, 0},
	{"get code/main.c:1-2", "find", `{"snippets":["code/main.c:1-2"]}`, 0},
	{"list site", "list-sources", `{"filter":"SITE"}`, 0},
	{"list docs|--at|v1", "list-sources", `{"filter":"docs","at":"v1"}`, 0},
	{"list no-such-name", "list-sources", `{"filter":"no-such-name"}`, 0},
	{"list", "list-sources", `{}`, 0},
	{"command validate", "run-command", `{"command":"validate"}`, 0},
	{"command history|--source|site", "run-command", `{"command":"history","source":"site"}`, 0},
	{"command inspect|--source|docs", "run-command", `{"command":"inspect","source":"docs"}`, 0},
	{"command list|--source|docs", "run-command", `{"command":"list","source":"docs"}`, 0},
	{"command schema", "run-command", `{"command":"schema"}`, 0},
	{"command stats", "run-command", `{"command":"stats"}`, 0},
	{"learn", "learn-blz", `{}`, 0},
	{"toc", "", "", 0}, {"toc docs/guide.md", "", "", 0}, {"toc site", "", "", 0},
	{"diff docs|--from|v1", "", "", 0},
	{"find", "find", `{}`, -32602},
	{"find  ", "find", `{"query":" ","source":"docs"}`, -32602},
	{"find a|--source|", "find", `{"query":"a"}`, -32602},
	{"get docs/README.md:1|--lines|51", "find", `{"snippets":["docs/README.md:1"],"linePadding":51}`, -32602},
	{"get docs/README.md:1|--context|most", "", "", -32602},
	{"", "find", `{"snippets":["docs/README.md:1"],"contextMode":"most"}`, -32602},
	{"find a|--limit|51", "find", `{"query":"a","source":"docs","maxResults":51}`, -32602},
	{"get docs/README.md:900", "find", `{"snippets":["docs/README.md:900"]}`, -32602},
	{"find a|--source|nosuch", "find", `{"query":"a","source":"nosuch"}`, -32000},
	{"get nosuch:1", "find", `{"snippets":["nosuch:1"]}`, -32000},
	{"get docs/none.md:1", "find", `{"snippets":["docs/none.md:1"]}`, -32000},
	{"get site@ffffffff:1", "find", `{"snippets":["site@ffffffff:1"]}`, -32000},
	{"get code/none.c:1", "find", `{"snippets":["code/none.c:1"]}`, -32000},
	{"get site:abc-def", "find", `{"snippets":["site:abc-def"]}`, -32002},
	{"get site:5-3", "find", `{"snippets":["site:5-3"]}`, -32002},
	{"get docs:1", "find", `{"snippets":["docs:1"]}`, -32002},
	{"get README.md:1", "find", `{"snippets":["README.md:1"]}`, -32002},
	{"add site|URL", "source-add", `{"alias":"site","url":"URL"}`, -32001},
	{"add unheard-of", "source-add", `{"alias":"unheard-of"}`, -32000},
	{"add x|file:///etc/passwd", "source-add", `{"alias":"x","url":"file:///etc/passwd"}`, -32002},
	{"add Upper Case|URL", "source-add", `{"alias":"Upper Case","url":"URL"}`, -32002},
	{"add x|URL/page", "source-add", `{"alias":"x","url":"URL/page"}`, -32010},
	{"command remove", "run-command", `{"command":"remove"}`, -32002},
	{"command history", "run-command", `{"command":"history"}`, -32602},
	{"", "run-command", `{"command":""}`, -32602},
}

// differing matches the parts of answers that may differ: times, durations, and sizes of indexes.
var differing = regexp.MustCompile(
	`"(fetchedAt|checkedAt)":"[^"]*"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ|\(\d+(ms|\.\ds)\)|in \d+(ms|\.\ds)|` +
		`(Index size|search time): [0-9.]+ ?\w+`)

// A question has the same answer from the command line, over stdio, and on servers with SQLite and PostgreSQL. The
// answers may differ only in the parts that the expression in the variable differing matches.
func TestDocumentationIsEqualEverywhere(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/page") {
			_, _ = io.WriteString(w, "<!doctype html><p>no")
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "# Site\n\n## Routing\n\nUse routes.\n")
	}))
	t.Cleanup(site.Close)
	dir, pin := manual(t)
	far := []*service{newService(t, nil), newPostgresService(t)}
	version := ""
	ask := func(s *service, args ...string) string { return printedBy(dir, s, args...) }
	for _, s := range append([]*service{nil}, far...) {
		if s != nil {
			for _, at := range []string{"v1", "main"} {
				if out, code := printed(t, to(blq(dir, "facts", "push", "docs", "deps", "code", "--at", at), s.URL)); code != 0 {
					t.Fatal(out)
				}
			}
		}
		var added struct{ Version string }
		text := ask(s, "docs", "add", "site", site.URL+"/llms.txt", "--json")
		if err := json.Unmarshal([]byte(text), &added); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		version = added.Version
	}
	fill := strings.NewReplacer("PIN", pin[:10], "SITE@", "SITE@", "@SITE", "@"+version, "URL", site.URL)
	session := way{"stdio", "2025-11-25", func() mcp.Transport {
		return &mcp.CommandTransport{Command: stdioServer(dir, "--toolsets", "runs,docs")}
	}}.connect(t)
	for _, q := range askings {
		name := q.line + " " + q.args
		want := ""
		if q.line != "" {
			words := strings.Split(fill.Replace(q.line), "|")
			verb, rest, more := strings.Cut(words[0], " ")
			args := []string{"docs", verb}
			if more {
				args = append(args, rest)
			}
			args = append(append(args, words[1:]...), "--json")
			want = ask(nil, args...)
			if failed := strings.HasPrefix(want, "blq: "); failed != (q.code != 0) {
				t.Errorf("%s: %.300s", name, want)
			}
			for i, s := range far {
				if diff := cmp.Diff(same(want), same(ask(s, args...))); diff != "" {
					t.Errorf("%s (-here +on server %d):\n%s", name, i, diff)
				}
			}
		}
		if q.tool == "" {
			continue
		}
		text, code := over(t, session, q.tool, fill.Replace(q.args))
		if code != q.code {
			t.Errorf("%s: code %d, want %d: %s", name, code, q.code, text)
		}
		if want == "" {
			want = "blq: " + text
		}
		if code != 0 {
			text = "blq: " + text
		}
		if diff := cmp.Diff(same(want), same(text)); diff != "" {
			t.Errorf("%s (-command +stdio):\n%s", name, diff)
		}
		if q.tool == "source-add" || q.tool == "learn-blz" {
			continue // one is no question for GET, the other has no parameter that names the repository
		}
		for i, s := range far {
			got := s.tool(t, q.tool, fill.Replace(q.args))
			if _, message, failed := strings.Cut(got, ": "); failed && q.code != 0 {
				got = "blq: " + message
			}
			if diff := cmp.Diff(same(want), same(got)); diff != "" {
				t.Errorf("%s (-command +tool of server %d):\n%s", name, i, diff)
			}
		}
	}
}

// printedBy runs a command, on this machine or for the service s. It returns the JSON that the command prints, and the
// message if the command fails.
func printedBy(dir string, s *service, args ...string) string {
	cmd := blq(dir, args...)
	if s != nil {
		cmd = to(blq(dir, append(args, "--remote")...), s.URL)
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	message, _, _ := strings.Cut(said.String(), "\n")
	if err == nil {
		message = ""
	}
	var compact bytes.Buffer
	if json.Compact(&compact, out.Bytes()) != nil {
		return out.String() + message
	}
	return compact.String() + message
}

// same removes the parts that may differ.
func same(text string) string { return differing.ReplaceAllString(text, "…") }

// manual makes a project with documentation at two commits. It returns the project's folder and the second commit.
func manual(t *testing.T) (dir, pin string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, text string) {
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "remote", "add", "origin", "https://github.com/acme/app.git")
	write("README.md", "# Shop\n\n## Lock\n\nOld.\n")
	write("main.c", "#include <stdio.h>\nint main() {}\n")
	write(".gitignore", ".lq/\n")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "one")
	gitIn(t, dir, "tag", "v1")
	write(
		"README.md", "# Shop\n\nA shop.\n\n## Install\n\nRun `make install`. Use it.\n\n## API-Schlüssel\n\n#include it\n")
	write("docs/guide.md", "# Guide\n\nMore \x1b[31mon\u202e it.\r\n\n```sh\n# no heading\n```\n")
	write("go.mod", "module example.com/shop\n")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "two")
	return dir, gitIn(t, dir, "rev-parse", "HEAD")
}

// over calls a tool over stdio. It returns the text of the answer, or the message and the code of the error.
func over(t *testing.T, s *mcp.ClientSession, tool, args string) (string, int64) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		var data struct {
			Next []string `json:"next_steps"`
		}
		if json.Unmarshal(refused.Data, &data) != nil || len(data.Next) == 0 {
			t.Errorf("%s %s: the error has no next step: %s", tool, args, refused.Data)
		}
		return refused.Message, refused.Code
	}
	check(t, err)
	return r.Content[0].(*mcp.TextContent).Text, 0
}

// tool calls a tool of a service, in the repository acme/app.
func (s *service) tool(t *testing.T, tool, args string) string {
	t.Helper()
	var given map[string]any
	check(t, json.Unmarshal([]byte(args), &given))
	q := url.Values{"repo": {"acme/app"}}
	for name, v := range given {
		if list, is := v.([]any); is {
			for _, item := range list {
				q.Add(name, fmt.Sprint(item))
			}
			continue
		}
		q.Set(name, fmt.Sprint(v))
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/"+tool+"?"+q.Encode(), nil)
	check(t, err)
	return got(t, r)
}
