package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// serveDocs serves the tools of documentation of a small project.
func serveDocs(t *testing.T, change ...func(*mcp.Config)) *server {
	t.Helper()
	f := querytest.New(t)
	f.Docs = querytest.Docs(t, f.Store.(store.Store), querytest.Files{
		"README.md":    "# Shop\n\n## Install\n\nRun `make install`.\n",
		"package.json": `{"dependencies":{"hono":"^4","x":"1"}}`,
	})
	return serveOn(t, f, append(change, func(c *mcp.Config) { c.Also = []string{"docs"} })...)
}

// maxDocs is the max size of the definitions of the documentation tools in bytes of JSON, about 900 tokens.
const maxDocs = 3600

func TestToolsOfDocumentationCostLittle(t *testing.T) {
	t.Parallel()
	without, _ := serve(t).request("tools/list", nil)
	with, problem := serveDocs(t).request("tools/list", nil)
	if problem != "" || len(with) <= len(without) || len(with)-len(without) > maxDocs {
		t.Errorf("%d bytes more, max %d; %s", len(with)-len(without), maxDocs, problem)
	}
	if strings.Contains(string(without), `"find"`) {
		t.Error("a project without added documentation is offered find")
	}
}

func TestToolsOfDocumentationAnswer(t *testing.T) {
	t.Parallel()
	s := serveDocs(t)
	for _, c := range []struct{ tool, arguments, want string }{
		{"find", `{"query":"install","source":"docs"}`, `"ref":"docs@0123456789:`},
		{"find", `{"snippets":["docs/README.md:5"]}`, `"content":"Run ` + "`make install`." + `"`},
		{"find", `{"snippets":["build:3:L3"]}`, "'foo' undeclared"},
		{"list-sources", `{"filter":"docs"}`, `"kind":"installed"`},
		{"run-command", `{"command":"validate"}`, `"stdout":"docs: valid\n"`},
		{"learn-blz", `{}`, `"name":"discover-docs"`},
	} {
		if text, isError := s.call(c.tool, c.arguments); isError || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %s", c.tool, c.arguments, text)
		}
	}
}

// The documentation tools answer with the JSON-RPC error codes of docs/docs-toolset.md. Each error has a next step.
func TestErrorsOfDocumentation(t *testing.T) {
	t.Parallel()
	s := serveDocs(t)
	for _, c := range []struct {
		tool, arguments string
		code            int
	}{
		{"find", `{"query":"a","source":"nosuch"}`, -32000}, {"find", `{"snippets":["bun:abc-def"]}`, -32002},
		{"find", `{"snippets":["docs/README.md:1"],"linePadding":100}`, -32602}, {"find", `{}`, -32602},
		{"source-add", `{"alias":"unheard-of"}`, -32000}, {"source-add", `{"alias":"x","url":"file:///etc/passwd"}`, -32002},
		{"source-add", `{"alias":"x","url":"http://127.0.0.1:1/"}`, -32010},
		{"source-add", `{}`, -32602}, {"source-add", `{"alias":["x","y"]}`, -32602},
		{"source-add", `{"alias":"Bad One"}`, -32002},
		{"run-command", `{}`, -32602}, {"list-sources", `{"bogus":1}`, -32602}, {"learn-blz", `{"bogus":1}`, -32602},
		{"find", `{"query":"a"}`, -32602}, {"find", `{"query":" ","source":"docs"}`, -32602},
		{"find", `{"source":"docs"}`, -32602}, {"find", `{"snippets":["docs/README.md:99"]}`, -32602},
		{"find", `{"snippets":["docs/README.md:0"]}`, -32002}, {"find", `{"snippets":["docs/none.md:1"]}`, -32000},
		{"find", `{"snippets":["build:99:L1"]}`, -32000},
		{"find", `{"query":"a","source":"docs","maxResults":51}`, -32602},
		{"find", `{"query":"a","source":"docs","contextMode":"block"}`, -32602},
		{"run-command", `{"command":"remove"}`, -32002}, {"run-command", `{"command":""}`, -32602},
	} {
		code, next := s.refused(c.tool, c.arguments)
		if code != c.code || len(next) == 0 {
			t.Errorf("%s %s: %d, next %q, want %d", c.tool, c.arguments, code, next, c.code)
		}
	}
}

// refused calls a tool that must fail. It returns the code of the error and the next steps.
func (s *server) refused(tool, arguments string) (code int, next []string) {
	s.Helper()
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` +
		arguments + `}}`
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	s.Handler(mcp.HTTPConfig{}).ServeHTTP(w, r)
	var answer struct {
		Error struct {
			Code int
			Data struct {
				NextSteps []string `json:"next_steps"`
			}
		}
	}
	querytest.Check(s.T, json.Unmarshal(w.Body.Bytes(), &answer))
	return answer.Error.Code, answer.Error.Data.NextSteps
}
