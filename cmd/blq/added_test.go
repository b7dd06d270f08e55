//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// agesParams and ages are the parameters and the answer of a question that blq does not have.
type agesParams struct {
	Source string `json:"source,omitempty" jsonschema:"of this source only"`
	Limit  int    `json:"limit,omitempty" jsonschema:"runs at most" default:"20" min:"1"`
	Offset int    `json:"offset,omitempty" jsonschema:"runs to skip" min:"0"`
	Long   bool   `json:"in_full,omitempty" jsonschema:"with text"`
	query.At
}

type ages struct {
	Runs  []runAge `json:"runs" jsonschema:"newest first"`
	Total int      `json:"total_count" jsonschema:"also of those not shown"`
	Text  string   `json:"text,omitempty" jsonschema:"in words"`
}

type runAge struct {
	Run     string       `json:"run" jsonschema:"serial"`
	Started string       `json:"started_at" jsonschema:"UTC"`
	Status  store.Status `json:"status" jsonschema:"as in status"`
}

// withAges is the table of questions with one more row, for the question ages. This question has no other code.
var withAges = append(questions.All(), questions.New(questions.Row{
	Name: "ages", About: "Say when runs started", Tool: "ages", Command: "ages", Positional: []string{"source"},
	Access: questions.Access{Toolset: "ask", Class: questions.Read, Scope: store.ScopeRead,
		Annotations: questions.Annotations{ReadOnly: true, Idempotent: true}},
}, func(a *query.Asker, ctx context.Context, p agesParams) (ages, error) {
	h, err := a.History(ctx, query.HistoryParams{Source: p.Source, At: p.At})
	out := ages{Runs: []runAge{}, Total: len(h.Runs)}
	for _, r := range h.Runs[min(p.Offset, len(h.Runs)):min(p.Offset+p.Limit, len(h.Runs))] {
		out.Runs = append(out.Runs, runAge{store.Ref{Source: r.Source, Serial: r.RunID}.String(), r.Started, r.Status})
		if p.Long {
			out.Text += r.Source + " <started> " + r.Started + "\n"
		}
	}
	return out, err
}).Row)

// A question works everywhere as soon as it has a row.
func TestAQuestionIsItsRow(t *testing.T) {
	dir := t.TempDir()
	for range 30 {
		inCI(blq(dir, "run", "-q", "-n", "build", "--", "true"), "main", strings.Repeat("1", 40)).Run()
	}
	far := newServiceOf(t, sqlitetest.Open(t), withAges, nil)
	if out, code := printed(t, to(inCI(blq(dir, "push"), "main", "x"), far.URL)); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	local := localTools(t, dir)

	var want ages
	text := asksAges(t, dir, "", "ages", "build", "--limit", "2", "--json")
	if err := json.Unmarshal([]byte(text), &want); err != nil || want.Total != 30 || len(want.Runs) != 2 ||
		want.Runs[0].Run != "build:30" {
		t.Fatalf("%s: %v", text, err)
	}
	if got := asksAges(t, dir, far.URL, "ages", "build", "--limit", "2", "--json"); got != text {
		t.Errorf("by --remote:\n%s", cmp.Diff(text, got))
	}
	if got := far.answer(t, "ages", map[string]any{"source": "build", "limit": 2}); compact(t, text) != got {
		t.Errorf("by HTTP:\n%s", cmp.Diff(compact(t, text), got))
	}
	if got := callsAges(t, local, `{"source":"build","limit":2}`); compact(t, text) != got {
		t.Errorf("by MCP:\n%s", cmp.Diff(compact(t, text), got))
	}
	if got := asksAges(t, dir, "", "ages", "--in-full", "--limit", "1", "--branch", "main"); !strings.Contains(
		got, "build:30  "+want.Runs[0].Started+"  OK\n") || !strings.Contains(got, "total count: 30\n") {
		t.Errorf("as text:\n%s", got)
	}
	if got := callsAges(t, local, `{"limit":30,"max_bytes":1000}`); len(got) > 1000 ||
		!strings.Contains(got, `runs: ages(limit=30, offset=`) {
		t.Errorf("cut:\n%s", got)
	}
	if got := callsAges(t, local, `{"colour":"red"}`); !strings.Contains(got, "ages has no parameter") {
		t.Errorf("a wrong parameter: %s", got)
	}
	if got := far.answer(t, "ages", map[string]any{"limit": 0}); !strings.HasPrefix(
		got, "invalid: ages: limit must be at least 1") {
		t.Errorf("a wrong value: %s", got)
	}
}

// localTools returns a server with the tools of a folder, including the tool ages.
func localTools(t *testing.T, dir string) *mcp.Server {
	t.Helper()
	w, err := project.Open(t.Context(), filepath.Join(dir, project.DirName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	asker := backend.Asker(w)
	s, err := mcp.New(
		mcp.Config{Questions: withAges, Ask: func(context.Context) (*query.Asker, error) { return asker, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asksAges runs a command line of a blq that has the question, and returns the output. The question is about the folder
// dir, or about the service at url if url is not "".
func asksAges(t *testing.T, dir, url string, args ...string) string {
	t.Helper()
	t.Chdir(dir)
	env := map[string]string{"BLQ_TOKEN": testToken, "BLQ_REPO": "acme/app", "NO_COLOR": "1"}
	var out, notes bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &notes,
		getenv: func(name string) string { return env[name] }, table: withAges}
	a.style, a.notes = style{plain: true}, style{plain: true}
	root := newRoot(a)
	a.prepare(root)
	if url != "" {
		args = append(args, "--remote="+url)
	}
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	a.close()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, &notes)
	}
	return out.String()
}

// callsAges calls the tool ages with the client of the MCP SDK.
func callsAges(t *testing.T, s *mcp.Server, arguments string) string {
	t.Helper()
	server := httptest.NewServer(s.Handler(mcp.HTTPConfig{}))
	defer server.Close()
	session := way{"http", "2025-11-25",
		func() sdk.Transport { return &sdk.StreamableClientTransport{Endpoint: server.URL + "/mcp"} }}.connect(t)
	defer session.Close()
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "ages", Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*sdk.TextContent).Text
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
